// Contract: Codex's set: files to merge by hand, no plugin. Measured on 0.171.0: a plugin needs the same trust, any changed byte in
// its installed tree takes the trust away, and the hook then fails open. PURE.
import type { BundleSurface } from '../../model/bundle.ts';
import { tomlEditor } from '../../merge/toml.ts';
import { guardedEntry, hooksDocument, jsonFile, namePattern, subjectEvents } from '../bundle-kit.ts';

const ownCalls = (service: string): string => `^mcp__${namePattern(service)}__`;

export const codexBundle: BundleSurface = {
  files: (client, subject) => {
    const { service } = subject;
    // Our own registrations are what `clients apply` writes; there is no plugin to put them into.
    if (service === undefined) return {};
    const entry = guardedEntry(client, service, true);
    const config = tomlEditor.edit('', [{ op: 'set', path: [client.mcp.key, service.id], value: entry }]);
    if (!config.ok) throw new Error(`config.toml cannot be said: ${config.fault.message}`);
    return {
      'codex/hooks.json': jsonFile(hooksDocument(client, subjectEvents(client, subject, ownCalls))),
      'codex/config.toml': config.text,
    };
  },
  install: ({ service }) => (service === undefined
    ? ['There is no plugin: `praetorctl clients apply --client codex`, then trust the hooks in Codex.', 'A plugin would need the same trust, and any changed byte in its installed tree takes it away; the hook then fails open (measured on 0.171.0).']
    : [
      '1. Put the entries of `codex/hooks.json` at the end of the lists in `~/.codex/hooks.json` (trust is bound to positions: never in front), and `codex/config.toml` into `~/.codex/config.toml`.',
      '   Where `praetorctl clients apply` registered the hooks already, only the server is missing.',
      '2. Trust the hook: start codex in any folder and choose "Trust all and continue", or type /hooks there. Without it the hook is skipped in silence.',
      '3. `praetorctl clients verify --client codex`.', '',
      'This is no plugin: a plugin would need the same trust, and any changed byte in its installed tree takes it away; the hook then fails open (measured on 0.171.0).',
    ]),
};
