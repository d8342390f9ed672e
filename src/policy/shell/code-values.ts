// Contract: the value of an expression in a program text, as far as it is literal: strings, joined paths, lists, the home
// directory, decoded texts, variables that hold one of these. PURE, linear, bounded.
import { HOME_MARK } from '../shell-types.ts';
import { base64, hex } from './decode.ts';
import { tokens, type Language, type Token } from './code-tokens.ts';

export interface Literal { readonly text: string; readonly dynamic: boolean }

export interface Val extends Literal { readonly list?: readonly Val[] }

const UNKNOWN: Val = { text: '$()', dynamic: true };
const NESTING_MAX = 24;

interface Read { readonly value: Val; readonly next: number }

/** Reads values out of the names, strings and signs of a text. */
export class CodeValues {
  readonly list: readonly Token[];
  readonly code: string;
  readonly language: Language;
  protected readonly known = new Map<string, Val>();
  private depth = 0;

  constructor(code: string, language: Language) {
    this.code = code;
    this.language = language;
    this.list = tokens(code, language);
  }

  is(at: number, sign: string): boolean {
    const token = this.list[at];
    return token?.kind === 'sign' && token.text === sign;
  }

  /** The arguments from `at` on, up to the closing parenthesis (or, without one, to the end of the statement). */
  args(at: number, bare: boolean): Val[] {
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

  value(at: number): Read & { readonly methods: readonly string[] } {
    const methods: string[] = [];
    if (++this.depth > NESTING_MAX) { this.depth--; return { value: UNKNOWN, next: at + 1, methods }; }
    let { value, next } = this.primary(at);
    for (let guard = 0; guard < 64; guard++) {
      const more = this.methodCall(value, next, methods) ?? this.joinedWith(value, next);
      if (more === undefined) break;
      ({ value, next } = more);
      if (value.text.length > 65_536) { value = UNKNOWN; break; }
    }
    this.depth--;
    return { value, next, methods };
  }

  /** `VALUE.method(...)`. */
  private methodCall(value: Val, next: number, methods: string[]): Read | undefined {
    const name = this.list[next + 1];
    if (!this.is(next, '.') || name?.kind !== 'name' || !this.is(next + 2, '(')) return undefined;
    const names = name.text.split('.');
    methods.push(...names);
    const close = this.skip(next + 3, false);
    return { value: afterMethod(names[names.length - 1] ?? '', value, this.args(next + 3, false)), next: close + (this.is(close, ')') ? 1 : 0) };
  }

  /** `VALUE + VALUE`, `VALUE . VALUE`, `PATH / PART`, and strings beside each other. */
  private joinedWith(value: Val, next: number): Read | undefined {
    const token = this.list[next];
    const after = this.list[next + 1];
    if (token?.kind === 'text' && this.list[next - 1]?.kind === 'text') return { value: { text: value.text + token.text, dynamic: value.dynamic || token.dynamic }, next: next + 1 };
    if (token?.kind !== 'sign' || !'+./'.includes(token.text) || after === undefined || (after.kind === 'sign' && after.text !== '(')) return undefined;
    const right = this.primary(next + 1);
    return { value: { text: value.text + (token.text === '/' ? '/' : '') + right.value.text, dynamic: value.dynamic || right.value.dynamic }, next: right.next };
  }

  private primary(at: number): Read {
    const token = this.list[at];
    if (token === undefined) return { value: UNKNOWN, next: at + 1 };
    if (token.kind === 'text') return { value: { text: token.dynamic ? plainText(token.text) : token.text, dynamic: token.dynamic }, next: at + 1 };
    if (token.kind === 'sign' && (token.text === '[' || token.text === '(')) return this.listed(at, token.text);
    return token.kind === 'name' ? this.named(at, token.text) : { value: UNKNOWN, next: at + 1 };
  }

  private listed(at: number, open: string): Read {
    const items: Val[] = [];
    let i = at + 1;
    while (i < this.list.length && !this.is(i, ']') && !this.is(i, ')') && items.length < 64) {
      const { value, next } = this.value(i);
      items.push(value);
      i = this.skip(next, false);
      if (this.is(i, ',')) i++;
    }
    const only = open === '(' && items.length === 1 ? items[0] : undefined;
    return { value: only ?? { text: items.map(({ text }) => text).join(' '), dynamic: items.some(({ dynamic }) => dynamic), list: items }, next: i + 1 };
  }

  private named(at: number, name: string): Read {
    if (name === 'new' || name === 'await' || name === 'my') return this.primary(at + 1);
    if (this.is(at + 1, '(')) {
      const close = this.skip(at + 2, false);
      return { value: applied(name, this.args(at + 2, false), this.is(at + 2, ')')), next: close + 1 };
    }
    if ((this.is(at + 1, '[') || this.is(at + 1, '{')) && /(?:environ|ENV|env|_SERVER)$/.test(name)) return { value: this.list[at + 2]?.text === 'HOME' ? HOME : UNKNOWN, next: at + 4 };
    if (/(?:process\.env|environ)\.HOME$|^Dir\.home$/.test(name)) return { value: HOME, next: at + 1 };
    return { value: this.known.get(name) ?? UNKNOWN, next: at + 1 };
  }
}

const HOME: Val = { text: HOME_MARK, dynamic: false };

/** Expressions inside a string become unknown parts. */
export function plainText(text: string): string {
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

type Apply = (args: readonly Val[], name: string) => Val;

const same: Apply = ([first]) => first ?? UNKNOWN;
const decode64: Apply = ([first]) => decodedValue(first ?? UNKNOWN, base64);
const words: Apply = ([first]) => splitWords(first ?? UNKNOWN);
const byName = (names: string, apply: Apply): [string, Apply][] => names.split(' ').map((name) => [name, apply]);

const APPLY: ReadonlyMap<string, Apply> = new Map([
  ...byName('expanduser expand_path untildify', ([first]) => tilde(first ?? UNKNOWN)),
  ...byName('join resolve Path PurePath abspath realpath normpath normalize catfile catdir', (args, name) => (name === 'shlex.join' ? UNKNOWN : pathJoin(args))),
  ...byName('str String fspath bytes quote expandvars glob URL', same),
  ...byName('split shellwords shellsplit', words),
  ...byName('b64decode atob decode_base64 decode64 strict_decode64 base64_decode urlsafe_b64decode', decode64),
  ...byName('fromhex unhexlify hex2bin', ([first]) => decodedValue(first ?? UNKNOWN, hex)),
  ...byName('from', ([first, encoding]) => (encoding?.text === 'base64' ? decodedValue(first ?? UNKNOWN, base64) : encoding?.text === 'hex' ? decodedValue(first ?? UNKNOWN, hex) : UNKNOWN)),
]);

function applied(name: string, args: readonly Val[], empty: boolean): Val {
  const last = name.slice(name.lastIndexOf('.') + 1);
  if ((last === 'home' || last === 'homedir') && empty) return HOME;
  if ((last === 'getenv' || last === 'get') && args[0]?.text === 'HOME') return HOME;
  return args.length === 0 ? UNKNOWN : APPLY.get(last)?.(args, name) ?? UNKNOWN;
}

function decodedValue(value: Val, decode: (text: string) => string | undefined): Val {
  const text = value.dynamic ? undefined : decode(value.text);
  return text === undefined ? UNKNOWN : { text, dynamic: false };
}

const UNCHANGING: ReadonlySet<string> = new Set(['decode', 'toString', 'strip', 'trim', 'resolve', 'absolute', 'as_posix', 'encode', 'freeze', 'to_s', 'unlink', 'rmdir', 'write_text', 'write_bytes', 'touch', 'open']);

function afterMethod(name: string, value: Val, args: readonly Val[]): Val {
  if (name === 'split') return args.length === 0 || args[0]?.text === ' ' ? splitWords(value) : UNKNOWN;
  if (name === 'expanduser') return tilde(value);
  if ((name === 'homedir' || name === 'home') && args.length === 0) return HOME;
  if (name === 'joinpath') return pathJoin([value, ...args]);
  return UNCHANGING.has(name) ? value : UNKNOWN;
}
