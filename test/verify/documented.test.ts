// A row that nobody measured is never more than configured until its client itself has left a receipt, and verify says so.
import { describe, expect, it } from 'vitest';
import { clientById } from '../../src/clients/registry.ts';
import { apply, leave, machine, one, receipt, texts } from './support.ts';

describe.each(['auggie', 'cursor', 'vscode', 'windsurf', 'devin', 'kiro'])('%s', (id) => {
  it('says that it is documented only, and is observed by a receipt of its own alone', async () => {
    const m = machine();
    await apply(m, [id]);
    const before = one(m, id);
    expect(before.states).toMatchObject({ installed: true, observed: false });
    expect(texts(before)).toContain(`${clientById(id).name} is documented only, never measured`);
    leave(m, receipt(id, { caller: 'unknown' }), receipt(id, { caller: 'copilot-cli' }));
    expect(one(m, id).states.observed).toBe(false);
    leave(m, receipt(id));
    expect(one(m, id).states.observed).toBe(true);
  });
});

it('a measured row does not say so', async () => {
  const m = machine();
  await apply(m, ['claude']);
  expect(texts(one(m, 'claude'))).not.toContain('documented only');
});
