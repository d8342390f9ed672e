// Contract: doctor's checks of each client: do its registered strings run in its shells and judge, would anything keep it from
// calling them, and do they stand, or run, twice. Only strings that praetorctl writes are started. Through the Host.
import { hasHooks, NO_HOOK_SURFACE } from '../clients/mcp-only.ts';
import { ownedHooks } from '../clients/registration.ts';
import type { ClientDefinition, EvidenceFile } from '../model/client.ts';
import type { JsonObject } from '../model/json.ts';
import { readEvidence } from './documents.ts';
import { isRegistered, row, type Check, type DoctorRow, type Exam, type Patient } from './doctor-check.ts';
import { runCommand, type CommandResult } from './run-command.ts';
import { silentRows, type SilentRow } from './silent.ts';
import type { Ground } from './verify.ts';

/** Of one client; more plugins than a person has. */
const PLACES_MAX = 200;

const RUN_FIX = 'praetorctl clients plan shows what should stand there; reinstall praetorctl if the plan is empty';

/** A string that is registered twice is run once. */
function hookRows({ ground, patients }: Exam): DoctorRow[] {
  return patients.flatMap(({ client, evidence }) => {
    const seen = new Map<string, CommandResult>();
    return evidence.files.flatMap((file) => file.commands.map((command) => {
      const result = seen.get(command.command) ?? runCommand(ground.host, client, command, ground.context, evidence.scope);
      seen.set(command.command, result);
      const id = `hook.${client.id}.${command.event}${evidence.scope === 'user' ? '' : `.${evidence.scope}`}`;
      if (result.receiptLost) return row('error', id, `the command in ${command.path} answers, but leaves no receipt, so nothing can be observed`, 'make the state directory writable (see state.directory)');
      return row(result.status, id, `the command in ${command.path}: ${result.message}`, result.status === 'error' || result.status === 'unknown' ? RUN_FIX : '');
    }));
  });
}

/** The part of a row's id that says what kind of thing is wrong. */
const KIND: Partial<Record<SilentRow['code'], string>> = {
  'untrusted': 'trust', 'trust-modified': 'trust', 'trust-disabled': 'trust', 'entries-unread': 'file', 'evidence-unread': 'file', 'entries-differ': 'entry', 'entries-gone': 'entry', 'root-moved': 'root',
};

function silentRow(patient: Patient, silent: SilentRow): DoctorRow {
  const { weight, code, text, fix, check, evidence } = silent;
  const status = weight === 'note' ? 'info' : weight === 'unread' ? 'unknown' : weight === 'off' && (isRegistered(patient) || code === 'entries-gone' || code === 'root-moved') ? 'error' : 'warning';
  const kind = check.startsWith('double.') ? 'double' : KIND[code] ?? 'switch';
  return { ...row(status, `${kind}.${patient.client.id}`, text, fix), check, evidence };
}

/** What verify says of this client too. The program is the same for all of them and has rows of its own. */
function clientRows(patient: Patient): DoctorRow[] {
  const { client, evidence } = patient;
  const found = silentRows(client, evidence).filter(({ code }) => code !== 'entrypoint-missing');
  const unread = new Set(found.flatMap(({ weight, evidence: { file } }) => (weight === 'unread' ? [file] : [])));
  const servers = evidence.files.flatMap(({ spec, diagnostic }) => (diagnostic === undefined || unread.has(spec.path) ? [] : [row('unknown', `file.${client.id}`, `${spec.path}: ${diagnostic.message}`, diagnostic.fix)]));
  const rows = [...new Map(found.map((one) => [`${one.check}\0${one.evidence.file ?? ''}\0${one.text}`, silentRow(patient, one)])).values(), ...servers];
  if (!hasHooks(client)) return [...rows, row('info', `surface.${client.id}`, `${client.name}: ${NO_HOOK_SURFACE}`)];
  return rows.some(({ id }) => !id.startsWith('double.')) ? rows : [...rows, row('ok', `switch.${client.id}`, `nothing was found by which ${client.name} would leave its hooks out`)];
}

/** The rows of one kind. */
const ofKind = (kind: string) => ({ patients }: Exam): readonly DoctorRow[] => patients.flatMap(clientRows).filter(({ id }) => id.startsWith(kind));

