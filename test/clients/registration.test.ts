// The grammar by which an entry is known as ours: a person's own command is never taken for it.
import { describe, expect, it } from 'vitest';
import { ownEvent } from '../../src/clients/registration.ts';

describe('ownership by grammar', () => {
  it.each([
    'praetorctl hook gemini pre-tool', '/usr/local/bin/praetorctl hook gemini pre-tool', '~/.local/bin/praetorctl hook gemini pre-tool',
    'C:/tools/praetorctl.cmd hook gemini pre-tool', 'C:\\tools\\praetorctl.exe hook gemini pre-tool', '"C:\\Program Files\\p\\praetorctl.cmd" hook gemini pre-tool',
    '"/opt/my tools/praetorctl" hook gemini pre-tool',
  ])('ours: %s', (command) => { expect(ownEvent(command, ['gemini'])).toBe('pre-tool'); });

  it.each([
    'rm -rf /x/praetorctl hook gemini pre-tool', 'echo praetorctl hook gemini pre-tool', 'praetorctl hook gemini pre-tool && true', 'praetorctl hook claude pre-tool',
    'praetorctl hook gemini', 'praetorctl  hook gemini pre-tool', 'my-praetorctl hook gemini pre-tool', 'sh -c "praetorctl hook gemini pre-tool"',
    'x\npraetorctl hook gemini pre-tool', '$(x)/praetorctl hook gemini pre-tool', '"a;b/praetorctl" hook gemini pre-tool', 'praetorctl hook gemini pre-tool extra',
  ])('foreign: %s', (command) => { expect(ownEvent(command, ['gemini'])).toBeUndefined(); });
});
