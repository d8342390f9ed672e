// Contract: `praetorctl fixtures redact DIR --out DIR`: recordings of the hook's record mode in, captures that can be committed
// out. Nothing is written over, and the recordings stay as they are.
import { hostErrorCode, type Host } from '../host.ts';
import { EXIT, PraetorError, type Diagnostic } from '../model/diagnostic.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { joinPath } from '../roots/paths.ts';
import { captureName, redactor } from '../verify/redact.ts';
import { VERSION, type Outcome } from './output.ts';
import type { CommandContext } from './program.ts';

const RECORDING_BYTES_MAX = 8 * 1024 * 1024;
const FILES_MAX = 10_000;

interface Recording { readonly client: string; readonly event: string; readonly document: JsonObject }

function read(host: Host, path: string): Recording | undefined {
  try {
    const outer: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(host.readFile(path, RECORDING_BYTES_MAX)));
    if (!isObject(outer) || outer['v'] !== 1 || typeof outer['client'] !== 'string' || typeof outer['event'] !== 'string' || typeof outer['stdin'] !== 'string') return undefined;
    const document: unknown = JSON.parse(outer['stdin']);
    return isObject(document) ? { client: outer['client'], event: outer['event'], document } : undefined;
  } catch {
    return undefined;
  }
}

function names(host: Host, directory: string): readonly string[] {
  try {
    return host.readDir(directory).filter((name) => name.endsWith('.json')).slice(0, FILES_MAX);
  } catch (error) {
    throw new PraetorError({ code: 'unreadable', where: { path: directory }, message: `the recordings cannot be read (${hostErrorCode(error) ?? 'unknown'})`, fix: 'name the directory of PRAETORCTL_HOOK_RECORD_DIR' }, error);
  }
}

function write(host: Host, path: string, document: JsonObject): void {
  try {
    host.writeNew(path, new TextEncoder().encode(`${JSON.stringify(document, null, 2)}\n`), 0o644);
  } catch (error) {
    const taken = hostErrorCode(error) === 'EEXIST';
    throw new PraetorError({ code: 'write-failed', where: { path }, message: taken ? 'the capture is there already' : 'the capture could not be written', fix: taken ? 'name an empty directory with --out' : 'make the directory of --out writable' }, error);
  }
}

export function fixturesRedact(context: CommandContext): Outcome {
  const { io: { host }, args, options } = context;
  const absolute = (path: string): string => (/^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path) ? path : joinPath(host.platform, host.cwd, path));
  const from = absolute(args[0] ?? '.');
  const out = absolute(String(options['out']));
  const redact = redactor();
  const used = new Map<string, number>();
  const written: string[] = [];
  const skipped: string[] = [];
  const recordings = names(host, from);
  if (host.stat(out) === undefined) host.mkdir(out, 0o755);
  for (const name of recordings) {
    const found = read(host, joinPath(host.platform, from, name));
    if (found === undefined) {
      skipped.push(name);
      continue;
    }
    const base = captureName(found.client, found.event, found.document);
    const n = (used.get(base) ?? 0) + 1;
    used.set(base, n);
    const capture = `${base}${n === 1 ? '' : `.${n}`}.json`;
    write(host, joinPath(host.platform, out, capture), redact(found.document));
    written.push(capture);
  }
  const diagnostics: Diagnostic[] = skipped.length === 0 ? [] : [{ code: 'note', severity: 'warning', message: `${skipped.length} file(s) are no recording of one JSON document and were left out`, fix: 'look at them by hand: they hold what the client sent' }];
  const text = [...written, `redact: ${written.length} written, ${skipped.length} left out (praetorctl ${VERSION}). Read every capture before you commit it.`].join('\n');
  return { exit: written.length === 0 ? EXIT.no : EXIT.ok, kind: 'fixtures', body: { written, skipped }, text, diagnostics, wrote: true };
}
