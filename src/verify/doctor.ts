// Contract: the use case `doctor`: does the registered command resolve, run and judge, and would anything keep a client
// from calling it? One list of checks; every row is of one of them. It starts the registered commands with synthetic calls
// (their receipts are marked and never evidence) and writes nothing itself. Throws as verify does. Through the Host.
import type { SettingsChoice } from '../settings/load.ts';
import type { Host } from '../host.ts';
import { EXIT, type Diagnostic } from '../model/diagnostic.ts';
import type { Scope } from '../model/client.ts';
import { ENGINE_VERSION } from '../policy/build-info.ts';
import { isRegistered, type Check, type DoctorRow, type Exam, type Patient } from './doctor-check.ts';
import { CLIENT_CHECKS } from './doctor-clients.ts';
import { MACHINE_CHECKS } from './doctor-machine.ts';
import { chooseClients, evidenceFor, groundFor, type Ground } from './verify.ts';

export interface DoctorRequest {
  readonly clients: readonly string[];
  readonly scope: Scope;
  readonly documents?: SettingsChoice;
  /** The running program's own unless a test says otherwise. */
  readonly version?: string;
}

export interface DoctorResult { readonly ok: boolean; readonly exit: number; readonly rows: readonly DoctorRow[]; readonly diagnostics: readonly Diagnostic[] }

export const CHECKS: readonly Check[] = [...MACHINE_CHECKS, ...CLIENT_CHECKS];

export function runDoctor(host: Host, request: DoctorRequest): DoctorResult {
  const ground = groundFor(host, request.scope, request.documents);
  const inScope = (scope: Scope): Patient[] => {
    const scoped: Ground = { ...ground, scope };
    return chooseClients(scoped, request.clients).map((client) => ({ client, evidence: evidenceFor(scoped, client) }));
  };
  const user = inScope('user');
  const project = inScope('project');
  const patients = request.scope === 'user' ? user : project;
  const registered = [...new Map([...user, ...project].filter(isRegistered).map((p) => [p.client.id, p])).values()];
  const exam: Exam = { ground, patients, user, project, registered, version: request.version ?? ENGINE_VERSION };
  // One string for several native events of a client is one thing to say.
  const rows = new Map(CHECKS.flatMap((check) => check.run(exam)).map((row) => [`${row.id}\0${row.message}`, row])).values();
  const sorted = [...rows].sort((a, b) => compare(a.id, b.id) || compare(a.message, b.message));
  const ok = !sorted.some((one) => one.status === 'error');
  return { ok, exit: ok ? EXIT.ok : EXIT.no, rows: sorted, diagnostics: patients.flatMap((patient) => patient.evidence.diagnostics) };
}

/** docs/doctor.md. */
export function renderChecks(): string {
  const line = ({ id, about, otherwise }: Check): string => `| \`${id}${id.endsWith('.') ? '<client>' : ''}${id === 'hook.' ? '.<event>' : ''}\` | ${about} | ${otherwise} |`;
  return [
    '# What doctor checks', '',
    '`praetorctl doctor` prints a row for each of these; text and `--json` hold the same rows. `--client` and `--scope` choose as for `clients verify`.',
    'Exit 3 if a row is an error. It starts the registered strings (a synthetic call, whose receipt is marked and never evidence) and `praetorctl --version`; it starts no client and writes nothing.', '',
    '| row | what is looked at | when it is not `ok` |', '|---|---|---|', ...CHECKS.map(line), '',
  ].join('\n');
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
