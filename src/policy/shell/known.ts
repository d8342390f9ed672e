// Contract: names that the reading of a command needs: programs that fetch, that decode, that print settings for `eval`, and
// programs that a pattern in command position may stand for. PURE, data.
import type { Effective } from '../types.ts';
import { DECODERS } from './output.ts';

const FETCHERS: ReadonlySet<string> = new Set(['curl', 'wget', 'fetch', 'http', 'https', 'httpie', 'xh', 'aria2c', 'nc', 'ncat', 'netcat', 'socat', 'telnet', 'ftp', 'lftp', 'scp', 'sftp', 'lynx', 'w3m', 'links', 'dig', 'nslookup', 'host', 'iwr', 'irm', 'invoke-webrequest', 'invoke-restmethod', 'gh', 'aws', 'gsutil', 'ssh']);

export function isFetcher({ program }: Effective): boolean {
  return FETCHERS.has(program);
}

/** printf and awk only compose: what they print is known or visible. */
const COMPOSERS: ReadonlySet<string> = new Set(['printf', 'awk', 'python', 'python3', 'perl', 'ruby']);

export function isDecoder({ program }: Effective): boolean {
  return DECODERS.has(program) && !COMPOSERS.has(program);
}

const SETTINGS_WORDS: ReadonlySet<string> = new Set(['init', 'hook', 'env', 'shellenv', 'completion', 'completions', 'activate', 'docker-env', 'podman-env', 'shell', 'shell.bash', 'shell.zsh', '-s', '-c', '--alias', '-k', 'export', 'export-credentials', 'agent', 'generate-shell-completion', 'config', 'env-vars', '-', '--shell', '--bash', 'bash', 'zsh']);
const PRINTERS: ReadonlySet<string> = new Set(['ssh-agent', 'dircolors', 'lesspipe', 'lesspipe.sh', 'gpg-agent', 'keychain', 'direnv', 'resize', 'tset', 'register-python-argcomplete', 'locale', 'gnome-keyring-daemon', 'dbus-launch', 'perl', 'brew']);

/** `eval "$(ssh-agent -s)"`, `eval "$(pyenv init -)"`: programs that print settings for the shell that asks. */
export function printsSettings(effective: Effective): boolean {
  if (isFetcher(effective) || effective.unresolved !== '') return false;
  if (PRINTERS.has(effective.program)) return effective.program !== 'perl' || effective.args.some(({ text }) => text.startsWith('-Mlocal::lib') || text.startsWith('-I'));
  if (isDecoder(effective) || READERS.has(effective.program) || effective.program === 'echo' || effective.program === 'printf') return false;
  return effective.args.some(({ text, dynamic }) => !dynamic && SETTINGS_WORDS.has(text));
}

/** Programs that only show files of the machine: piping them into a shell runs a file that could be run directly. */
const READERS: ReadonlySet<string> = new Set(['cat', 'head', 'tail', 'tac', 'bat', 'pv', 'less', 'more', 'envsubst', 'true', ':', 'sleep']);

export function isReader({ program }: Effective): boolean {
  return READERS.has(program);
}

/** Programs that some rule looks at; the registry gives them. */
let judged: () => readonly string[] = () => [];

export function setJudgedPrograms(names: () => readonly string[]): void {
  judged = names;
}

const GLOBBED_MAX = 24;

/** Judged programs that the pattern `r?`, `g*t`, `[r]m` fits. */
export function globPrograms(pattern: string): readonly string[] {
  const out: string[] = [];
  for (const name of judged()) {
    if (out.length < GLOBBED_MAX && fits(pattern, name)) out.push(name);
  }
  return out;
}

/** `?`, `*` and `[...]`, matched without backtracking over more than one star at a time. */
export function fits(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let mark = 0;
  while (t < text.length) {
    const unit = p < pattern.length ? unitAt(pattern, p) : undefined;
    if (unit === '*') { star = p++; mark = t; }
    else if (unit !== undefined && accepts(unit, text[t] ?? '')) { p += unit.length; t++; }
    else if (star !== -1) { p = star + 1; t = ++mark; }
    else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

function unitAt(pattern: string, at: number): string {
  if (pattern[at] !== '[') return pattern[at] ?? '';
  const end = pattern.indexOf(']', at + 2);
  return end === -1 ? '[' : pattern.slice(at, end + 1);
}

function accepts(unit: string, c: string): boolean {
  if (unit.length === 1) return unit === '?' || unit === c;
  const negated = unit[1] === '!' || unit[1] === '^';
  const set = unit.slice(negated ? 2 : 1, -1);
  let found = false;
  for (let at = 0; at < set.length; at++) {
    const end = set[at + 2];
    if (set[at + 1] === '-' && end !== undefined) {
      if (c >= (set[at] ?? '') && c <= end) found = true;
      at += 2;
    } else if (set[at] === c) found = true;
  }
  return found !== negated;
}

export const CMDLET = /^[a-z]+-[a-z]+$/i;
export const CMDLET_VERBS = /^(?:add|clear|copy|disable|enable|export|format|foreach|get|import|initialize|install|invoke|move|new|out|remove|rename|resize|restart|select|set|start|stop|suspend|tee|test|uninstall|unregister|where|write|reset|repair|dismount|mount|optimize|register|send|wait|sort|measure|convertto|convertfrom|join|split|resolve|update)-[a-z]+$/;

/** A cmdlet typed into another shell: its words are read again as PowerShell reads them. */
export function isCmdlet(program: string): boolean {
  if (!program.includes('-')) return false;
  const lower = program.toLowerCase();
  return CMDLET.test(program) && CMDLET_VERBS.test(lower) && (/^[A-Z]/.test(program) || NATIVE_NOUNS.test(lower));
}

const NATIVE_NOUNS = /-(?:item|itemproperty|childitem|content|expression|webrequest|restmethod|volume|disk|partition|process|service|computer|command|object|location|variable|executionpolicy|mppreference)$/;

/** Programs that langs.ts reads; a test compares both. */
export const LANGUAGE_PROGRAMS = ' python python2 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 ipython py perl perl5 ruby jruby node nodejs deno tsx ts-node php lua luajit awk gawk mawk nawk osascript powershell pwsh PowerShell cmd command.com'
  + ' ssh mosh autossh rsh docker podman nerdctl docker-compose podman-compose kubectl oc k chroot vagrant gcloud fly flyctl heroku make gmake tar gtar bsdtar rsync vim vi nvim ex view gvim emacs ed ';