function twoScopes({ user, project }: Exam): DoctorRow[] {
  return user.filter(isRegistered).flatMap((mine) => {
    const paths = mine.evidence.files.map((file) => file.spec.path);
    const other = project.find(({ client }) => client.id === mine.client.id);
    // In the home directory itself a client's two places can be the same file.
    const twice = other?.evidence.files.find((file) => file.commands.length > 0 && !paths.includes(file.spec.path));
    return twice === undefined ? [] : [row('warning', `double.${mine.client.id}`, `${mine.client.name} has the hooks registered for the user and in ${twice.spec.path}: they may run twice for each call`, `praetorctl clients remove --scope project --client ${mine.client.id}`)];
  });
}

function readDocument(ground: Ground, client: ClientDefinition, file: EvidenceFile): JsonObject | undefined {
  const read = readEvidence(ground.host, client.id, file);
  return read.state === 'read' ? read.document : undefined;
}

/** Places besides ours from which the client takes hooks too: other layers, plugins. */
function otherPlaces({ ground, user }: Exam): DoctorRow[] {
  return user.filter(isRegistered).flatMap(({ client, evidence }) => {
    if (client.otherHooks === undefined) return [];
    const { lists, places } = client.otherHooks;
    const roots = client.roots(ground.context);
    const documents = new Map(lists(roots).flatMap((file) => { const document = readDocument(ground, client, file); return document === undefined ? [] : [[file.name, document] as const]; }));
    const taken = evidence.files.filter((file) => file.spec.role !== 'mcp').map((file) => file.spec.path);
    return places(roots, documents).filter(({ path }) => !taken.includes(path)).slice(0, PLACES_MAX).flatMap((file) => {
      const document = readDocument(ground, client, file);
      if (document === undefined || ownedHooks(client.hooks, document, [client.id, ...client.aliases]).length === 0) return [];
      return [row('warning', `double.${client.id}`, `${client.name} takes hooks of praetorctl from ${file.path} (${file.name}) too: they run twice for each call`, `take them out of ${file.path}, or out of the other place: praetorctl clients remove --client ${client.id}`)];
    });
  });
}

function doubleRows(exam: Exam): DoctorRow[] {
  const rows = [...twoScopes(exam), ...otherPlaces(exam), ...exam.registered.flatMap(clientRows).filter(({ id }) => id.startsWith('double.'))];
  const told = new Set(rows.map(({ id }) => id));
  return [...rows, ...exam.registered.filter(({ client }) => !told.has(`double.${client.id}`)).map(({ client }) => row('ok', `double.${client.id}`, `${client.name} has the hooks in one place`))];
}

export const CLIENT_CHECKS: readonly Check[] = [
  { id: 'hook.', about: 'Each registered string, run in each shell that its client uses, with a harmless and with a refused sample call: it judges in the client\'s own form and leaves a receipt.', otherwise: 'error with what went wrong; unknown for a string that praetorctl does not write (it is not run); skipped on Windows, where only its form is checked', run: hookRows },
  { id: 'switch.', about: 'Nothing in the client\'s files or environment makes it leave the hooks out; `clients verify` says the same.', otherwise: 'error where every seen version does so, warning where some do', run: ofKind('switch.') },
  { id: 'file.', about: 'Every file that matters for a client can be read. There is a row only where one cannot.', otherwise: 'unknown', run: ofKind('file.') },
  { id: 'entry.', about: 'The registrations stand as they were written. There is a row only where one is gone or was changed.', otherwise: 'error where the client would not run it, warning where it may', run: ofKind('entry.') },
  { id: 'root.', about: 'The client still looks where the hooks were registered. There is a row only where its directory was moved.', otherwise: 'error', run: ofKind('root.') },
  { id: 'trust.', about: 'The client trusts the hooks, where it has such a gate. There is a row only where it does not.', otherwise: 'error: untrusted hooks are skipped in silence', run: ofKind('trust.') },
  { id: 'surface.', about: 'The client has hooks at all. There is a row only where it has none.', otherwise: 'info', run: ofKind('surface.') },
  { id: 'double.', about: 'The hooks stand once: not for the user and the project, not in another layer or plugin, and not in a file of another client that this one reads too.', otherwise: 'warning: they run twice for each call; info where that was only read, not seen', run: doubleRows },
];
