// Contract: `${x#a}`, `${x%a}`, `${x/a/b}`, `${x:1:2}`, `${x^^}` on known texts; undefined where the answer is not certain. PURE.
// Patterns are literal texts, or a literal with one `*` at its outer end; everything else is not computed.
import type * as Ast from 'unbash';

export function transform(operation: Ast.ParameterOperation, text: string, operands: readonly string[]): string | undefined {
  const [first = '', second] = operands;
  switch (operation.type) {
    case 'Slice': return slice(text, first, second);
    case 'Remove': return remove(text, operation.operator, first);
    case 'Replace': return replace(text, operation.operator, first, second ?? '');
    case 'CaseModification': return first === '' ? changeCase(text, operation.operator) : undefined;
    case 'Transform': return first === 'U' ? text.toUpperCase() : first === 'L' ? text.toLowerCase() : undefined;
    default: return undefined;
  }
}

function slice(text: string, offset: string, length: string | undefined): string | undefined {
  const from = Number(offset.trim());
  const count = length === undefined ? undefined : Number(length.trim());
  if (!Number.isInteger(from) || (count !== undefined && !Number.isInteger(count))) return undefined;
  const start = from < 0 ? text.length + from : from;
  if (start < 0) return '';
  if (count === undefined) return text.slice(start);
  return count < 0 ? text.slice(start, text.length + count) : text.slice(start, start + count);
}

function isPlain(pattern: string): boolean {
  return !/[*?[\\(]/.test(pattern);
}

function remove(text: string, operator: string, pattern: string): string | undefined {
  const front = operator[0] === '#';
  if (isPlain(pattern)) {
    if (front) return text.startsWith(pattern) ? text.slice(pattern.length) : text;
    return pattern !== '' && text.endsWith(pattern) ? text.slice(0, -pattern.length) : text;
  }
  const greedy = operator.length === 2;
  const literal = front ? pattern.slice(1) : pattern.slice(0, -1);
  const starred = front ? pattern[0] === '*' : pattern[pattern.length - 1] === '*';
  if (!starred || literal === '' || !isPlain(literal)) return undefined;
  if (front) {
    const at = greedy ? text.lastIndexOf(literal) : text.indexOf(literal);
    return at === -1 ? text : text.slice(at + literal.length);
  }
  const at = greedy ? text.indexOf(literal) : text.lastIndexOf(literal);
  return at === -1 ? text : text.slice(0, at);
}

function replace(text: string, operator: string, pattern: string, by: string): string | undefined {
  if (!isPlain(pattern) || pattern === '') return undefined;
  switch (operator) {
    case '/#': return text.startsWith(pattern) ? by + text.slice(pattern.length) : text;
    case '/%': return text.endsWith(pattern) ? text.slice(0, -pattern.length) + by : text;
    case '//': {
      const parts = text.split(pattern);
      return text.length + (parts.length - 1) * by.length > 65_536 ? undefined : parts.join(by);
    }
    default: {
      const at = text.indexOf(pattern);
      return at === -1 ? text : text.slice(0, at) + by + text.slice(at + pattern.length);
    }
  }
}

function changeCase(text: string, operator: string): string {
  const change = (part: string): string => (operator[0] === '^' ? part.toUpperCase() : part.toLowerCase());
  return operator.length === 2 ? change(text) : change(text.slice(0, 1)) + text.slice(1);
}
