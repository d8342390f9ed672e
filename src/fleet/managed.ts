// Contract: what an administrator puts onto machines so that clients call us whatever a person's files say: one file for each client's
// managed channel, a manifest that says what each is stronger and weaker than, and outlines for Ansible, Intune and Jamf. Nothing here
// writes a file that belongs to root. Same input, same bytes. PURE.
import { hasHooks } from '../clients/mcp-only.ts';
import { companionContent, MANAGED_LAUNCHERS, managedContent, managedProgram, managedSurface, type ManagedContent, type MergeStep } from '../clientsetup/managed.ts';
import type { CanonicalEvent } from '../model/events.ts';
import type { ClientDefinition, Fact, Platform } from '../model/client.ts';
import { PraetorError } from '../model/diagnostic.ts';
import type { JsonObject } from '../model/json.ts';
import type { ManagedDomain, ManagedFile } from '../model/managed.ts';
import { sha256Hex } from '../model/sha256.ts';
import { ansibleTasks, intuneDetect, intuneRemediate, jamfProfile, readme } from './managed-deploy.ts';

export const MANAGED_OS = ['linux', 'macos', 'windows'] as const;
export type ManagedOs = typeof MANAGED_OS[number];
export const PLATFORM_OF_OS: Readonly<Record<ManagedOs, Platform>> = { linux: 'linux', macos: 'darwin', windows: 'win32' };

export const MANAGED_MANIFEST = 'manifest.json';
const SCHEMA = 'praetor.managed/1';

/** One file of one client on the machines. */
export interface ManagedRow {
  readonly client: string;
  readonly dest: string;
  /** Below the output directory. */
  readonly source: string;
  readonly mode: string;
  readonly owner: string;
  readonly sha256: string;
  /** `refuse`: others may keep things in it, so it is put only where none stands; `merge` says what to add to one. */
  readonly ifPresent: 'replace' | 'refuse';
  readonly merge: readonly MergeStep[];
  readonly basis: Fact;
  readonly winsOver: Fact;
  readonly blockedBy: readonly Fact[];
  readonly verify: string;
}

export interface ManagedProfile { readonly client: string; readonly domain: string; readonly source: string; readonly basis: Fact }

export interface ManagedLauncher { readonly path: string; readonly registeredAs: string; readonly why: string }

export interface ManagedOutput {
  readonly os: ManagedOs;
  readonly launcher: ManagedLauncher;
  readonly rows: readonly ManagedRow[];
  readonly profiles: readonly ManagedProfile[];
  /** Clients with hooks for which nothing can be put onto these machines. */
  readonly none: readonly { readonly client: string; readonly why: Fact }[];
  /** By path with `/`; the manifest is the last one. */
  readonly files: ReadonlyMap<string, string>;
}

export interface ManagedInput {
  readonly os: ManagedOs;
  readonly clients: readonly ClientDefinition[];
  readonly events: ReadonlySet<CanonicalEvent>;
  /** Where the machine-wide launcher stands; undefined: the usual place. */
  readonly launcher: string | undefined;
}

const OWNER: Readonly<Record<ManagedOs, string>> = { linux: 'root:root', macos: 'root:wheel', windows: 'SYSTEM and Administrators; Users read' };

function launcherOf({ os, launcher }: ManagedInput): ManagedLauncher {
  const platform = PLATFORM_OF_OS[os];
  const path = launcher ?? MANAGED_LAUNCHERS[platform];
  const plain = platform === 'win32' ? /^[A-Za-z]:\\[^"%<>|\u0000-\u001f]+$/ : /^\/[A-Za-z0-9._/+-]+$/;
  if (!plain.test(path)) {
    throw new PraetorError({ code: 'usage', message: 'the launcher is not an absolute path without characters that a shell reads', fix: `--launcher ${MANAGED_LAUNCHERS[platform]}` });
  }
  return {
    path, registeredAs: managedProgram(platform, path),
    why: platform === 'win32'
      ? 'bare words, because no spelling of a path with blanks is a command in cmd, PowerShell and Git Bash alike: its directory must stand on the PATH of the machine, which comes before that of a person'
      : 'an absolute path, because a bare word would be looked for on the PATH of each person; it must be there for every user before the files are',
  };
}

interface Made { readonly row: ManagedRow; readonly text: string; readonly document: JsonObject; readonly domain: ManagedDomain | undefined }

const baseName = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);

