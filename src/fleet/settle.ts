// Contract: what the new version itself says of its settings before the switch, and of the clients' files after it. It is asked as a
// process of its own, because only it knows its own keys and rows. Through Host.
import { isObject } from '../model/json.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Station } from './station.ts';
import { programOf } from './versions.ts';

const ASK_MS_MAX = 30_000;
const ASK_BYTES_MAX = 4 * 1024 * 1024;

interface Asked { readonly exit: number | null; readonly document: Readonly<Record<string, unknown>> | undefined }

async function ask({ host, node, home }: Station, directory: string, words: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Asked> {
  const env = Object.fromEntries(Object.entries(host.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const ran = await host.start(node, [programOf(host, directory), ...words, '--json'], { env: { ...env, ...more }, cwd: home === '' ? directory : home, timeoutMs: ASK_MS_MAX, maxBytes: ASK_BYTES_MAX });
  try {
    const value: unknown = JSON.parse(ran.stdout);
    return { exit: ran.code, document: isObject(value) ? value : undefined };
  } catch {
    return { exit: ran.code, document: undefined };
  }
}

function firstError(document: Asked['document']): Diagnostic | undefined {
  const list = document?.['diagnostics'];
  return Array.isArray(list) ? (list as Diagnostic[]).find((one) => one.severity === 'error') : undefined;
}

/** The first reason for which the layers cannot be put together with this version's operator files. A version without that command has no layers. */
export async function checkSettings(station: Station, directory: string): Promise<Pick<Diagnostic, 'message' | 'fix'> | undefined> {
  const { exit, document } = await ask(station, directory, ['settings', 'check', '--settings-of', directory]);
  const error = firstError(document);
  return exit === 0 || exit === 3 || error === undefined || error.code === 'usage' ? undefined : error;
}

/** The index that hooks read is compiled by the version that is current now: its operator's documents are in force from then on. */
export async function compileSettings(station: Station, directory: string): Promise<readonly string[]> {
  const { exit, document } = await ask(station, directory, ['policy', 'compile']);
  return document !== undefined && exit !== 0 ? [`the policy could not be compiled by this version: ${firstError(document)?.message ?? 'praetorctl policy compile says why'}`] : [];
}

/** Differences in clients' files are reported, never written. */
export async function settlePlan(station: Station, directory: string): Promise<readonly string[]> {
  const compiled = await compileSettings(station, directory);
  const plan = await ask(station, directory, ['clients', 'plan']);
  return [...compiled, ...(plan.exit === 3 ? ['the files of clients differ from what this version would write: praetorctl clients plan'] : [])];
}
