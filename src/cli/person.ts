// Contract: is it a person in a terminal who runs this command? Reads the environment of this process and, on Linux, of those
// above it, through the Host: a mark that was taken out of one environment still stands in the one above.
import { agentMark } from '../clients/marks.ts';
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import type { CliIo } from './output.ts';

export const ANCESTORS_MAX = 64;
const ENVIRON_BYTES_MAX = 4 * 1024 * 1024;

function textOf(host: Host, path: string): string {
  try {
    return new TextDecoder().decode(host.readFile(path, ENVIRON_BYTES_MAX));
  } catch {
    return '';
  }
}

function environOf(host: Host, pid: string): Record<string, string> {
  const env: Record<string, string> = {};
  for (const pair of textOf(host, `/proc/${pid}/environ`).split('\0')) {
    const at = pair.indexOf('=');
    if (at > 0) env[pair.slice(0, at)] = pair.slice(at + 1);
  }
  return env;
}

/** The parent is the second field behind the name, which may itself hold blanks and parentheses. */
function parentOf(host: Host, pid: string): string | undefined {
  const stat = textOf(host, `/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 1).trim().split(' ')[1];
}

/** The name of a mark in this environment or above it; never a value. */
export function agentAbove(host: Host): string | undefined {
  const own = agentMark(host.env);
  if (own !== undefined || host.platform !== 'linux') return own;
  let pid = parentOf(host, String(host.pid));
  for (let depth = 0; depth < ANCESTORS_MAX && pid !== undefined && pid !== '0' && pid !== '1'; depth++) {
    const mark = agentMark(environOf(host, pid));
    if (mark !== undefined) return mark;
    pid = parentOf(host, pid);
  }
  return undefined;
}

/** Throws unless a person can answer: a terminal on both ends, and no client above. */
export function needPerson({ host, inIsTty, errIsTty }: Pick<CliIo, 'host' | 'inIsTty' | 'errIsTty'>, command: string): void {
  refuseAgents(host, command);
  if (!inIsTty || !errIsTty) {
    throw new PraetorError({ code: 'not-confirmed', message: 'there is no terminal to ask on', fix: `a person runs it in a terminal: ${command}` });
  }
}

/** Throws where a client runs this command. */
export function refuseAgents(host: Host, command: string): void {
  const mark = agentAbove(host);
  if (mark === undefined) return;
  throw new PraetorError({
    code: 'not-confirmed', message: `this runs below an AI coding client (${mark} is set), and only a person may decide this`,
    fix: `a person runs it in a terminal of their own: ${command}`,
  });
}
