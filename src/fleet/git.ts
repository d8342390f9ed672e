// Contract: the one way in which git is started. Arguments only, never a shell. Of the caller's environment git gets what finds
// programs, the home, credentials and proxies; no GIT_* variable of his. No hook, file system monitor, attribute file of the
// account, signature, lazy fetch, replacement object or prompt; protocols by list; time and output bounded. What git says is
// shown short and without credentials. Through the Host.
import type { FileStat, Host, SpawnResult } from '../host.ts';
import { PraetorError, type Code } from '../model/diagnostic.ts';

export const GIT_MS_MAX = 120_000;
export const GIT_BYTES_MAX = 4 * 1024 * 1024;
const SAID_CHARS_MAX = 300;

/** All that git needs of the machine. */
export interface GitHost extends Pick<Host, 'platform' | 'env' | 'spawn'> { readonly stat: (path: string) => Pick<FileStat, 'kind'> | undefined }

/** Where git works: a directory and, for a bare repository, its place. */
export interface GitPlace<H extends GitHost = Host> {
  readonly host: H;
  readonly cwd: string;
  readonly gitDir?: string;
}
type AnyPlace = GitPlace<GitHost>;

export interface GitOptions {
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** The configuration of the account and of the machine counts: credentials, proxies, who commits. Without it they are not read. */
  readonly account?: boolean;
  /** Further configuration for this call. */
  readonly config?: Readonly<Record<string, string>>;
  /** Author's and committer's date of what is committed, so that the same content becomes the same commit. */
  readonly date?: string;
  /** Another index than the repository's. */
  readonly index?: string;
  /** One character of the output for each byte. */
  readonly bytes?: boolean;
}

/** What git and its helpers (ssh, credential helpers, agents) need. Names are compared without case: Windows does not have it. */
const PASSED = new Set([
  'PATH', 'HOME', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES',
  'TMPDIR', 'TEMP', 'TMP', 'USER', 'LOGNAME', 'USERNAME',
]);
/** What only a call that speaks to a server needs: whatever a repository might have git start elsewhere gets no agent. */
const PASSED_TO_SERVERS = new Set([
  'XDG_CONFIG_HOME', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS', 'SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR',
]);

/** Variables by which a caller (a git hook, a rebase, a wrapper) has git read another repository, index or set of objects. */
const REDIRECTING = /^GIT_(?:DIR|WORK_TREE|IMPLICIT_WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|GRAFT_FILE|SHALLOW_FILE|REPLACE_REF_BASE|NAMESPACE|CONFIG(?:_.*)?|CEILING_DIRECTORIES|QUARANTINE_PATH|EXEC_PATH|ATTR_SOURCE)$/i;

/** Names of the variables in the caller's environment that would lead git elsewhere. */
export function redirectingVariables(host: Host): readonly string[] {
  return Object.keys(host.env).filter((name) => REDIRECTING.test(name) && host.env[name] !== undefined).sort();
}

const nothing = (host: GitHost): string => (host.platform === 'win32' ? 'NUL' : '/dev/null');

function environment(host: GitHost, options: GitOptions): Record<string, string> {
  const isPassed = (name: string): boolean => PASSED.has(name) || (options.account === true && PASSED_TO_SERVERS.has(name));
  const passed = Object.entries(host.env).flatMap(([name, value]) => (value !== undefined && isPassed(name.toUpperCase()) ? [[name, value] as const] : []));
  return {
    ...Object.fromEntries(passed),
    LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_NO_REPLACE_OBJECTS: '1', GIT_NO_LAZY_FETCH: '1', GIT_OPTIONAL_LOCKS: '0', GIT_ATTR_NOSYSTEM: '1', GIT_PAGER: 'cat', GIT_EDITOR: 'false',
    GIT_ALLOW_PROTOCOL: 'file:ssh:https',
    // ssh asks a program instead of the terminal, and that one has no answer.
    SSH_ASKPASS: 'false', SSH_ASKPASS_REQUIRE: 'force', GIT_ASKPASS: 'false',
    ...(options.account === true ? {} : { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: nothing(host) }),
    ...(options.index === undefined ? {} : { GIT_INDEX_FILE: options.index }),
    ...(options.date === undefined ? {} : { GIT_AUTHOR_DATE: options.date, GIT_COMMITTER_DATE: options.date }),
  };
}

