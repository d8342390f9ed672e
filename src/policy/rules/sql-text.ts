// Contract: SQL text -> what its statements would destroy. Comments, strings and quoted names are data. PURE, linear.

/** `deny`: data or structures are lost. `ask`: part of a structure is. */
export type SqlEffect = 'deny' | 'ask' | undefined;

export const SQL_CHARS_MAX = 256 * 1024;

/** The statements as upper-case words; strings read `'`, quoted names `"`. */
export function statements(sql: string): readonly (readonly string[])[] {
  const out: string[][] = [];
  let words: string[] = [];
  const text = sql.slice(0, SQL_CHARS_MAX);
  for (let at = 0; at < text.length;) {
    const c = text[at] ?? '';
    const next = skipped(text, at);
    if (next !== undefined) {
      if (c === "'" || c === '$') words.push("'");
      else if (c === '"' || c === '`' || c === '[') words.push('"');
      at = next;
    } else if (c === ';') {
      if (words.length > 0) out.push(words);
      words = [];
      at++;
    } else if (isWord(c)) {
      let end = at + 1;
      while (end < text.length && isWord(text[end] ?? '')) end++;
      words.push(text.slice(at, end).toUpperCase());
      at = end;
    } else {
      if (c === '=' || c === '(' || c === ')' || c === ',' || c === '*') words.push(c);
      at++;
    }
  }
  if (words.length > 0) out.push(words);
  return out;
}

function isWord(c: string): boolean {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c === '_' || c === '.' || c > '\x7f';
}

/** The position behind a comment, a string or a quoted name that starts here. */
function skipped(text: string, at: number): number | undefined {
  const c = text[at] ?? '';
  if ((c === '-' && text[at + 1] === '-') || c === '#') return lineEnd(text, at);
  // MySQL runs what stands in /*! ... */.
  if (c === '/' && text[at + 1] === '*') return text[at + 2] === '!' ? behindDigits(text, at + 3) : behind(text, '*/', at + 2);
  if (c === "'" || c === '"' || c === '`') return closing(text, at);
  if (c === '$') {
    let end = at + 1;
    while (end < text.length && isWord(text[end] ?? '') && text[end] !== '.') end++;
    if (text[end] !== '$') return undefined;
    return behind(text, text.slice(at, end + 1), end + 1);
  }
  return undefined;
}

/** `/*!40101`: the version in front of what is run. */
function behindDigits(text: string, at: number): number {
  let end = at;
  while ((text[end] ?? '') >= '0' && (text[end] ?? '') <= '9') end++;
  return end;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

function behind(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from);
  return end === -1 ? text.length : end + mark.length;
}

/** Doubled quotes and backslashes keep a string open. */
function closing(text: string, at: number): number {
  const quote = text[at] ?? '';
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\' && quote === "'") i++;
    else if (text[i] === quote) {
      if (text[i + 1] !== quote) return i + 1;
      i++;
    }
  }
  return text.length;
}

const LOST = ['DATABASE', 'SCHEMA', 'TABLE', 'TABLES', 'USER', 'ROLE', 'OWNED', 'TABLESPACE', 'KEYSPACE', 'COLLECTION', 'DICTIONARY', 'CATALOG', 'WAREHOUSE', 'STREAM', 'CLUSTER'];
const PARTS = ['INDEX', 'VIEW', 'MATERIALIZED', 'TRIGGER', 'FUNCTION', 'PROCEDURE', 'SEQUENCE', 'TYPE', 'POLICY', 'EXTENSION', 'CONSTRAINT', 'COLUMN'];

/** A condition that is always true is none. */
function narrows(words: readonly string[]): boolean {
  const at = words.indexOf('WHERE');
  if (at === -1) return false;
  const rest = words.slice(at + 1).filter((word) => word !== '(' && word !== ')');
  const [first, second, third] = rest;
  if (first === 'TRUE' || (first === '1' && rest.length === 1)) return false;
  return !(rest.length === 3 && second === '=' && first === third && first !== '"');
}

function drop(words: readonly string[], at: number): SqlEffect {
  let what = words[at + 1] ?? '';
  if (what === 'TEMPORARY' || what === 'TEMP') return undefined;
  if (what === 'FOREIGN' || what === 'EXTERNAL' || what === 'VIRTUAL') what = words[at + 2] ?? '';
  return LOST.includes(what) ? 'deny' : PARTS.includes(what) ? 'ask' : undefined;
}

/** Where the statement itself begins: EXPLAIN ANALYZE runs it, WITH stands in front of it; -1 where nothing is changed. */
function beginning(words: readonly string[]): number {
  if (words[0] === 'EXPLAIN' || words[0] === 'DESCRIBE') {
    return words.includes('ANALYZE') || words.includes('ANALYSE') ? words.findIndex((word) => word === 'DELETE' || word === 'UPDATE') : -1;
  }
  if (words[0] !== 'WITH') return 0;
  return words.findIndex((word, i) => (word === 'DELETE' && words[i + 1] === 'FROM') || (word === 'UPDATE' && words.indexOf('SET', i) !== -1));
}

/** Rows of a whole table change or go. */
function allRows(words: readonly string[]): boolean {
  const named = words[0] === 'DELETE' ? words.length > 1 : words.includes('SET');
  return named && !narrows(words) && !words.includes('LIMIT');
}

/** What one statement does. */
function effectOf(words: readonly string[]): SqlEffect {
  const at = beginning(words);
  if (at === -1) return undefined;
  switch (words[at]) {
    case 'DROP': return drop(words, at);
    case 'TRUNCATE': return 'deny';
    case 'DELETE': case 'UPDATE': return allRows(words.slice(at)) ? 'deny' : undefined;
    case 'ALTER': return words[at + 1] === 'TABLE' && words.includes('DROP') ? 'ask' : undefined;
    case 'COPY': return words.includes('PROGRAM') ? 'deny' : undefined;
    case 'EXEC': case 'EXECUTE': return words.some((word) => word.endsWith('XP_CMDSHELL')) ? 'deny' : undefined;
    case 'SHUTDOWN': return words.length <= 2 ? 'deny' : undefined;
    case 'FLUSHALL': case 'FLUSHDB': return 'deny';
    default: return undefined;
  }
}

/** The strongest effect of a script. What ends in ROLLBACK changes nothing. */
export function sqlEffect(sql: string): SqlEffect {
  const all = statements(sql);
  const last = all[all.length - 1];
  const first = all[0];
  if (last?.[0] === 'ROLLBACK' && (first?.[0] === 'BEGIN' || first?.[0] === 'START') && !all.some((words) => words[0] === 'COMMIT')) return undefined;
  let found: SqlEffect;
  for (const words of all) {
    const effect = effectOf(words);
    if (effect === 'deny') return 'deny';
    found ??= effect;
  }
  return found;
}
