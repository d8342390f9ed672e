// Contract: what `policy test` and `policy explain` are asked about: a command line, or a payload as a client sends it. Options
// in, a typed question out; combinations that mean nothing are refused.
import * as path from 'node:path';
import { DIALECTS, dialectFor } from '../clients/dialects.ts';
import type { HookDialect } from '../clients/dialect-kit.ts';
import { hostErrorCode, type Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { CANONICAL_EVENTS, isCanonicalEvent, type CanonicalEvent } from '../model/events.ts';
import type { Payload } from '../model/payload.ts';
import type { CommandContext } from './program.ts';
import { text } from './settings-options.ts';

/** The hook's own bound for a document on standard input. */
export const INPUT_BYTES_MAX = 4 * 1024 * 1024;

export type Question =
  | { readonly kind: 'command'; readonly command: string; readonly payload: Payload }
  | { readonly kind: 'payload'; readonly dialect: HookDialect; readonly event: CanonicalEvent; readonly document: unknown };

const usage = (message: string, fix: string): PraetorError => new PraetorError({ code: 'usage', message, fix });
export function absolutePath(host: Pick<Host, 'cwd' | 'platform'>, given: string): string {
  return (host.platform === 'win32' ? path.win32 : path.posix).resolve(host.cwd, given);
}

/** A word as a POSIX shell would need it to be written, so that several words become one command line again. */
export function shellWord(word: string): string {
  return word !== '' && /^[A-Za-z0-9_@%+=:,./~^-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** One argument is a command line as it stands; several are the words of one. */
export function commandLine(words: readonly string[]): string {
  return words.length === 1 ? words[0] ?? '' : words.map(shellWord).join(' ');
}

export interface Where { readonly workspace: string; readonly cwd: string | undefined }

/** The workspace is the current directory unless named; the command runs in it unless --cwd names another. */
export function whereOf({ options, io }: CommandContext): Where {
  const [workspace, cwd] = [text(options['workspace']), text(options['cwd'])];
  return {
    workspace: workspace === undefined ? io.host.cwd : absolutePath(io.host, workspace),
    cwd: cwd === undefined ? undefined : absolutePath(io.host, cwd),
  };
}

/** A shell call of no particular client. */
export function shellPayload(command: string, { workspace, cwd }: Where): Payload {
  return {
    client: 'policy', event: 'pre-tool', workspace, stopActive: false, subagent: false, caller: 'unknown',
    tool: { name: 'shell', kind: 'shell', command, input: { command }, ...(cwd === undefined ? {} : { cwd }) },
  };
}

export function readText(host: Host, given: string, bytesMax: number): string {
  const file = absolutePath(host, given);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(host.readFile(file, bytesMax));
  } catch (error) {
    const code = hostErrorCode(error);
    const why = code === 'EFBIG' ? `is larger than ${bytesMax / 1024 / 1024} MiB` : code === 'ENOENT' ? 'does not exist' : error instanceof TypeError ? 'is not UTF-8' : 'cannot be read';
    throw new PraetorError({ code: code === 'ENOENT' ? 'usage' : 'unreadable', where: { path: file }, message: `the file ${why}`, fix: 'name a readable text file' }, error);
  }
}

async function standardInput({ io }: CommandContext): Promise<string> {
  if (io.stdin === undefined) throw usage('there is no standard input', 'give the command line as an argument');
  const read = await io.stdin(INPUT_BYTES_MAX);
  if (read === undefined) throw usage(`standard input holds more than ${INPUT_BYTES_MAX / 1024 / 1024} MiB`, 'give a shorter text');
  return read;
}

function payloadQuestion(file: string, { options, io }: CommandContext): Question {
  const as = text(options['as']);
  if (as === undefined) throw usage('--payload needs --as', `say whose payload it is: --as ${DIALECTS.map((d) => d.id).join('|')}`);
  const dialect = dialectFor(as);
  if (dialect === undefined) throw new PraetorError({ code: 'unknown-client', message: `unknown client "${as.slice(0, 40)}"`, fix: `use one of ${DIALECTS.map((d) => d.id).join(', ')}` });
  const event = text(options['event']) ?? 'pre-tool';
  if (!isCanonicalEvent(event)) throw new PraetorError({ code: 'unknown-event', message: `unknown event "${event.slice(0, 40)}"`, fix: `use one of ${CANONICAL_EVENTS.join(', ')}` });
  const source = readText(io.host, file, INPUT_BYTES_MAX);
  try {
    return { kind: 'payload', dialect, event, document: JSON.parse(source) as unknown };
  } catch (error) {
    throw new PraetorError({ code: 'usage', where: { path: absolutePath(io.host, file) }, message: 'the file does not hold one JSON document', fix: 'give the document as the client sends it to a hook' }, error);
  }
}

/** Exactly one source: words, --stdin or --payload. */
export async function questionOf(context: CommandContext): Promise<Question> {
  const { options, args } = context;
  const file = text(options['payload']);
  const sources = [args.length > 0, options['stdin'] === true, file !== undefined].filter(Boolean).length;
  if (sources !== 1) {
    throw usage(sources === 0 ? 'there is no command line to judge' : 'give a command line, --stdin or --payload, not more than one of them', 'praetorctl policy test -- git push --force');
  }
  if (file !== undefined) {
    if (options['cwd'] !== undefined || options['workspace'] !== undefined) throw usage('--cwd and --workspace do not go with --payload: the payload names its directory', 'leave them out');
    return payloadQuestion(file, context);
  }
  if (options['as'] !== undefined || options['event'] !== undefined) throw usage('--as and --event belong to --payload', 'leave them out, or give a payload');
  // The shell that would run the line does not see the line end either.
  const command = options['stdin'] === true ? (await standardInput(context)).replace(/\r?\n$/, '') : commandLine(args);
  if (command.trim() === '') throw usage('the command line is empty', 'praetorctl policy test -- git push --force');
  return { kind: 'command', command, payload: shellPayload(command, whereOf(context)) };
}
