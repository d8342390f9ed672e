// Contract: does a packed engine judge at all? It is unpacked into a temporary place and given a harmless and a refused sample call,
// with nothing of the environment. Starts processes through the Host.
import { makeDirs } from '../clientsetup/statefiles.ts';
import { dialectFor } from '../clients/dialects.ts';
import { hasHooks } from '../clients/mcp-only.ts';
import { CLIENTS } from '../clients/registry.ts';
import type { Host, StartResult } from '../host.ts';
import { NEUTRAL } from '../model/verdict.ts';
import { dirOf, joinPath } from '../roots/paths.ts';
import { PACKAGE_ROOT } from './artefact.ts';
import type { EngineCheck } from './fork-prepare.ts';
import { unpackTar } from './tar.ts';

const HOOK_MS_MAX = 10_000;
const HOOK_BYTES_MAX = 256 * 1024;
const EVENT = 'pre-tool';

async function call(host: Host, node: string, program: string, place: string, kind: 'allow' | 'deny'): Promise<{ readonly got: StartResult; readonly neutral: string } | undefined> {
  const client = CLIENTS.find((one) => hasHooks(one) && dialectFor(one.id) !== undefined);
  const dialect = client === undefined ? undefined : dialectFor(client.id);
  if (client === undefined || dialect === undefined) return undefined;
  const { payload } = client.sample(kind, place);
  const decoded = dialect.decode(EVENT, payload, {});
  if ('fault' in decoded) return undefined;
  const env = { HOME: place, PRAETORCTL_CONFIG_DIR: joinPath(host.platform, place, 'config'), PRAETORCTL_STATE_DIR: joinPath(host.platform, place, 'state'), PRAETORCTL_HOOK_SYNTHETIC: '1' };
  const got = await host.start(node, [program, 'hook', client.id, EVENT], { env, cwd: place, input: JSON.stringify(payload), timeoutMs: HOOK_MS_MAX, maxBytes: HOOK_BYTES_MAX });
  return { got, neutral: dialect.encode(EVENT, NEUTRAL, decoded).stdout };
}

/** `node`: the program that runs the engine. */
export function engineCheck(host: Host, node: string): EngineCheck {
  return async (packed) => {
    const temp = host.tempDir('praetorctl-engine-');
    try {
      for (const { path, executable, bytes } of unpackTar(packed)) {
        const at = joinPath(host.platform, temp.path, ...path.split('/'));
        makeDirs(host, dirOf(host.platform, at), 0o700);
        host.writeNew(at, bytes, executable ? 0o700 : 0o600);
      }
      const program = joinPath(host.platform, temp.path, PACKAGE_ROOT, 'bin', 'praetorctl');
      const harmless = await call(host, node, program, temp.path, 'allow');
      const refused = await call(host, node, program, temp.path, 'deny');
      const leaves = harmless?.got.code === 0 && harmless.got.stdout.trim() === harmless.neutral.trim();
      const stops = refused !== undefined && !refused.got.timedOut && (refused.got.code === 2 || (refused.got.code === 0 && refused.got.stdout.trim() !== refused.neutral.trim()));
      return { ok: leaves && stops, said: [harmless, refused].map((one) => `${String(one?.got.code)} ${one?.got.stdout ?? ''}`).join('\n') };
    } finally {
      temp.remove();
    }
  };
}
