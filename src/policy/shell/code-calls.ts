// Contract: calls in a program text that start a command, remove a file or write one, with literal arguments. PURE, linear.
// Variables that hold a literal, joined paths and the home directory are followed. Text that is only printed is not a call.
import { HOME_MARK } from '../shell-types.ts';
import { base64, hex } from './decode.ts';
import { tokens, type Language, type Token } from './code-tokens.ts';

export interface Literal { readonly text: string; readonly dynamic: boolean }

export type CodeCall =
  | { readonly kind: 'shell'; readonly text: string }
  | { readonly kind: 'words'; readonly words: readonly Literal[] }
  | { readonly kind: 'remove'; readonly path: Literal; readonly recursive: boolean }
  | { readonly kind: 'write'; readonly path: Literal }
  | { readonly kind: 'move' | 'copy'; readonly words: readonly Literal[] }
  /** Text of the same language. */
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'unknown' };

interface Val extends Literal { readonly list?: readonly Val[] }

const UNKNOWN: Val = { text: '$()', dynamic: true };
const NESTING_MAX = 24;

const SHELLS: ReadonlySet<string> = new Set(['system', 'popen', 'popen2', 'popen3', 'getoutput', 'getstatusoutput', 'shell_exec', 'passthru', 'proc_open', 'execSync', 'exec', 'spawn', 'spawnSync', 'execFile', 'execFileSync', 'check_call', 'check_output', 'Popen', 'run', 'call', 'create_subprocess_shell', 'create_subprocess_exec', 'spawnl', 'spawnlp', 'spawnv', 'spawnvp', 'execl', 'execlp', 'execv', 'execvp', 'execve', 'capture2', 'capture2e', 'capture3', 'pipeline', 'execa', 'execaSync', 'execaCommand', 'os.execute', '$']);
/** Names that mean something else in most programs: they count only where the text names the module. */
const NEEDS_MODULE: Readonly<Record<string, RegExp>> = { run: /subprocess/, call: /subprocess/, exec: /child_process|subprocess|^\s*exec\b/m, spawn: /child_process|spawn\s*\(?\s*['"]/, pipeline: /Open3/, '$': /zx|Bun/ };
const TREES: ReadonlySet<string> = new Set(['rmtree', 'remove_tree', 'rm_rf', 'rm_r', 'remove_entry_secure', 'remove_entry', 'remove_dir', 'rimraf', 'rimrafSync', 'emptyDir', 'emptyDirSync', 'removeSync', 'deltree', 'removedirs']);
const FILES: ReadonlySet<string> = new Set(['remove', 'unlink', 'unlinkSync', 'rmdir', 'rmdirSync', 'rm', 'rmSync', 'delete', 'rm_f', 'safe_unlink']);
const WRITES: ReadonlySet<string> = new Set(['writeFile', 'writeFileSync', 'appendFile', 'appendFileSync', 'file_put_contents', 'write_text', 'write_bytes', 'createWriteStream', 'truncate', 'truncateSync', 'outputFile', 'outputFileSync', 'binwrite', 'writeTextFile', 'writeTextFileSync', 'writeJsonSync', 'touch']);
const MOVES: ReadonlySet<string> = new Set(['rename', 'renameSync', 'move', 'moveSync', 'replace', 'mv']);
const COPIES: ReadonlySet<string> = new Set(['copy', 'copyfile', 'copy2', 'copytree', 'copyFile', 'copyFileSync', 'cp', 'cpSync', 'symlink', 'symlinkSync', 'link', 'ln_s', 'ln_sf', 'copy_file', 'cp_r']);

export function callsIn(code: string, language: Language): CodeCall[] {
  return new Scan(code, language).calls();
}

class Scan {
  private readonly list: readonly Token[];
  private readonly code: string;
  private readonly language: Language;
  private readonly known = new Map<string, Val>();
  private readonly found: CodeCall[] = [];
  private depth = 0;

  constructor(code: string, language: Language) {
    this.code = code;
    this.language = language;
    this.list = tokens(code, language);
  }

  calls(): CodeCall[] {
    for (let at = 0; at < this.list.length; at++) {
      const token = this.list[at] as Token;
      if (token.kind === 'command') this.found.push({ kind: 'shell', text: token.dynamic ? plainText(token.text) : token.text });
      if (token.kind !== 'name') continue;
      if (this.is(at + 1, '=') && !this.is(at + 2, '=') && !this.is(at + 2, '>') && !this.is(at + 2, '~')) {
        const { value } = this.value(at + 2);
        if (!value.dynamic || value.list !== undefined || value.text.startsWith(HOME_MARK)) this.known.set(token.text, value);
        else this.known.delete(token.text);
        continue;
      }
      this.call(token.text, at);
    }
    return this.found;
  }

  private is(at: number, sign: string): boolean {
    const token = this.list[at];
    return token?.kind === 'sign' && token.text === sign;
  }

  private call(name: string, at: number): void {
    const last = name.slice(name.lastIndexOf('.') + 1);
    const bare = (this.language === 'perl' || this.language === 'ruby') && !this.is(at + 1, '(');
    if (bare && this.list[at + 1]?.kind !== 'text' && !(this.list[at + 1]?.kind === 'name' && (this.list[at + 1]?.text[0] === '$' || this.list[at + 1]?.text.startsWith('File') === true))) return;
    if (!bare && !this.is(at + 1, '(') && !(last === '$' && this.list[at + 1]?.kind === 'text')) return;
    if (SHELLS.has(last) || name === 'os.execute') return this.starts(name, last, this.args(bare ? at + 1 : at + 2, bare));
    if (last === 'Path' || last === 'PurePath' || last === 'home') return this.path(at);
    if ((last === 'exec' || last === 'eval' || last === 'compile' || last === 'Function' || last === 'instance_eval') && !name.includes('.')) {
      const [text] = this.args(at + 2, false);
      if (text !== undefined) this.found.push(text.dynamic ? { kind: 'unknown' } : { kind: 'code', text: text.text });
      return;
    }
    this.files(name, last, () => this.args(bare ? at + 1 : at + 2, bare));
  }

  private starts(name: string, last: string, args: readonly Val[]): void {
    const needed = Object.prototype.hasOwnProperty.call(NEEDS_MODULE, last) ? NEEDS_MODULE[last] : undefined;
    const [first, second] = args;
    if (first === undefined) return;
    if (last === 'exec' && this.language === 'python') {
      this.found.push(first.dynamic ? { kind: 'unknown' } : { kind: 'code', text: first.text });
      return;
    }
    if (needed !== undefined && !needed.test(this.code) && this.language !== 'perl' && this.language !== 'ruby' && this.language !== 'php') return;
    // `pattern.exec(text)` of JavaScript compares.
    if (last === 'exec' && this.language === 'node' && name.includes('.') && !/child_process|^cp\.|^proc/.test(name)) return;
    const words = first.list ?? (second?.list !== undefined ? [first, ...second.list] : undefined);
    if (words !== undefined) this.found.push({ kind: 'words', words });
    else if (/^(?:exec(?:l|lp|v|vp|ve)|spawn(?:l|lp|v|vp))$/.test(last)) this.found.push({ kind: 'words', words: last.startsWith('spawn') ? args.slice(2) : args.slice(1) });
    else if (args.length > 1 && args.slice(0, 2).every(({ dynamic }) => !dynamic) && /^(?:system|exec|spawn|execFile|create_subprocess_exec|popen)/.test(last) && !/^[rw]b?$/.test(second?.text ?? '')) this.found.push({ kind: 'words', words: args });
    else this.found.push({ kind: 'shell', text: first.text });
  }

  private files(name: string, last: string, read: () => readonly Val[]): void {
    const mutable = /^(?:Deno\.)?remove$/.test(last);
    if (TREES.has(last) || FILES.has(last)) {
      const [path] = read();
      if (path === undefined || (mutable && path.dynamic)) return;
      const recursive = TREES.has(last) || (/^rm(?:Sync)?$|^remove$|^rmdir(?:Sync)?$/.test(last) && /recursive/.test(this.code)) || (last === 'remove' && /fs-?e(?:xtra)?\b/.test(name + this.code));
      for (const one of path.list ?? [path]) this.found.push({ kind: 'remove', path: one, recursive });
    } else if (WRITES.has(last)) {
      const [path] = read();
      if (path !== undefined) this.found.push({ kind: 'write', path });
    } else if (MOVES.has(last) || COPIES.has(last)) {
      const words = read().slice(0, 2);
      if (words.length === 2 && (last !== 'replace' || name.startsWith('os.'))) this.found.push({ kind: MOVES.has(last) ? 'move' : 'copy', words });
    } else if (last === 'open' || last === 'fopen' || last === 'openSync' || last === 'write') {
      const [path, mode, third] = read();
      if (last === 'write' && !/^(?:File|IO)\.write$/.test(name)) return;
      const arrow = this.language === 'perl' ? /^\+?>/.exec(mode?.text ?? '') : null;
      if (arrow !== null) this.found.push({ kind: 'write', path: third ?? { text: (mode?.text ?? '').replace(/^\+?>+\s*/, ''), dynamic: mode?.dynamic === true } });
      else if (path !== undefined && (last === 'write' || /[wax+]/.test(mode === undefined || mode.dynamic ? '' : mode.text))) this.found.push({ kind: 'write', path });
    }
  }

  /** `Path("x").expanduser().unlink()`: the last method says what happens. */
  private path(at: number): void {
    const { value, methods } = this.value(at);
    for (const method of methods) {
      if (method === 'unlink' || method === 'rmdir') this.found.push({ kind: 'remove', path: value, recursive: false });
      else if (/^(?:write_text|write_bytes|touch)$/.test(method)) this.found.push({ kind: 'write', path: value });
    }
  }

  /** The arguments from `at` on, up to the closing parenthesis (or, without one, to the end of the statement). */
  private args(at: number, bare: boolean): Val[] {
    const out: Val[] = [];
    let i = at;
    while (i < this.list.length && out.length < 32) {
      if (this.is(i, ')') || (bare && (this.is(i, ';') || this.is(i, '}')))) break;
      const { value, next } = this.value(i);
      // Named arguments are options, not operands.
      if (!(this.list[i]?.kind === 'name' && (this.is(i + 1, '=') || this.is(i + 1, ':')))) out.push(value);
      i = this.skip(next, bare);
      if (!this.is(i, ',')) break;
      i++;
    }
    return out;
  }

  /** To the next comma or the end of the argument. */
  private skip(at: number, bare: boolean): number {
    let depth = 0;
    let i = at;
    for (; i < this.list.length; i++) {
      const token = this.list[i] as Token;
      if (token.kind !== 'sign') continue;
      if ('([{'.includes(token.text)) depth++;
      else if (')]}'.includes(token.text)) { if (depth-- === 0) break; }
      else if (depth === 0 && (token.text === ',' || (bare && token.text === ';'))) break;
    }
    return i;
  }

  private value(at: number): { value: Val; next: number; methods: string[] } {
    const methods: string[] = [];
    if (++this.depth > NESTING_MAX) { this.depth--; return { value: UNKNOWN, next: at + 1, methods }; }
    let { value, next } = this.primary(at);
    for (let guard = 0; guard < 64; guard++) {
      const token = this.list[next];
      const after = this.list[next + 1];
      if (token?.kind === 'sign' && token.text === '.' && after?.kind === 'name' && this.is(next + 2, '(')) {
        const close = this.skip(next + 3, false);
        const names = after.text.split('.');
        methods.push(...names);
        value = method(names[names.length - 1] ?? '', value, this.args(next + 3, false));
        next = close + (this.is(close, ')') ? 1 : 0);
        while (this.is(next, ',')) break;
      } else if (token?.kind === 'sign' && (token.text === '+' || token.text === '.' || token.text === '/') && after !== undefined && (after.kind !== 'sign' || after.text === '(')) {
        const right = this.primary(next + 1);
        value = { text: value.text + (token.text === '/' ? '/' : '') + right.value.text, dynamic: value.dynamic || right.value.dynamic };
        next = right.next;
      } else if (token?.kind === 'text' && this.list[next - 1]?.kind === 'text') {
        value = { text: value.text + token.text, dynamic: value.dynamic || token.dynamic };
        next++;
      } else break;
      if (value.text.length > 65_536) { value = UNKNOWN; break; }
    }
    this.depth--;
    return { value, next, methods };
  }

  private primary(at: number): { value: Val; next: number } {
    const token = this.list[at];
    if (token === undefined) return { value: UNKNOWN, next: at + 1 };
    if (token.kind === 'text') return { value: { text: token.dynamic ? plainText(token.text) : token.text, dynamic: token.dynamic }, next: at + 1 };
    if (token.kind === 'sign' && (token.text === '[' || token.text === '(')) {
      const items: Val[] = [];
      let i = at + 1;
      while (i < this.list.length && !this.is(i, ']') && !this.is(i, ')') && items.length < 64) {
        const { value, next } = this.value(i);
        items.push(value);
        i = this.skip(next, false);
        if (this.is(i, ',')) i++;
      }
      const only = token.text === '(' && items.length === 1 ? items[0] : undefined;
      return { value: only ?? { text: items.map(({ text }) => text).join(' '), dynamic: items.some(({ dynamic }) => dynamic), list: items }, next: i + 1 };
    }
    if (token.kind !== 'name') return { value: UNKNOWN, next: at + 1 };
    if (token.text === 'new' || token.text === 'await' || token.text === 'my' || token.text === 'r') return this.primary(at + 1);
    if (this.is(at + 1, '(')) {
      const close = this.skip(at + 2, false);
      return { value: applied(token.text, this.args(at + 2, false), this.is(at + 2, ')')), next: close + 1 };
    }
    const key = this.list[at + 2];
    if ((this.is(at + 1, '[') || this.is(at + 1, '{')) && /(?:environ|ENV|env|_SERVER)$/.test(token.text)) return { value: key?.text === 'HOME' ? { text: HOME_MARK, dynamic: false } : UNKNOWN, next: at + 4 };
    if (/(?:process\.env|environ)\.HOME$|^Dir\.home$/.test(token.text)) return { value: { text: HOME_MARK, dynamic: false }, next: at + 1 };
    return { value: this.known.get(token.text) ?? UNKNOWN, next: at + 1 };
  }
}

/** Expressions inside a string become unknown parts. */
function plainText(text: string): string {
  return text.replace(/\$\{[^}]*\}|#\{[^}]*\}|\{[^}]*\}|[$@][A-Za-z_]\w*/g, '$()');
}

function tilde(value: Val): Val {
  return value.text === '~' || value.text.startsWith('~/') ? { ...value, text: HOME_MARK + value.text.slice(1) } : value;
}

function pathJoin(args: readonly Val[]): Val {
  const parts = args.flatMap((arg) => arg.list ?? [arg]);
  let text = '';
  for (const part of parts) text = part.text.startsWith('/') ? part.text : text === '' ? part.text : `${text.replace(/\/$/, '')}/${part.text}`;
  return { text, dynamic: parts.some(({ dynamic }) => dynamic) };
}

function splitWords(value: Val): Val {
  return { ...value, list: value.text.split(/\s+/).filter((part) => part !== '').map((text) => ({ text, dynamic: text.includes('$()') })) };
}

function applied(name: string, args: readonly Val[], empty: boolean): Val {
  const last = name.slice(name.lastIndexOf('.') + 1);
  const [first] = args;
  if ((last === 'home' || last === 'homedir') && empty) return { text: HOME_MARK, dynamic: false };
  if (/^(?:getenv|get)$/.test(last) && first?.text === 'HOME') return { text: HOME_MARK, dynamic: false };
  if (first === undefined) return UNKNOWN;
  switch (last) {
    case 'expanduser': case 'expand_path': case 'untildify': return tilde(first);
    case 'join': case 'resolve': case 'Path': case 'PurePath': case 'abspath': case 'realpath': case 'normpath': case 'normalize': case 'catfile': case 'catdir': return name === 'shlex.join' ? UNKNOWN : pathJoin(args);
    case 'str': case 'String': case 'fspath': case 'bytes': case 'quote': case 'expandvars': case 'glob': case 'URL': return first;
    case 'split': case 'shellwords': case 'shellsplit': return splitWords(first);
    case 'b64decode': case 'atob': case 'decode_base64': case 'decode64': case 'strict_decode64': case 'base64_decode': case 'urlsafe_b64decode': return decodedValue(first, base64);
    case 'fromhex': case 'unhexlify': case 'hex2bin': return decodedValue(first, hex);
    case 'from': return args[1]?.text === 'base64' ? decodedValue(first, base64) : args[1]?.text === 'hex' ? decodedValue(first, hex) : UNKNOWN;
    default: return UNKNOWN;
  }
}

function decodedValue(value: Val, decode: (text: string) => string | undefined): Val {
  const text = value.dynamic ? undefined : decode(value.text);
  return text === undefined ? UNKNOWN : { text, dynamic: false };
}

function method(name: string, value: Val, args: readonly Val[]): Val {
  switch (name) {
    case 'split': return args.length === 0 || args[0]?.text === ' ' ? splitWords(value) : UNKNOWN;
    case 'expanduser': return tilde(value);
    case 'joinpath': return pathJoin([value, ...args]);
    case 'decode': case 'toString': case 'strip': case 'trim': case 'resolve': case 'absolute': case 'as_posix': case 'encode': case 'freeze': case 'to_s': case 'unlink': case 'rmdir': case 'write_text': case 'write_bytes': case 'touch': case 'open': return value;
    default: return UNKNOWN;
  }
}
