// Contract: calls in a program text that start a command, remove a file or write one, with literal arguments. PURE, linear.
// Variables that hold a literal, joined paths and the home directory are followed. Text that is only printed is not a call.
import { HOME_MARK } from '../shell-types.ts';
import { CodeValues, plainText, type Literal, type Val } from './code-values.ts';
import type { Language, Token } from './code-tokens.ts';

export type { Literal } from './code-values.ts';

export type CodeCall =
  | { readonly kind: 'shell'; readonly text: string }
  | { readonly kind: 'words'; readonly words: readonly Literal[] }
  | { readonly kind: 'remove'; readonly path: Literal; readonly recursive: boolean }
  | { readonly kind: 'write'; readonly path: Literal }
  | { readonly kind: 'move' | 'copy'; readonly words: readonly Literal[] }
  /** Text of the same language. */
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'unknown' };

const SHELLS: ReadonlySet<string> = new Set(['system', 'popen', 'popen2', 'popen3', 'getoutput', 'getstatusoutput', 'shell_exec', 'passthru', 'proc_open', 'execSync', 'exec', 'spawn', 'spawnSync', 'execFile', 'execFileSync', 'check_call', 'check_output', 'Popen', 'run', 'call', 'create_subprocess_shell', 'create_subprocess_exec', 'spawnl', 'spawnlp', 'spawnv', 'spawnvp', 'execl', 'execlp', 'execv', 'execvp', 'execve', 'capture2', 'capture2e', 'capture3', 'pipeline', 'execa', 'execaSync', 'execaCommand', 'os.execute', '$']);
/** Names that mean something else in most programs: they count only where the text names the module. */
const NEEDS_MODULE: Readonly<Record<string, RegExp>> = { run: /subprocess/, call: /subprocess/, exec: /child_process|subprocess|^\s*exec\b/m, spawn: /child_process|spawn\s*\(?\s*['"]/, pipeline: /Open3/, '$': /zx|Bun/ };
const TREES: ReadonlySet<string> = new Set(['rmtree', 'remove_tree', 'rm_rf', 'rm_r', 'remove_entry_secure', 'remove_entry', 'remove_dir', 'rimraf', 'rimrafSync', 'emptyDir', 'emptyDirSync', 'removeSync', 'deltree', 'removedirs']);
const FILES: ReadonlySet<string> = new Set(['remove', 'unlink', 'unlinkSync', 'rmdir', 'rmdirSync', 'rm', 'rmSync', 'delete', 'rm_f', 'safe_unlink']);
const WRITES: ReadonlySet<string> = new Set(['writeFile', 'writeFileSync', 'appendFile', 'appendFileSync', 'file_put_contents', 'write_text', 'write_bytes', 'createWriteStream', 'truncate', 'truncateSync', 'outputFile', 'outputFileSync', 'binwrite', 'writeTextFile', 'writeTextFileSync', 'writeJsonSync', 'touch']);
const MOVES: ReadonlySet<string> = new Set(['rename', 'renameSync', 'move', 'moveSync', 'replace', 'mv']);
const COPIES: ReadonlySet<string> = new Set(['copy', 'copyfile', 'copy2', 'copytree', 'copyFile', 'copyFileSync', 'cp', 'cpSync', 'symlink', 'symlinkSync', 'link', 'ln_s', 'ln_sf', 'copy_file', 'cp_r']);
const EVALS: ReadonlySet<string> = new Set(['exec', 'eval', 'compile', 'Function', 'instance_eval']);

export function callsIn(code: string, language: Language): CodeCall[] {
  return new Scan(code, language).calls();
}

class Scan extends CodeValues {
  private readonly found: CodeCall[] = [];
  private readonly renamed = new Map<string, string>();

  calls(): CodeCall[] {
    for (let at = 0; at < this.list.length; at++) {
      const token = this.list[at] as Token;
      if (token.kind === 'command') this.found.push({ kind: 'shell', text: token.dynamic ? plainText(token.text) : token.text });
      if (token.kind !== 'name') continue;
      if (token.text === 'as') this.rename(at);
      else if (this.is(at + 1, '=') && !this.is(at + 2, '=') && !this.is(at + 2, '>') && !this.is(at + 2, '~')) this.remember(token.text, at + 2);
      else this.call(token.text, at);
    }
    return this.found;
  }

  private remember(name: string, at: number): void {
    const { value } = this.value(at);
    if (!value.dynamic || value.list !== undefined || value.text.startsWith(HOME_MARK)) this.known.set(name, value);
    else this.known.delete(name);
  }

  /** `import subprocess as sp`, `from os import system as s`. */
  private rename(at: number): void {
    const [from, to] = [this.list[at - 1], this.list[at + 1]];
    if (from?.kind === 'name' && to?.kind === 'name') this.renamed.set(to.text, from.text);
  }

  private call(written: string, at: number): void {
    const dot = written.indexOf('.');
    const head = this.renamed.get(dot === -1 ? written : written.slice(0, dot));
    const name = head === undefined ? written : head + (dot === -1 ? '' : written.slice(dot));
    const last = name.slice(name.lastIndexOf('.') + 1);
    const bare = this.isBare(at);
    if (bare === undefined && !(last === '$' && this.list[at + 1]?.kind === 'text')) return;
    const read = (): readonly Val[] => this.args(bare === true ? at + 1 : at + 2, bare === true);
    if (SHELLS.has(last) || name === 'os.execute') this.starts(name, last, read());
    else if (last === 'Path' || last === 'PurePath' || last === 'home') this.path(at);
    else if (EVALS.has(last) && !name.includes('.')) this.evaluates(read()[0]);
    else if (TREES.has(last) || FILES.has(last)) this.removes(name, last, read()[0]);
    else if (MOVES.has(last) || COPIES.has(last)) this.moves(name, last, read().slice(0, 2));
    else this.writes(name, last, read);
  }

  /** Whether the call has parentheses; perl and ruby can do without. Undefined: it is no call. */
  private isBare(at: number): boolean | undefined {
    if (this.is(at + 1, '(')) return false;
    if (this.language !== 'perl' && this.language !== 'ruby') return undefined;
    const next = this.list[at + 1];
    return next?.kind === 'text' || (next?.kind === 'name' && (next.text[0] === '$' || next.text.startsWith('File') || next.text === 'glob')) ? true : undefined;
  }

  private evaluates(text: Val | undefined): void {
    if (text !== undefined) this.found.push(text.dynamic ? { kind: 'unknown' } : { kind: 'code', text: text.text });
  }

  private starts(name: string, last: string, args: readonly Val[]): void {
    const [first, second] = args;
    if (first === undefined) return;
    if (last === 'exec' && this.language === 'python') return this.evaluates(first);
    if (!this.means(name, last)) return;
    const listed = first.list ?? (second?.list !== undefined ? [first, ...second.list] : undefined);
    const named = /^(exec|spawn)(?:l|lp|v|vp|ve)$/.exec(last)?.[1];
    if (listed !== undefined) this.found.push({ kind: 'words', words: listed });
    else if (named !== undefined) this.found.push({ kind: 'words', words: args.slice(named === 'spawn' ? 2 : 1) });
    else if (isWords(last, args)) this.found.push({ kind: 'words', words: args });
    else this.found.push({ kind: 'shell', text: first.text });
  }

  /** Whether a common name stands for starting a program here. */
  private means(name: string, last: string): boolean {
    const needed = Object.prototype.hasOwnProperty.call(NEEDS_MODULE, last) ? NEEDS_MODULE[last] : undefined;
    const plain = this.language === 'perl' || this.language === 'ruby' || this.language === 'php';
    if (needed !== undefined && !plain && !needed.test(this.code)) return false;
    // `pattern.exec(text)` of JavaScript compares.
    return !(last === 'exec' && this.language === 'node' && name.includes('.') && !/child_process|^cp\.|^proc/.test(name));
  }

  private removes(name: string, last: string, path: Val | undefined): void {
    // `list.remove(x)` of python takes an element out.
    if (path === undefined || (last === 'remove' && path.dynamic)) return;
    const recursive = TREES.has(last) || (/^rm(?:Sync)?$|^remove$|^rmdir(?:Sync)?$/.test(last) && this.code.includes('recursive')) || (last === 'remove' && /fs-?e(?:xtra)?\b/.test(name + this.code));
    for (const one of path.list ?? [path]) this.found.push({ kind: 'remove', path: one, recursive });
  }

  private moves(name: string, last: string, words: readonly Val[]): void {
    if (words.length === 2 && (last !== 'replace' || name.startsWith('os.'))) this.found.push({ kind: MOVES.has(last) ? 'move' : 'copy', words });
  }

  private writes(name: string, last: string, read: () => readonly Val[]): void {
    const whole = WRITES.has(last) || /^(?:File|IO)\.write$/.test(name);
    if (!whole && last !== 'open' && last !== 'fopen' && last !== 'openSync') return;
    const [path, mode, third] = read();
    if (path === undefined) return;
    if (whole) { this.found.push({ kind: 'write', path }); return; }
    if (mode === undefined) return;
    if (this.language === 'perl' && /^\+?>/.test(mode.text)) this.found.push({ kind: 'write', path: third ?? { text: mode.text.replace(/^\+?>+\s*/, ''), dynamic: mode.dynamic } });
    else if (!mode.dynamic && /[wax+]/.test(mode.text)) this.found.push({ kind: 'write', path });
  }

  /** `Path("x").expanduser().unlink()`: the last method says what happens. */
  private path(at: number): void {
    const { value, methods } = this.value(at);
    for (const method of methods) {
      if (method === 'unlink' || method === 'rmdir') this.found.push({ kind: 'remove', path: value, recursive: false });
      else if (/^(?:write_text|write_bytes|touch)$/.test(method)) this.found.push({ kind: 'write', path: value });
    }
  }
}

/** `system('rm', '-rf', 'x')`: several literal arguments are words. */
function isWords(last: string, [first, second]: readonly Val[]): boolean {
  if (first === undefined || second === undefined || first.dynamic || second.dynamic) return false;
  return /^(?:system|exec|spawn|execFile|create_subprocess_exec|popen)/.test(last) && !/^[rw]b?$/.test(second.text);
}
