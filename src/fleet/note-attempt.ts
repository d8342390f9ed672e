// Contract: writes one line to update.jsonl and keeps the last of them. Through Host.
import { OWN_DIR_MODE, makeDirs, putFile, toBytes } from '../clientsetup/statefiles.ts';
import { hostErrorCode, type Host } from '../host.ts';
import { ATTEMPTS_MAX, attemptsPath, readAttempts, type Attempt } from './attempts.ts';

/** Never fails what it tells about. */
export function noteAttempt(host: Host, state: string, attempt: Attempt): void {
  try {
    const lines = [...readAttempts(host, state), attempt].slice(-ATTEMPTS_MAX).map((one) => JSON.stringify(one));
    makeDirs(host, state, OWN_DIR_MODE);
    putFile(host, attemptsPath(host, state), toBytes(`${lines.join('\n')}\n`));
  } catch (error) {
    if (hostErrorCode(error) === undefined) throw error;
  }
}
