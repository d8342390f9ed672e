// Contract: `praetorctl clients report --html FILE`: what verify sees as one page that needs nothing besides itself. The file is
// replaced whole or not at all, with mode 0600 (it names paths and versions); one that is no report of ours is never written over.
import { hostErrorCode, type Host } from '../host.ts';
import { EXIT, PraetorError } from '../model/diagnostic.ts';
import { putFile, toBytes } from '../clientsetup/statefiles.ts';
import { rootContext } from '../roots/context.ts';
import { gatherReport, type Report } from '../verify/report.ts';
import { requestOf } from './clients.ts';
import { styleFor, VERSION, type Outcome } from './output.ts';
import { absolutePath } from './policy-input.ts';
import type { CommandContext } from './program.ts';
import { extentOf } from './report-plot.ts';
import { PAGE_HEAD, reportPage } from './report-page.ts';
import { tilde } from './style.ts';

function refuse(path: string, message: string, fix: string, cause?: unknown): PraetorError {
  return new PraetorError({ code: 'foreign-entry', where: { path }, message, fix }, cause);
}

/** Only a name that is free, or a report of ours, may be taken. */
function checkTarget(host: Host, path: string): void {
  const fix = 'name another file';
  try {
    const stat = host.lstat(path);
    if (stat === undefined) return;
    if (stat.kind !== 'file') throw refuse(path, 'there is something else than a regular file', fix);
    const head = new TextDecoder().decode(host.readAt(path, 0, PAGE_HEAD.length));
    if (head !== PAGE_HEAD) throw refuse(path, 'there is a file that is no report of praetorctl', fix);
  } catch (error) {
    if (error instanceof PraetorError) throw error;
    throw refuse(path, 'there is something that cannot be read', fix, error);
  }
}

function write(host: Host, path: string, page: string): void {
  try {
    putFile(host, path, toBytes(page));
  } catch (error) {
    throw new PraetorError({ code: 'write-failed', where: { path }, message: `the report could not be written (${hostErrorCode(error) ?? 'unknown'})`, fix: 'name a file in a directory that is there and that you may write to' }, error);
  }
}

function bodyOf(path: string, { verified, proofs, proofsUnread, history, gaps }: Report): Record<string, unknown> {
  return { html: path, clients: verified.clients, pendingRuns: verified.pendingRuns, proofs, proofsUnread, history, gaps };
}

export function clientsReport(context: CommandContext): Outcome {
  const { io, options, global } = context;
  const { host } = io;
  const given = options['html'];
  if (typeof given !== 'string' || given === '') throw new PraetorError({ code: 'usage', message: '--html names no file', fix: 'praetorctl clients report --html report.html' });
  const path = absolutePath(host, given);
  checkTarget(host, path);
  const { clients, scope, documents } = requestOf(context, 'apply');
  const report = gatherReport(host, { clients, scope, require: 'observed', ...(documents === undefined ? {} : { documents }) });
  const style = styleFor(io, global, rootContext(host).home);
  write(host, path, reportPage(report, { version: VERSION, look: style, sha256Base64: (text) => base64Of(host.sha256(text)) }));
  const all = report.verified.clients.length;
  return {
    exit: EXIT.ok, kind: 'clients-report', body: bodyOf(path, report), wrote: true, diagnostics: report.verified.diagnostics,
    text: `report: ${all} client${all === 1 ? '' : 's'} in ${tilde(style, path)}\n${extentOf(report.history)}`,
  };
}

function base64Of(hex: string): string {
  return btoa(String.fromCharCode(...(hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))));
}