const CONFIG: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false', 'core.autocrlf': 'false', 'commit.gpgSign': 'false', 'tag.gpgSign': 'false', 'push.gpgSign': 'false', 'gc.auto': '0', 'maintenance.auto': 'false',
  'submodule.recurse': 'false', 'fetch.recurseSubmodules': 'false', 'push.recurseSubmodules': 'no', 'push.followTags': 'false', 'diff.renames': 'false', 'merge.renames': 'false',
  'merge.directoryRenames': 'false', 'rerere.enabled': 'false', 'log.showSignature': 'false',
};

function configArgs(host: GitHost, options: GitOptions): string[] {
  const none = nothing(host);
  return Object.entries({ ...CONFIG, 'core.hooksPath': none, 'core.attributesFile': none, ...options.config }).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
}

/** Without the user and password of a URL, control characters and what is beyond a few lines. */
export function withoutCredentials(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^/\s@]*@/gi, '$1***@');
}

/** What git complained of: short, on one line, without credentials. */
export function gitSaid(result: SpawnResult): string {
  const lines = result.stderr.split('\n').map((line) => line.replace(/[^\x20-\x7e]+/g, ' ').trim()).filter((line) => line !== '' && !line.startsWith('hint:'));
  const text = withoutCredentials(lines.join('; ')).slice(0, SAID_CHARS_MAX);
  return text === '' ? 'without a word' : text;
}

const verb = (args: readonly string[]): string => args.find((word) => !word.startsWith('-')) ?? 'git';

function refuse(place: AnyPlace, code: Code, message: string, fix: string): PraetorError {
  return new PraetorError({ code, where: { path: place.gitDir ?? place.cwd }, message, fix });
}

/** Runs git and gives back how it ended. Throws only where git could not be run, or not within its bounds. */
export function runGit(place: AnyPlace, args: readonly string[], options: GitOptions = {}): SpawnResult {
  const { host, cwd, gitDir } = place;
  const [timeoutMs, maxBytes] = [options.timeoutMs ?? GIT_MS_MAX, options.maxBytes ?? GIT_BYTES_MAX];
  if (host.stat(cwd)?.kind !== 'dir') throw refuse(place, 'git-failed', 'there is no such directory', 'name a directory that exists');
  const result = host.spawn('git', [...configArgs(host, options), ...(gitDir === undefined ? [] : [`--git-dir=${gitDir}`]), ...args], {
    env: environment(host, options), cwd, timeoutMs, maxBytes, ...(options.input === undefined ? {} : { input: options.input }), ...(options.bytes === true ? { encoding: 'latin1' as const } : {}),
  });
  if (result.failure === 'ETIMEDOUT') throw refuse(place, 'git-bounds', `git ${verb(args)} did not end within ${timeoutMs / 1000} s`, 'check the connection and whether the server asks for a password: git ls-remote');
  if (result.failure === 'ENOBUFS') throw refuse(place, 'git-bounds', `git ${verb(args)} said more than ${maxBytes} bytes`, 'the repository is larger than it may be for this command');
  // EPIPE: git did not read its input to the end. Its exit code says whether that is a fault.
  if (result.failure !== undefined && result.failure !== 'EPIPE') throw refuse(place, 'git-unavailable', `git could not be started (${result.failure})`, 'install git 2.38 or later and put it on PATH');
  if (result.signal !== null) throw refuse(place, 'git-failed', `git ${verb(args)} was ended by ${result.signal}`, 'run the command again');
  return result;
}

/** The standard output of a call that must end well. */
export function git(place: AnyPlace, args: readonly string[], options: GitOptions = {}): string {
  const result = runGit(place, args, options);
  if (result.code === 0) return result.stdout;
  throw refuse(place, 'git-failed', `git ${verb(args)} failed (exit ${String(result.code)}): ${gitSaid(result)}`, 'correct what git names, then run the command again');
}

