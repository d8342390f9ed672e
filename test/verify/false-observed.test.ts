// Nothing but the client's own run of its own registration makes `observed`: every captured document of every client is replayed
// by hand, as a real hook process, without the client's marks, with each of them missing, and with those of another client.
import { beforeAll, describe, expect, it } from 'vitest';
import { DIALECTS, callerOf } from '../../src/clients/dialects.ts';
import { clientById } from '../../src/clients/registry.ts';
import type { CallerMark } from '../../src/clients/callers.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { captured } from '../dialects/payloads.ts';
import { buildHook, run } from '../hook/support.ts';
import { apply, machine, one, trustCodex, verify, type Machine } from './support.ts';

beforeAll(buildHook);

const AT_ONCE = 4;
const SESSION = 'session-of-the-test';

const IDS = DIALECTS.map(({ id }) => id);
const markOf = (id: string): CallerMark | undefined => DIALECTS.find((dialect) => dialect.id === id)?.mark;

/** The environment in which a mark fits: as the client itself gives it. */
function whole(mark: CallerMark): Record<string, string> {
  const entries = Object.entries(mark.env).filter(([, wanted]) => wanted !== 'unset').map(([name, wanted]) => [name, wanted === 'session' ? SESSION : wanted === 'set' ? 'x' : wanted.slice(1)] as const);
  return { ...Object.fromEntries(entries), ...(mark.path === undefined ? {} : { PATH: `/tmp/${mark.path}x:${process.env['PATH'] ?? ''}` }) };
}

/** The same with one part of the mark missing, or with a variable that may not be there. */
function partial(mark: CallerMark): Record<string, string>[] {
  const full = whole(mark);
  const less = Object.keys(full).map((name) => Object.fromEntries(Object.entries(full).filter(([other]) => other !== name)));
  const more = Object.entries(mark.env).filter(([, wanted]) => wanted === 'unset').map(([name]) => ({ ...full, [name]: 'x' }));
  const other = Object.entries(mark.env).filter(([, wanted]) => wanted === 'session').map(([name]) => ({ ...full, [name]: 'another session' }));
  return [...less, ...more, ...other];
}

interface Replayed { readonly event: string; readonly document: JsonObject }

/** Every captured document of a client, with what its mark compares in one value. */
function documents(id: string): Replayed[] {
  return captured(id).map(({ event, document }) => {
    const key = markOf(id)?.session.find((name) => typeof document[name] === 'string');
    return { event, document: key === undefined ? document : { ...document, [key]: SESSION } };
  });
}

const aboutTools = (all: readonly Replayed[]): Replayed[] => all.filter(({ event }) => event === 'pre-tool').slice(0, 3);

/** Each document in each environment, as a real hook process. */
async function replay(m: Machine, id: string, all: readonly Replayed[], environments: readonly Record<string, string>[]): Promise<void> {
  const queue = all.flatMap(({ event, document }) => environments.map((env) => ({ event, document, env })));
  const worker = async (): Promise<void> => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) await run(id, job.event, { state: m.state, env: job.env, input: JSON.stringify(job.document) });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function registered(id: string): Promise<Machine> {
  const m = machine();
  await apply(m, [id]);
  if (clientById(id).trust !== undefined) trustCodex(m);
  return m;
}

describe.each(IDS)('%s', (id) => {
  const mark = markOf(id);
  const foreign = IDS.filter((other) => other !== id).map(markOf).filter((other) => other !== undefined);

  it('no captured document has this caller without the whole mark, also among the marks of all others', () => {
    for (const { document } of documents(id)) {
      const environments = [{}, ...(mark === undefined ? [] : partial(mark))];
      for (const env of environments) expect(callerOf(id, document, env)).not.toBe(id);
      if (mark === undefined) for (const other of foreign) expect(callerOf(id, document, whole(other))).not.toBe(id);
    }
  });

  it('is not observed from its captured documents replayed by hand, nor is another client', async () => {
    const m = await registered(id);
    expect(documents(id).length).toBeGreaterThan(0);
    await replay(m, id, documents(id), [{}]);
    if (mark !== undefined) await replay(m, id, aboutTools(documents(id)).slice(0, 1), partial(mark));
    const report = one(m, id, { engine: undefined, policy: undefined } as never);
    expect(report).toMatchObject({ observed: false, meets: false, lastToolReceipt: null });
    expect(report.reasons.map(({ check }) => check)).toContain('receipt.no-evidence');
    expect(verify(m).clients.filter(({ observed }) => observed)).toEqual([]);
  }, 60_000);

  it.skipIf(mark === undefined)('would be observed if it were the client: the same documents with the whole mark', async () => {
    const m = await registered(id);
    await replay(m, id, aboutTools(documents(id)), [whole(mark as CallerMark)]);
    // The hook's clock is now; the machine of the test is two minutes ahead.
    expect(one(m, id).observed).toBe(true);
  }, 60_000);

  it('is not observed from a synthetic call with the whole mark, as doctor makes it', async () => {
    const m = await registered(id);
    await replay(m, id, aboutTools(documents(id)), [{ ...(mark === undefined ? {} : whole(mark)), PRAETORCTL_HOOK_SYNTHETIC: '1' }]);
    expect(one(m, id).observed).toBe(false);
  }, 60_000);
});
