// Contract: a process that installs, updates or rolls back a workstation and is killed before its n-th changing host call. Arguments: environment
// as JSON, directory, n, what, remote, anchor, and the program that runs the engine where it is not this Node. It prints how many calls
// of the host changed something.
import { realHost } from '../../src/host.ts';
import { installWorkstation } from '../../src/fleet/station-install.ts';
import { rollBack } from '../../src/fleet/roll-back.ts';
import { stationOf } from '../../src/fleet/station.ts';
import { updateWorkstation } from '../../src/fleet/update.ts';
import { CHANGING, wrapHost } from './hosts.ts';

const [env = '{}', cwd = '/', n = '0', what = '', remote = '', anchor = '', node = process.execPath] = process.argv.slice(2);
let changing = 0;
const host = wrapHost(realHost({ env: JSON.parse(env) as Record<string, string>, cwd }), (call, run) => {
  if (!CHANGING.has(call.name)) return run();
  changing += 1;
  if (changing === Number(n)) {
    process.kill(process.pid, 'SIGKILL');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  return run();
});
const station = stationOf(host, node);
if (what === 'install') await installWorkstation(station, { from: remote, anchor, acceptHistory: false, engine: 'test' });
else if (what === 'update') await updateWorkstation(station, { check: false, now: false, acceptHistory: false, scheduled: false });
else await rollBack(station, undefined);
process.stdout.write(String(changing));
