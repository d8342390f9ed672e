// Contract: character-level helpers of the shell parser. PURE, bounded.

/** How far `$((` is searched for its `))` before it counts as a command substitution. */
const ARITHMETIC_CHARS_MAX = 2048;

export function isBlank(c: string): boolean {
  return c === ' ' || c === '\t' || c === '\n' || c === '\r';
}

export function isNameStart(c: string): boolean {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c === '_';
}

export function isNameChar(c: string): boolean {
  return isNameStart(c) || (c >= '0' && c <= '9');
}

/** The position behind `NAME=` or `NAME+=` that starts at `from`; -1 where it is no assignment. */
export function assignmentEnd(s: string, from: number, limit: number): number {
  if (!isNameStart(s[from] ?? '')) return -1;
  let at = from + 1;
  while (at < limit && isNameChar(s[at] ?? '')) at++;
  if (s[at] === '+') at++;
  return at < limit && s[at] === '=' ? at + 1 : -1;
}

/** The position behind the `))` that closes arithmetic opened before `from`; -1 where there is none near. */
export function arithmeticEnd(s: string, from: number, limit: number): number {
  const stop = Math.min(limit, from + ARITHMETIC_CHARS_MAX);
  let open = 0;
  for (let at = from; at < stop; at++) {
    const c = s[at];
    if (c === '\n' || c === '`' || c === ';') return -1;
    if (c === '$' && s[at + 1] === '(' && s[at + 2] !== '(') return -1;
    if (c === '(') open++;
    else if (c === ')') {
      if (open > 0) open--;
      else return s[at + 1] === ')' ? at + 2 : -1;
    }
  }
  return -1;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', v: '\v' };

/** The text of `$'...'` from behind its opening quote. */
export function ansiC(s: string, from: number, limit: number): { text: string; next: number } {
  let out = '';
  let at = from;
  while (at < limit && s[at] !== "'") {
    if (s[at] !== '\\') { out += s[at++]; continue; }
    const c = s[at + 1] ?? '';
    const base = c === 'x' || c === 'u' || c === 'U' ? 16 : 8;
    const most = c === 'x' ? 2 : c === 'u' ? 4 : c === 'U' ? 8 : 3;
    const first = base === 16 ? at + 2 : at + 1;
    let end = first;
    while (end < limit && end - first < most && Number.isInteger(parseInt(s[end] ?? '', base))) end++;
    if (end > first) {
      const code = parseInt(s.slice(first, end), base);
      out += code <= 0x10ffff ? String.fromCodePoint(code) : '';
      at = end;
    } else {
      out += ESCAPES[c] ?? c;
      at += 2;
    }
  }
  return { text: out, next: Math.min(at + 1, limit) };
}

const OPERATORS = new Set(['<<', '<<<', '<<-', '<&', '<>', '>>', '>|', '>&']);

/** A redirection operator at `from`, with its descriptor or `&` in front. */
export function redirectOperator(s: string, from: number, limit: number): { text: string; next: number } | undefined {
  let at = from;
  while (at < limit && (s[at] ?? '') >= '0' && (s[at] ?? '') <= '9') at++;
  if (s[at] === '&' && s[at + 1] === '>') at++;
  const c = s[at];
  if (at >= limit || (c !== '<' && c !== '>')) return undefined;
  let text = c;
  while (at + text.length < limit && OPERATORS.has(text + (s[at + text.length] ?? ''))) text += s[at + text.length];
  return { text, next: at + text.length };
}

/** The body of a here-document that starts at `start` ends before `end`; what follows its mark starts at `next`. */
export function heredocEnd(s: string, start: number, limit: number, mark: string, strip: boolean): { end: number; next: number } {
  for (let at = start; at < limit;) {
    const eol = s.indexOf('\n', at);
    const stop = eol === -1 || eol > limit ? limit : eol;
    let first = at;
    while (strip && s[first] === '\t') first++;
    if (stop - first === mark.length && s.startsWith(mark, first)) return { end: at, next: Math.min(stop + 1, limit) };
    at = stop + 1;
  }
  return { end: limit, next: limit };
}

/** True where a `~` before `c` stands alone or in front of a path. */
export function endsTilde(c: string | undefined): boolean {
  return c === undefined || c === '/' || isBlank(c) || ';&|)<>'.includes(c);
}
