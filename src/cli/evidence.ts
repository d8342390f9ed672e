// Contract: `praetorctl evidence export`: settings and flags -> one export run. What is off stays off; the key of the fleet and credentials are named
// by file or variable, never given.
import { toText } from '../clientsetup/statefiles.ts';
import { hmacSha256 } from '../fleet/crypto.ts';
import type { KeyedHash } from '../fleet/event.ts';
import { EVENT_FORMATS, type EventFormat } from '../fleet/event-formats.ts';
import { exportEvidence, type Destination, type ExportResult } from '../fleet/evidence-export.ts';
import { headersFrom, logsUrl } from '../fleet/otlp-send.ts';
import type { Host } from '../host.ts';
import { EXIT, PraetorError } from '../model/diagnostic.ts';
import { rootContext } from '../roots/context.ts';
import { dataDirOf, readInstallRecord } from '../roots/install-record.ts';
import { ownDirs } from '../roots/own-dirs.ts';
import { joinPath } from '../roots/paths.ts';
import { loadSettings } from '../settings/load.ts';
import type { Settings } from '../settings/schema.ts';
import { absolutePath } from './policy-input.ts';
import { VERSION, type Outcome } from './output.ts';
import type { CommandContext } from './program.ts';
import { settingsChoice } from './settings-options.ts';

const KEY_BYTES_MIN = 16;
const KEY_BYTES_MAX = 4096;
const HASH_CHARS = 32;
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const usage = (message: string, fix: string): PraetorError => new PraetorError({ code: 'usage', message, fix });

/** The key of the fleet; undefined: what would be hashed with it is left out. */
function keyOf({ io: { host }, options }: CommandContext): string | undefined {
  const [file, variable] = [text(options['hashKeyFile']), text(options['hashKeyEnv'])];
  if (file !== undefined && variable !== undefined) throw usage('--hash-key-file and --hash-key-env exclude each other', 'name one');
  let key: string | undefined;
  if (variable !== undefined) key = host.env[variable] ?? '';
  if (file !== undefined) {
    try {
      key = toText(host.readFile(absolutePath(host, file), KEY_BYTES_MAX));
    } catch (error) {
      throw new PraetorError({ code: 'unreadable', where: { path: file }, message: 'the key of the fleet cannot be read', fix: 'name a text file of at most 4 KiB' }, error);
    }
  }
  const trimmed = key?.trim();
  if (trimmed !== undefined && trimmed.length < KEY_BYTES_MIN) throw usage(`the key of the fleet has fewer than ${KEY_BYTES_MIN} characters`, 'make one: openssl rand -hex 32');
  return trimmed;
}

const hashWith = (key: string | undefined): KeyedHash => (kind, value) => (key === undefined ? undefined : hmacSha256(Buffer.from(key, 'utf8'), `${kind}\0${value}`).slice(0, HASH_CHARS));

function userOf(host: Host, identity: Settings['hooks']['evidence']['identity'], hash: KeyedHash): string | undefined {
  if (identity === 'off') return undefined;
  const name = host.env['USER'] ?? host.env['LOGNAME'] ?? host.env['USERNAME'] ?? '';
  if (identity === 'plain') return name.slice(0, 256);
  const hashed = hash('user', name);
  if (hashed === undefined) throw usage('hooks.evidence.identity is hash, and no key of the fleet is named', 'name it: --hash-key-file FILE or --hash-key-env VARIABLE');
  return hashed;
}

interface Aim { readonly format: EventFormat; readonly destination: Destination }

/** Flags first, then the settings; undefined: nothing is exported. */
function aimOf({ io: { host }, options }: CommandContext, evidence: Settings['hooks']['evidence'], state: string): Aim | undefined {
  const [out, asked] = [text(options['out']), text(options['endpoint'])];
  if (out !== undefined && asked !== undefined) throw usage('--out and --endpoint exclude each other', 'name one');
  const endpoint = asked ?? (out === undefined && evidence.export === 'otlp' ? evidence.endpoint ?? '' : undefined);
  const format = EVENT_FORMATS.find((one) => one === options['format']) ?? (endpoint === undefined ? 'jsonl' : 'otlp');
  if (endpoint !== undefined) {
    if (format !== 'otlp') throw usage(`an endpoint takes the format otlp, not ${format}`, 'leave --format out, or write files: --out <dir>');
    return { format, destination: { kind: 'endpoint', endpoint: { url: logsUrl(endpoint), headers: headersFrom(host, (options['header'] as readonly string[] | undefined) ?? []), gzip: options['gzip'] === true } } };
  }
  if (out !== undefined) return { format, destination: { kind: 'files', directory: absolutePath(host, out) } };
  if (evidence.export === 'file') return { format, destination: { kind: 'files', directory: joinPath(host.platform, state, 'export') } };
  return options['dryRun'] === true ? { format, destination: { kind: 'show' } } : undefined;
}

function describe(result: ExportResult, aim: Aim): string {
  const where = aim.destination.kind === 'endpoint' ? ` to ${aim.destination.endpoint.url}` : aim.destination.kind === 'files' ? ` to ${aim.destination.directory}` : '';
  const notes = [result.rejected > 0 ? `${result.rejected} rejected by the endpoint` : '', result.dropped > 0 ? `${result.dropped} older ones were passed over` : '', result.lost ? 'some are gone and were never exported' : '', result.more ? 'more waits' : ''].filter((word) => word !== '');
  return `${result.records} event(s) in ${result.batches} batch(es)${where}${notes.length === 0 ? '' : `; ${notes.join(', ')}`}`;
}

export async function evidenceExport(context: CommandContext): Promise<Outcome> {
  const { io: { host }, options } = context;
  const { home } = rootContext(host);
  const dirs = ownDirs({ platform: host.platform, env: host.env, home });
  const loaded = loadSettings(host, dirs.config, settingsChoice(options));
  if (!loaded.ok) throw new PraetorError(loaded.diagnostics[0] ?? { code: 'settings-invalid', message: 'the settings are invalid', fix: 'correct them' });
  const { evidence } = loaded.settings.hooks;
  const aim = aimOf(context, evidence, dirs.state);
  const empty = { records: 0, batches: 0, rejected: 0, dropped: 0, lost: false, more: false, seq: 0, files: [] };
  if (aim === undefined) return { exit: EXIT.ok, kind: 'evidence-export', body: { export: 'off', format: null, target: null, ...empty, bodies: null }, text: 'evidence export is off (hooks.evidence.export; --out or --endpoint for one run)', diagnostics: [], wrote: false };
  const hash = hashWith(keyOf(context));
  const isShown = options['dryRun'] === true;
  const result = await exportEvidence({
    host, receipts: dirs.receipts, directory: joinPath(host.platform, dirs.state, 'export-cursor'), format: aim.format, destination: isShown ? { kind: 'show' } : aim.destination,
    hostId: readInstallRecord(host, dataDirOf(host))?.hostId, context: { os: host.platform, hash, user: userOf(host, evidence.identity, hash) }, version: VERSION,
  });
  const { bodies, ...counts } = result;
  const kind = isShown ? 'shown' : aim.destination.kind;
  const target = aim.destination.kind === 'endpoint' ? aim.destination.endpoint.url : aim.destination.kind === 'files' ? aim.destination.directory : null;
  return {
    exit: EXIT.ok, kind: 'evidence-export', wrote: !isShown, diagnostics: [], body: { export: kind, format: aim.format, target, ...counts, bodies: isShown ? bodies : null },
    text: isShown ? bodies.join('') || 'nothing waits' : describe(result, aim),
  };
}
