// Contract: source text of python, perl, ruby, node or php -> names, strings and signs; comments and whatever else is data are
// left out. PURE, linear. Best effort: it serves to find calls with literal arguments, not to understand a program.

export type Language = 'python' | 'perl' | 'ruby' | 'node' | 'php' | 'lua';

export interface Token {
  readonly kind: 'name' | 'text' | 'command' | 'sign';
  /** The name with its dots (`os.path.join`), the text of a string, or one sign. */
  readonly text: string;
  /** A string with expressions inside. */
  readonly dynamic: boolean;
}

export const TOKENS_MAX = 6000;

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

export function tokens(code: string, language: Language): Token[] {
  const out: Token[] = [];
  let at = 0;
  const push = (kind: Token['kind'], text: string, dynamic = false): void => { out.push({ kind, text, dynamic }); };
  while (at < code.length && out.length < TOKENS_MAX) {
    const c = code[at] ?? '';
    if (c === ' ' || c === '\t' || c === '\n' || c === '\r') { at++; continue; }
    const comment = commentEnd(code, at, language);
    if (comment !== -1) { at = comment; continue; }
    const special = quoteOperator(code, at, language) ?? plainQuote(code, at, language);
    if (special !== undefined) {
      push(special.command ? 'command' : 'text', special.text, special.dynamic);
      at = special.end;
      continue;
    }
    const name = /^[$@%&]?[A-Za-z_][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*[!?]?/.exec(code.slice(at, at + 200))?.[0];
    if (name !== undefined) { push('name', name.replace(/->|::/g, '.')); at += name.length; continue; }
    push('sign', c);
    at++;
  }
  return out;
}

function commentEnd(code: string, at: number, language: Language): number {
  const c = code[at];
  const lineEnd = (): number => { const end = code.indexOf('\n', at); return end === -1 ? code.length : end; };
  if (c === '#' && language !== 'node' && language !== 'lua') return lineEnd();
  if (c === '-' && language === 'lua' && code[at + 1] === '-') return lineEnd();
  if (c !== '/' || (language !== 'node' && language !== 'php')) return -1;
  if (code[at + 1] === '/') return lineEnd();
  if (code[at + 1] !== '*') return -1;
  const end = code.indexOf('*/', at + 2);
  return end === -1 ? code.length : end + 2;
}

interface Quoted { readonly text: string; readonly end: number; readonly dynamic: boolean; readonly command: boolean }

/** perl's q(), qq(), qx() and qw(), ruby's %q(), %x() and %w(). */
function quoteOperator(code: string, at: number, language: Language): Quoted | undefined {
  const found = language === 'perl' ? /^q([qxw]?)\s*([({[</|!#'])/.exec(code.slice(at, at + 8)) : language === 'ruby' ? /^%([qQxwWi]?)([({[</|!])/.exec(code.slice(at, at + 8)) : null;
  if (found === null || /\w/.test(code[at - 1] ?? '')) return undefined;
  const open = found[2] ?? '';
  const close = CLOSING[open] ?? open;
  let depth = 1;
  let end = at + found[0].length;
  const start = end;
  for (; end < code.length; end++) {
    const c = code[end];
    if (c === '\\') end++;
    else if (c === close && --depth === 0) break;
    else if (c === open && close !== open) depth++;
  }
  const text = code.slice(start, end);
  return { text, end: end + 1, dynamic: /[$@]\w|#\{/.test(text), command: found[1] === 'x' };
}

function plainQuote(code: string, at: number, language: Language): Quoted | undefined {
  let start = at;
  let prefix = '';
  if (language === 'python') {
    prefix = (/^[rbfuRBFU]{1,2}(?=['"])/.exec(code.slice(at, at + 3))?.[0] ?? '').toLowerCase();
    if (prefix !== '' && /\w/.test(code[at - 1] ?? '')) return undefined;
    start += prefix.length;
  }
  const quote = code[start];
  if (quote !== "'" && quote !== '"' && quote !== '`') return undefined;
  if (quote === '`' && language === 'python') return undefined;
  const triple = language === 'python' && code.startsWith(quote.repeat(3), start);
  const mark = triple ? quote.repeat(3) : quote;
  let text = '';
  let i = start + mark.length;
  for (; i < code.length && !code.startsWith(mark, i); i++) {
    if (code[i] !== '\\' || prefix.includes('r')) { text += code[i]; continue; }
    const { value, length } = escaped(code, i + 1, quote === "'" && (language === 'perl' || language === 'php' || language === 'ruby'));
    text += value;
    i += length;
  }
  return { text, end: i + mark.length, dynamic: interpolates(text, quote, prefix, language), command: quote === '`' && language !== 'node' };
}

function interpolates(text: string, quote: string, prefix: string, language: Language): boolean {
  switch (language) {
    case 'python': return prefix.includes('f') && text.includes('{');
    case 'node': return quote === '`' && text.includes('${');
    case 'ruby': return quote !== "'" && text.includes('#{');
    case 'perl': case 'php': return quote !== "'" && /[$@][A-Za-z_{]/.test(text);
    default: return false;
  }
}

const SIMPLE: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };

function escaped(code: string, at: number, raw: boolean): { value: string; length: number } {
  const c = code[at] ?? '';
  if (raw) return { value: c === "'" || c === '\\' ? c : `\\${c}`, length: 1 };
  const found = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|([0-7]{3}))/.exec(code.slice(at, at + 10));
  if (found !== null) {
    const number = parseInt(found[1] ?? found[2] ?? found[3] ?? found[4] ?? '', found[4] === undefined ? 16 : 8);
    return { value: number <= 0x10ffff ? String.fromCodePoint(number) : '', length: found[0].length };
  }
  return { value: SIMPLE[c] ?? c, length: 1 };
}
