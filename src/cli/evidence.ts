// Contract: `praetorctl evidence export`: settings and flags -> one export run. What is off stays off; the key of the fleet and credentials are named
// by file or variable, never given.
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
import { hashedUser, keyedHash, userName } from './evidence-key.ts';
import { absolutePath } from './policy-input.ts';
import { VERSION, type Outcome } from './output.ts';
import type { CommandContext } from './program.ts';
import { settingsChoice, text } from './settings-options.ts';

const usage = (message: string, fix: string): PraetorError => new PraetorError({ code: 'usage', message, fix });

function userOf(host: Host, identity: Settings['hooks']['evidence']['identity'], hash: KeyedHash): string | undefined {
  return identity === 'off' ? undefined : identity === 'plain' ? userName(host) : hashedUser(host, hash);
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
  const hash = keyedHash(context, evidence);
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
