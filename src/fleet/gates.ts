// Contract: one gate: a command line of the operator, run in the candidate, with its exit code and the digest of what it said. It runs
// code of upstream, so it gets a small environment: no agent, no tokens, nothing that leads git elsewhere. Starts processes through
// the Host.
import type { Host } from '../host.ts';
import { digest } from './crypto.ts';
import type { Gate } from './promotion.ts';

export const GATE_MS_MAX = 30 * 60_000;
export const GATE_BYTES_MAX = 4 * 1024 * 1024;
export const GATES_MAX = 32;
/** As shells say it: ended for its time, and not started. */
const [EXIT_TIMED_OUT, EXIT_NOT_STARTED, EXIT_KILLED] = [124, 127, 137];

const PASSED = new Set([
  'PATH', 'HOME', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES',
  'TMPDIR', 'TEMP', 'TMP', 'USER', 'LOGNAME', 'USERNAME', 'LANG', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS',
]);

function gateEnv(host: Host): Record<string, string> {
  const passed = Object.entries(host.env).flatMap(([name, value]) => (value !== undefined && PASSED.has(name.toUpperCase()) ? [[name, value] as const] : []));
  return { ...Object.fromEntries(passed), CI: 'true', NO_COLOR: '1', GIT_TERMINAL_PROMPT: '0' };
}

export interface GateRun { readonly gate: Gate; readonly output: string }

export async function runGate(host: Host, cwd: string, command: string, timeoutMs: number = GATE_MS_MAX): Promise<GateRun> {
  const [program, ...args] = host.platform === 'win32' ? ['cmd', '/d', '/s', '/c', command] : ['sh', '-c', command];
  const ran = await host.start(program ?? 'sh', args, { env: gateEnv(host), cwd, timeoutMs, maxBytes: GATE_BYTES_MAX });
  const output = ran.stdout + ran.stderr;
  const exit = ran.timedOut ? EXIT_TIMED_OUT : ran.failure !== undefined ? EXIT_NOT_STARTED : ran.code ?? EXIT_KILLED;
  return { gate: { command, exit, sha256: digest('sha256', output).toString('hex') }, output };
}

export const passed = (gate: Gate): boolean => gate.exit === 0;
