// Contract: does a packed engine judge? It is unpacked into a temporary place and tried there for every client as a workstation will
// try it (smoke.ts): what a workstation would send back is not promoted. Starts processes through the Host.
import { makeDirs } from '../clientsetup/statefiles.ts';
import type { Host } from '../host.ts';
import { dirOf, joinPath } from '../roots/paths.ts';
import { PACKAGE_ROOT } from './artefact.ts';
import type { EngineCheck } from './fork-prepare.ts';
import { judgedClients, smokeVersion } from './smoke.ts';
import { unpackTar } from './tar.ts';

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
      const clients = judgedClients();
      const fault = await smokeVersion(host, clients, node, joinPath(host.platform, temp.path, PACKAGE_ROOT, 'bin', 'praetorctl'));
      return { ok: fault === undefined, said: fault === undefined ? `judges for ${clients.map(({ id }) => id).join(', ')}` : `${fault.code} ${fault.message}` };
    } finally {
      temp.remove();
    }
  };
}
