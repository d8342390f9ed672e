// Contract: what the new version itself says of its settings before the switch, and of the clients' files after it. It is asked as a
// process of its own, because only it knows its own keys and rows. Through Host.
import { isObject } from '../model/json.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { configDir, homeOf } from '../roots/own-dirs.ts';
import { joinPath } from '../roots/paths.ts';
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

function errorsOf(document: Asked['document']): readonly Diagnostic[] {
  const list = document?.['diagnostics'];
  return Array.isArray(list) ? (list as Diagnostic[]).filter((one) => one.severity === 'error') : [];
}

type Told = Pick<Diagnostic, 'message' | 'where'>;

/** With the file and the line, where they are known. */
export function placed({ message, where }: Told): string {
  return where?.path === undefined ? message : `${where.path}${where.line === undefined ? '' : `:${where.line}`}: ${message}`;
}

export const ownSettingsNote = (own: Told): string => `settings-invalid: ${placed(own)}; this is a document of this workstation and not of the version: hooks go on with the policy that was compiled last`;

export interface SettingsSaid {
  /** The first reason for which the version's documents cannot be taken. */
  readonly refusal: Diagnostic | undefined;
  /** What is wrong with the person's own document by itself: no fault of the version, and no reason to stay behind. */
  readonly own: Diagnostic | undefined;
}

/** What this version says of the layers with its operator files. A version without that command has no layers. */
export async function checkSettings(station: Station, directory: string): Promise<SettingsSaid> {
  const { exit, document } = await ask(station, directory, ['settings', 'check', '--settings-of', directory]);
  const errors = exit === 0 || exit === 3 ? [] : errorsOf(document).filter(({ code }) => code !== 'usage');
  const path = joinPath(station.host.platform, configDir({ platform: station.host.platform, env: station.host.env, home: homeOf(station.host) }), 'settings.yaml');
  const isOwn = ({ code, where }: Diagnostic): boolean => where?.path === path && (code === 'settings-invalid' || code === 'settings-unreadable');
  return { refusal: errors.find((one) => !isOwn(one)), own: errors.find(isOwn) };
}

/** The index that hooks read is compiled by the version that is current now: its operator's documents are in force from then on. */
export async function compileSettings(station: Station, directory: string): Promise<readonly string[]> {
  const { exit, document } = await ask(station, directory, ['policy', 'compile']);
  return document !== undefined && exit !== 0 ? [`the policy could not be compiled by this version: ${errorsOf(document).map(placed)[0] ?? 'praetorctl policy compile says why'}`] : [];
}

/** Differences in clients' files are reported, never written. */
export async function settlePlan(station: Station, directory: string): Promise<readonly string[]> {
  const compiled = await compileSettings(station, directory);
  const plan = await ask(station, directory, ['clients', 'plan']);
  return [...compiled, ...(plan.exit === 3 ? ['the files of clients differ from what this version would write: praetorctl clients plan'] : [])];
}