/** The first line of such a call. */
export function gitLine(place: GitPlace, args: readonly string[], options: GitOptions = {}): string {
  return git(place, args, options).split('\n')[0] ?? '';
}

/** Such a call's output in fields that end with NUL. */
export function gitFields(place: GitPlace, args: readonly string[], options: GitOptions = {}): readonly string[] {
  const fields = git(place, args, options).split('\0');
  return fields[fields.length - 1] === '' ? fields.slice(0, -1) : fields;
}

/** An object's content, byte for byte. */
export function gitBlob(place: GitPlace, name: string, maxBytes: number = GIT_BYTES_MAX): Uint8Array {
  return Buffer.from(git(place, ['cat-file', 'blob', name], { bytes: true, maxBytes }), 'latin1');
}

/** Such contents of many objects, in the order of their names. */
export function gitBlobs(place: GitPlace, names: readonly string[], maxBytes: number): readonly Uint8Array[] {
  const out = Buffer.from(git(place, ['cat-file', '--batch'], { bytes: true, maxBytes, input: names.map((name) => `${name}\n`).join('') }), 'latin1');
  let at = 0;
  return names.map((name) => {
    const line = out.subarray(at, out.indexOf(10, at)).toString('latin1');
    const size = Number(/^[0-9a-f]{40} blob (\d+)$/.exec(line)?.[1] ?? Number.NaN);
    const start = at + line.length + 1;
    if (Number.isNaN(size) || start + size > out.length) throw refuse(place, 'git-failed', `git has no content of ${name.slice(0, 60)}`, 'git fsck, then make a fresh clone');
    at = start + size + 1;
    return out.subarray(start, start + size);
  });
}

const FULL_SHA = /^[0-9a-f]{40}$/;

/** The full id of a commit, or undefined where the name leads to none. */
export function commitOf(place: GitPlace, name: string): string | undefined {
  const result = runGit(place, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  const id = result.stdout.trim();
  return result.code === 0 && FULL_SHA.test(id) ? id : undefined;
}

/** True where the first commit is in the history of the second, or the same. */
export function isAncestor(place: GitPlace, ancestor: string, descendant: string): boolean {
  const result = runGit(place, ['merge-base', '--is-ancestor', ancestor, descendant]);
  if (result.code === 0 || result.code === 1) return result.code === 0;
  throw refuse(place, 'git-failed', `the history between two commits cannot be read: ${gitSaid(result)}`, 'git fetch, then run the command again');
}

const refsArgs = (remote: string, refs: readonly string[]): readonly string[] => ['ls-remote', '--refs', '--', remote, ...refs];

/**
 * The call of remoteRefs() for a shell: names of variables that are passed, variables that are set, words. Without the configuration for
 * calls that have a working tree or write something: ls-remote reads none of it, and every word costs.
 */
export function refsCall(host: GitHost, remote: string, refs: readonly string[]): { readonly passed: readonly string[]; readonly set: Readonly<Record<string, string>>; readonly args: readonly string[] } {
  const names = [...PASSED, ...PASSED_TO_SERVERS];
  const { platform, stat, spawn } = host;
  return { passed: [...names, ...names.filter((name) => name.endsWith('_PROXY')).map((name) => name.toLowerCase())], set: environment({ platform, stat, spawn, env: {} }, { account: true }), args: refsArgs(remote, refs) };
}

/** The ids of the named references on a server; those that are not there are left out. */
export function remoteRefs(place: AnyPlace, remote: string, refs: readonly string[]): ReadonlyMap<string, string> {
  const text = git(place, refsArgs(remote, refs), { account: true });
  const found = text.split('\n').flatMap((line) => {
    const [id = '', name = ''] = line.split('\t');
    return FULL_SHA.test(id) && refs.includes(name) ? [[name, id] as const] : [];
  });
  return new Map(found);
}