/** Why nothing can be put onto these machines for a client. */
function noneFor(client: ClientDefinition): Fact {
  if (client.managed === undefined) return { text: 'no managed channel that takes hooks is known', basis: 'unknown' };
  return 'none' in client.managed ? client.managed.none : { text: 'its place on this system is in no document', basis: 'unknown' };
}

/** The first file of a client and those without which it is not read. */
function make(client: ClientDefinition, input: ManagedInput, program: string): readonly Made[] {
  const platform = PLATFORM_OF_OS[input.os];
  const surface = managedSurface(client);
  const file = surface?.file(platform);
  if (surface === undefined || file === undefined) return [];
  const one = (place: ManagedFile, { text, document, merge }: ManagedContent, domain: ManagedDomain | undefined): Made => ({
    text, document, domain,
    row: {
      client: client.id, dest: place.path, source: `files/${client.id}/${baseName(place.path)}`, mode: '0644', owner: OWNER[input.os], sha256: sha256Hex(text),
      ifPresent: place.shared ? 'refuse' : 'replace', merge: place.shared ? merge : [], basis: place.basis, winsOver: surface.winsOver, blockedBy: surface.blockedBy,
      verify: `praetorctl clients verify --client ${client.id} --require installed`,
    },
  });
  const events = client.hooks.events.filter(({ canonical }) => input.events.has(canonical));
  return [one(file, managedContent(client, file, events, program), surface.domain), ...(surface.also?.(platform) ?? []).map((place) => one(place, companionContent(place), undefined))];
}

function profiles(made: readonly Made[]): readonly (ManagedProfile & { readonly text: string })[] {
  return made.flatMap(({ row, text, document, domain }) => (domain === undefined ? [] : [{
    client: row.client, domain: domain.domain, source: `jamf/${domain.domain}.mobileconfig`, basis: domain.basis, text: jamfProfile(domain, document, text),
  }]));
}

function deployFiles(os: ManagedOs, launcher: ManagedLauncher, made: readonly Made[]): Record<string, string> {
  const rows = made.map(({ row }) => row);
  if (os === 'windows') return { 'intune/detect.ps1': intuneDetect(launcher, rows), 'intune/remediate.ps1': intuneRemediate(launcher, made) };
  return { 'ansible/tasks/main.yml': ansibleTasks(os, launcher, rows), ...Object.fromEntries(made.map(({ row, text }) => [`ansible/${row.source}`, text])) };
}

function manifestText({ os, launcher, rows, none }: Omit<ManagedOutput, 'files'>, shownProfiles: readonly ManagedProfile[], files: ReadonlyMap<string, string>): string {
  const outputs = Object.fromEntries([...files].map(([path, text]) => [path, sha256Hex(text)]));
  return `${JSON.stringify({ schema: SCHEMA, os, launcher, files: rows, profiles: shownProfiles, none, outputs }, null, 2)}\n`;
}

/** Digest by path of what an earlier run wrote. Undefined where it is no manifest of ours. */
export function parseManagedManifest(text: string): ReadonlyMap<string, string> | undefined {
  try {
    const value = JSON.parse(text) as { schema?: unknown; outputs?: unknown };
    if (value.schema !== SCHEMA || typeof value.outputs !== 'object' || value.outputs === null) return undefined;
    return new Map(Object.entries(value.outputs).map(([path, digest]) => [path, String(digest)]));
  } catch {
    return undefined;
  }
}

export function renderManaged(input: ManagedInput): ManagedOutput {
  const { os } = input;
  const launcher = launcherOf(input);
  const hooked = input.clients.filter(hasHooks).sort((a, b) => (a.id < b.id ? -1 : 1));
  const all = hooked.map((client) => ({ client, made: make(client, input, launcher.registeredAs) }));
  const made = all.flatMap((one) => one.made);
  const rows = made.map(({ row }) => row);
  const none = all.filter((one) => one.made.length === 0).map(({ client }) => ({ client: client.id, why: noneFor(client) }));
  const withText = os === 'macos' ? profiles(made) : [];
  const shownProfiles = withText.map(({ text: _text, ...profile }): ManagedProfile => profile);
  const base = { os, launcher, rows, profiles: shownProfiles, none };
  const content = new Map(Object.entries({
    'README.md': readme(base), ...Object.fromEntries(made.map(({ row, text }) => [row.source, text])), ...deployFiles(os, launcher, made),
    ...Object.fromEntries(withText.map(({ source, text }) => [source, text])),
  }).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...base, files: new Map([...content, [MANAGED_MANIFEST, manifestText(base, shownProfiles, content)]]) };
}
