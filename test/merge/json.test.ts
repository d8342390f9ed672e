// Contract: what the JSON editor does to a file, case by case, each named by a sentence.
import { describe, expect, test } from 'vitest';
import { jsonEditor } from '../../src/merge/json.ts';
import { applyIntent, intentOf, meetsIntent } from '../../src/merge/json-intent.ts';
import { JSON_DEPTH_MAX } from '../../src/merge/json-scan.ts';
import type { Source } from '../../src/merge/json-walk.ts';
import { TEXT_CHARS_MAX } from '../../src/merge/text.ts';
import type { EditOp, Tolerance } from '../../src/model/edit.ts';
import type { JsonValue, Path } from '../../src/model/json.ts';

const LAX: Tolerance = { comments: true, trailingCommas: true, bom: true, utf16le: true, emptyIsObject: true };
const STRICT: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };
const lax = jsonEditor(LAX);
const strict = jsonEditor(STRICT);

const set = (path: Path, value: JsonValue): EditOp => ({ op: 'set', path, value });
const append = (path: Path, value: JsonValue): EditOp => ({ op: 'append', path, value });
const replace = (path: Path, value: JsonValue): EditOp => ({ op: 'replace', path, value });
const remove = (...path: Path): EditOp => ({ op: 'remove', path });
const prune = (...path: Path): EditOp => ({ op: 'prune', path });

function edited(text: string, ...ops: EditOp[]): string {
  const result = lax.edit(text, ops);
  if (!result.ok) throw new Error(`${result.fault.code}: ${result.fault.message}`);
  return result.text;
}

type Case = [sentence: string, before: string, ops: EditOp[], after: string];
const run = (cases: Case[]): void => {
  test.each(cases)('%s', (_sentence, before, ops, after) => {
    expect(edited(before, ...ops)).toBe(after);
  });
};

describe('adding a key', () => {
  run([
    ['goes to the end of the object', '{\n  "z": 1,\n  "a": 2\n}\n', [set(['m'], 3)], '{\n  "z": 1,\n  "a": 2,\n  "m": 3\n}\n'],
    ['keeps a missing final newline missing', '{\n  "a": 1\n}', [set(['b'], 2)], '{\n  "a": 1,\n  "b": 2\n}'],
    ['indents with four spaces where the siblings do', '{\n    "a": 1\n}', [set(['b'], { c: 1 })], '{\n    "a": 1,\n    "b": {\n        "c": 1\n    }\n}'],
    ['indents with tabs where the siblings do', '{\n\t"a": 1\n}', [set(['b'], [1])], '{\n\t"a": 1,\n\t"b": [\n\t\t1\n\t]\n}'],
    ['follows the sibling in a document of mixed indents', '{\n  "a": {\n  \t"x": 1\n  }\n}', [set(['a', 'y'], {})], '{\n  "a": {\n  \t"x": 1,\n  \t"y": {}\n  }\n}'],
    ['keeps CRLF', '{\r\n  "a": 1\r\n}\r\n', [set(['b'], { c: 1 })], '{\r\n  "a": 1,\r\n  "b": {\r\n    "c": 1\r\n  }\r\n}\r\n'],
    ['takes the nearest of mixed line ends', '{\n  "a": {\r\n    "x": 1\r\n  },\n\n\n\n  "b": 2\n}', [set(['a', 'y'], 2)], '{\n  "a": {\r\n    "x": 1,\r\n    "y": 2\r\n  },\n\n\n\n  "b": 2\n}'],
    ['stays on the line of a minified document', '{"a":1,"b":[1,2]}', [set(['c'], { d: [1, 'x'] })], '{"a":1,"b":[1,2],"c":{"d":[1,"x"]}}'],
    ['stays on the line of a spaced document', '{ "a": 1 }\n', [set(['b'], { c: [1, 2] })], '{ "a": 1, "b": { "c": [1, 2] } }\n'],
    ['stays on the line of one container in a longer document', '{\n  "a": {"x": 1}\n}', [set(['a', 'y'], 2)], '{\n  "a": {"x": 1, "y": 2}\n}'],
    ['leaves a comment beside the last entry with that entry', '{\n  "a": 1 // one\n}', [set(['b'], 2)], '{\n  "a": 1, // one\n  "b": 2\n}'],
    ['goes behind the comments below the last entry', '{\n  "a": 1\n  // "c": 3\n  /* end */\n}', [set(['b'], 2)], '{\n  "a": 1,\n  // "c": 3\n  /* end */\n  "b": 2\n}'],
    ['takes a new line where a line comment ends an otherwise short object', '{"a": 1 // one\n}', [set(['b'], 2)], '{"a": 1, // one\n  "b": 2\n}'],
    ['keeps up the trailing comma', '{\n  "a": 1, // one\n}', [set(['b'], 2)], '{\n  "a": 1, // one\n  "b": 2,\n}'],
    ['keeps up the trailing comma on one line', '{"a": 1, }', [set(['b'], 2)], '{"a": 1, "b": 2, }'],
    ['leaves hand-aligned columns alone', '{\n  "a"   : 1,\n  "long": 2\n}', [set(['b'], 3)], '{\n  "a"   : 1,\n  "long": 2,\n  "b": 3\n}'],
    ['leaves out the space behind the colon where the sibling does', '{\n  "a":1\n}', [set(['b'], { c: 2 })], '{\n  "a":1,\n  "b":{\n    "c":2\n  }\n}'],
    ['leaves odd spellings alone', '{"n": 1.0, "e": 1E5, "big": 12345678901234567890, "inf": 1e400, "z": -0, "u": "\\u0041\\ud800"}', [set(['b'], 1)],
      '{"n": 1.0, "e": 1E5, "big": 12345678901234567890, "inf": 1e400, "z": -0, "u": "\\u0041\\ud800", "b": 1}'],
    ['leaves duplicate keys elsewhere alone', '{"x": {"k": 1, "k": 2}, "y": 1, "y": 2}', [set(['b'], 1)], '{"x": {"k": 1, "k": 2}, "y": 1, "y": 2, "b": 1}'],
    ['leaves raw lone surrogates of a UTF-16 file alone', '{"\ud800": "\udc00"}', [set(['b'], '\ud800')], '{"\ud800": "\udc00", "b": "\\ud800"}'],
    ['adds __proto__ as a key like any other', '{"a": 1}', [set(['__proto__', 'x'], 1)], '{"a": 1, "__proto__": {"x": 1}}'],
    ['keeps keys that look like numbers in their place', '{"2": 1, "1": 2}', [set(['0'], 3)], '{"2": 1, "1": 2, "0": 3}'],
    ['creates the containers that are missing', '{\n  "a": 1\n}\n', [append(['hooks', 'Pre'], { command: 'x' })],
      '{\n  "a": 1,\n  "hooks": {\n    "Pre": [\n      {\n        "command": "x"\n      }\n    ]\n  }\n}\n'],
    ['keeps comments in front of and behind the document', '// head\n{}\n// tail', [set(['a'], 1)], '// head\n{\n  "a": 1\n}\n// tail'],
  ]);

  test('tells the containers it made, the outermost first', () => {
    const result = lax.edit('{"a":{}}', [append(['a', 'b', 'c'], 1), set(['a', 'd', 'e'], 1), set(['f'], {})]);
    expect(result.ok && result.created).toEqual([['a', 'b'], ['a', 'b', 'c'], ['a', 'd']]);
  });

  test('no longer tells containers that the same edit took away again', () => {
    const result = lax.edit('{"l":[1,{}]}', [set(['l', 1, 'x', 'y'], 1), remove('l', 0), set(['q', 'r'], 1), remove('q')]);
    expect(result.ok && result.created).toEqual([['l', 0, 'x']]);
  });
});

describe('filling an empty container', () => {
  run([
    ['opens {} over several lines', '{}\n', [set(['a'], 1)], '{\n  "a": 1\n}\n'],
    ['opens [] in the indent of its siblings', '{\n    "l": []\n}', [append(['l'], 1)], '{\n    "l": [\n        1\n    ]\n}'],
    ['takes the indent of the enclosing containers', '{\n\t"x": {\n\t\t"y": {}\n\t}\n}', [set(['x', 'y', 'z'], 1)], '{\n\t"x": {\n\t\t"y": {\n\t\t\t"z": 1\n\t\t}\n\t}\n}'],
    ['takes the indent that dominates where no enclosing container shows one', '{"a": {\n    "b": 1\n}, "l": []}', [append(['l'], 1)], '{"a": {\n    "b": 1\n}, "l": [\n    1\n]}'],
    ['stays on one line in a minified document', '{"hooks":{},"l":[]}', [set(['hooks', 'a'], [1]), append(['l'], {})], '{"hooks":{"a":[1]},"l":[{}]}'],
    ['uses the space that is there', '{"hooks": { }}', [set(['hooks', 'a'], 1)], '{"hooks": { "a": 1 }}'],
    ['goes below a comment', '{\n  // nothing yet\n}', [set(['a'], 1)], '{\n  // nothing yet\n  "a": 1\n}'],
    ['goes behind a comment on one line', '{"a": {/* none */}}', [set(['a', 'b'], 1)], '{"a": {/* none */ "b": 1}}'],
    ['keeps a line end of its own as an empty line, so that a removal can tell it from {}', '{\n}\n', [set(['a'], 1)], '{\n  "a": 1\n\n}\n'],
    ['writes a whole document into an empty file', '', [set(['a'], 1)], '{\n  "a": 1\n}\n'],
    ['writes a whole document over white space', ' \r\n', [set(['a', 'b'], 1)], '{\r\n  "a": {\r\n    "b": 1\r\n  }\r\n}\r\n'],
    ['leaves an empty file empty where nothing is asked', ' \n', [prune('a')], ' \n'],
  ]);
});

describe('adding an element', () => {
  run([
    ['goes to the end of the array', '{\n  "l": [\n    1,\n    2\n  ]\n}', [append(['l'], 3)], '{\n  "l": [\n    1,\n    2,\n    3\n  ]\n}'],
    ['takes one line where the last object does', '{\n  "l": [\n    { "a": 1, "b": [2] }\n  ]\n}', [append(['l'], { c: 3 })], '{\n  "l": [\n    { "a": 1, "b": [2] },\n    { "c": 3 }\n  ]\n}'],
    ['takes several lines where the last object does', '{"l": [{\n  "a": 1\n}]}', [append(['l'], { b: 2 })], '{"l": [{\n  "a": 1\n}, {\n  "b": 2\n}]}'],
    ['fills up the last line of packed numbers', '{"l": [\n  1, 2,\n  3, 4\n]}', [append(['l'], 5)], '{"l": [\n  1, 2,\n  3, 4, 5\n]}'],
    ['reaches an array inside an array', '{"l": [[1], [2]]}', [append(['l', 1], 3)], '{"l": [[1], [2, 3]]}'],
    ['puts several one after the other', '{"l": []}', [append(['l'], 1), append(['l'], 2)], '{"l": [1, 2]}'],
  ]);
});

describe('replacing a value', () => {
  run([
    ['touches nothing but the value', '{\n  "a"  :  1 , // one\n  "b": 2\n}', [set(['a'], 'x')], '{\n  "a"  :  "x" , // one\n  "b": 2\n}'],
    ['writes nothing where the value is the same', '{"a": {"y": 1.0, /* c */ "x": [2]}}', [set(['a'], { x: [2], y: 1 })], '{"a": {"y": 1.0, /* c */ "x": [2]}}'],
    ['keeps one line on one line', '{\n  "args": ["-y", "x"]\n}', [replace(['args'], ['-y', 'z', 1])], '{\n  "args": ["-y", "z", 1]\n}'],
    ['keeps several lines', '{\n  "l": [\n    1\n  ]\n}', [set(['l'], [1, 2])], '{\n  "l": [\n    1,\n    2\n  ]\n}'],
    ['replaces an element', '{"l": [1, 2, 3]}', [replace(['l', 1], 'x')], '{"l": [1, "x", 3]}'],
    ['finds a key that is spelt with escapes', '{"\\u0061": 1}', [set(['a'], 2)], '{"\\u0061": 2}'],
    ['does not take a backslash for an escape', '{"\\n": 1}', [set(['\\n'], 2)], '{"\\n": 1, "\\\\n": 2}'],
  ]);

  test('a value that is the same makes no splice', () => {
    const text = '{"a": {"x": [1, 2]}}';
    expect(lax.edit(text, [set(['a'], { x: [1, 2] })])).toEqual({ ok: true, text, created: [], splices: [] });
  });
});

describe('removing', () => {
  run([
    ['takes the line of the first entry', '{\n  "a": 1,\n  "b": 2\n}', [remove('a')], '{\n  "b": 2\n}'],
    ['takes the line of a middle entry', '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}', [remove('b')], '{\n  "a": 1,\n  "c": 3\n}'],
    ['takes the comma before the last entry', '{\n  "a": 1,\n  "b": 2\n}', [remove('b')], '{\n  "a": 1\n}'],
    ['leaves no comma that was not there', '{"l": [1,2]}', [remove('l', 1)], '{"l": [1]}'],
    ['takes one comma in a compact array', '{"l": [1,2,3]}', [remove('l', 1)], '{"l": [1,3]}'],
    ['keeps the spacing around a comma', '{"l": ["x" , "y"]}', [remove('l', 1)], '{"l": ["x" ]}'],
    ['takes an object from a compact array', '{"l":[{"x":1},{"y":2}]}', [remove('l', 1)], '{"l":[{"x":1}]}'],
    ['keeps the trailing comma of the entry before', '{\n  "a": 1,\n  "b": 2,\n}', [remove('b')], '{\n  "a": 1,\n}'],
    ['takes the trailing comma of the only entry', '{ "b": 2, }', [remove('b')], '{ }'],
    ['closes an object that is empty now', '{\n  "h": {\n    "a": 1\n  }\n}', [remove('h', 'a')], '{\n  "h": {}\n}'],
    ['takes the comment beside the entry, keeps those of the neighbours', '{\n  // A\n  "a": 1, // a\n  // B\n  "b": 2, // b\n  // C\n  "c": 3 // c\n}', [remove('b')],
      '{\n  // A\n  "a": 1, // a\n  // B\n  // C\n  "c": 3 // c\n}'],
    ['gives the comma back but not the comment of the entry before', '{\n  "a": 1, // a\n  "b": 2 // b\n  // end\n}', [remove('b')], '{\n  "a": 1 // a\n  // end\n}'],
    ['leaves a comment that stands before the next entry', '{"l": [1, 2, /* three */ 3]}', [remove('l', 1)], '{"l": [1, /* three */ 3]}'],
    ['takes a comment between the entry and its comma', '{"l": [1, 2 /* two */, 3]}', [remove('l', 1)], '{"l": [1, 3]}'],
    ['leaves a comment at the end of a line shared with others', '{\n  "a": 1, "b": 2, // both\n  "c": 3\n}', [remove('b')], '{\n  "a": 1, // both\n  "c": 3\n}'],
    ['never lets a line comment swallow the bracket', '{"a": 1, // a\n  "b": 2 }', [remove('b')], '{"a": 1 // a\n }'],
    ['takes the leading comma where commas lead', '{\n  "a": 1\n, "b": 2\n, "c": 3\n}', [remove('b')], '{\n  "a": 1\n, "c": 3\n}'],
    ['takes the leading comma of the last entry', '{\n  "a": 1\n, "b": 2\n}', [remove('b')], '{\n  "a": 1\n}'],
    ['takes an entry of several lines', '{\r\n  "a": {\r\n    "x": 1\r\n  },\r\n  "b": 2\r\n}', [remove('a')], '{\r\n  "b": 2\r\n}'],
    ['shifts the elements behind', '{"l": [1, 2, 3]}', [remove('l', 0), replace(['l', 0], 'x')], '{"l": ["x", 3]}'],
    ['prunes an empty container', '{\n  "a": 1,\n  "h": { }\n}', [prune('h')], '{\n  "a": 1\n}'],
    ['prunes nothing that has an entry, a comment, no brackets, or is not there', '{"a": [1], "b": {/* c */}, "c": "", "d": {}}', [prune('a'), prune('b'), prune('c'), prune('e'), prune('c', 'x'), prune()],
      '{"a": [1], "b": {/* c */}, "c": "", "d": {}}'],
  ]);
});

describe('splices', () => {
  test('two distant edits are two splices of the original text', () => {
    const text = `{\n  "a": 1,\n  "x": "${'x'.repeat(100)}",\n  "b": {\n    "c": 2\n  }\n}\n`;
    const result = lax.edit(text, [set(['b', 'd'], 3), set(['a'], 5), set(['b', 'e'], 4)]);
    const behind = text.indexOf('"c": 2') + 6;
    expect(result.ok && result.splices).toEqual([
      { start: 9, end: 10, text: '5' },
      { start: behind, end: behind, text: ',\n    "d": 3,\n    "e": 4' },
    ]);
  });

  test('an edit that takes itself back makes no splice', () => {
    const text = '{\n  "a": 1\n}';
    expect(lax.edit(text, [set(['b', 'c'], 1), remove('b', 'c'), prune('b')])).toEqual({ ok: true, text, created: [], splices: [] });
  });

  test('a comma and an entry with a comment between are two splices', () => {
    const result = lax.edit('{\n  "a": 1 // one\n}', [set(['b'], 2)]);
    expect(result.ok && result.splices).toEqual([{ start: 10, end: 10, text: ',' }, { start: 17, end: 17, text: '\n  "b": 2' }]);
  });
});

describe('reading', () => {
  test('takes the last of duplicate keys', () => {
    expect(strict.read('{"a":1,"a":2}')).toEqual({ ok: true, value: { a: 2 } });
  });
  test('leaves out comments and trailing commas, also those that look like strings', () => {
    expect(lax.read('// "x": 1,\n{"a": [1, /* , */ 2 /**/ , ], // }\n "b": "// no", }//')).toEqual({ ok: true, value: { a: [1, 2], b: '// no' } });
  });
  test('takes __proto__ as an own key and sets no prototype', () => {
    for (const text of ['{"__proto__": {"x": 1}}', '{/**/"__proto__": {"x": 1}}']) {
      const result = lax.read(text);
      if (!result.ok) throw new Error(result.fault.message);
      expect(Object.keys(result.value as object)).toEqual(['__proto__']);
      expect(Object.getPrototypeOf(result.value)).toBe(Object.prototype);
    }
  });
  test('takes white space for an empty object where the client does', () => {
    expect(lax.read(' \r\n\t')).toEqual({ ok: true, value: {} });
  });
});

describe('refusing a document', () => {
  type Refusal = [sentence: string, text: string, tolerance: Tolerance, code: string, message: string, place: [line: number, column: number]];
  const refusals: Refusal[] = [
    ['a comment that the client does not read', '{\n  // c\n  "a": 1\n}', STRICT, 'client-rejects', 'comments', [2, 3]],
    ['a trailing comma that the client does not read', '{\n  "a": [1,]\n}', STRICT, 'client-rejects', 'trailing commas', [2, 10]],
    ['the first of both', '{"a": 1, /* c */ }', { ...STRICT, emptyIsObject: true }, 'client-rejects', 'trailing commas', [1, 8]],
    ['a trailing comma where only comments are read', '{"a": 1, /* c */ }', { ...STRICT, comments: true }, 'client-rejects', 'trailing commas', [1, 8]],
    ['an empty file', '', STRICT, 'empty-file', 'empty', [1, 1]],
    ['a file of white space', ' \n ', STRICT, 'empty-file', 'empty', [1, 1]],
    ['a file of comments', '// c\n', LAX, 'invalid-document', 'end of the file', [2, 1]],
    ['an array', ' [1]', LAX, 'not-an-object', 'not an object', [1, 2]],
    ['a number', '1', STRICT, 'not-an-object', 'not an object', [1, 1]],
    ['a truncated document', '{\n  "a": [1', LAX, 'invalid-document', 'found the end of the file where a comma or a closing bracket', [2, 10]],
    ['a document that ends in a string', '{"a": "secret', LAX, 'invalid-document', 'the file ends inside a string', [1, 14]],
    ['a document that ends in a comment', '{} /* secret', LAX, 'invalid-document', 'a comment that is never closed', [1, 4]],
    ['two documents', '{}\n{}', LAX, 'invalid-document', 'a second document', [2, 1]],
    ['single quotes', "{'a': 1}", LAX, 'invalid-document', 'not in double quotes', [1, 2]],
    ['a bare key', '{a: 1}', LAX, 'invalid-document', 'a bare word where a key', [1, 2]],
    ['a bad escape', '{"a": "\\x41"}', LAX, 'invalid-document', 'an escape sequence that JSON does not have', [1, 8]],
    ['a cut unicode escape', '{"a": "\\u12"}', LAX, 'invalid-document', 'an escape sequence', [1, 8]],
    ['a control character in a string', '{"a": "x\ty"}', LAX, 'invalid-document', 'a control character', [1, 9]],
    ['a line end in a string', '{"a": "x\n"}', LAX, 'invalid-document', 'not closed on its line', [1, 9]],
    ['a leading zero', '{"a": 01}', LAX, 'invalid-document', 'a number that JSON does not have', [1, 7]],
    ['a leading point', '{"a": .5}', LAX, 'invalid-document', 'a number that JSON does not have', [1, 7]],
    ['a trailing point', '{"a": 1.}', LAX, 'invalid-document', 'a number that JSON does not have', [1, 7]],
    ['a plus sign', '{"a": +1}', LAX, 'invalid-document', 'a number that JSON does not have', [1, 7]],
    ['a hexadecimal number', '{"a": 0x1F}', LAX, 'invalid-document', 'a number that JSON does not have', [1, 7]],
    ['NaN', '{"a": NaN}', LAX, 'invalid-document', 'a bare word where a value', [1, 7]],
    ['a word that only begins like true', '{"a": truest}', LAX, 'invalid-document', 'a bare word', [1, 7]],
    ['a missing comma', '{"a": 1 "b": 2}', LAX, 'invalid-document', 'a string where a comma', [1, 9]],
    ['a missing colon', '{"a" 1}', LAX, 'invalid-document', 'a number where ":"', [1, 6]],
    ['a comma alone', '{,}', LAX, 'invalid-document', '"," where a key', [1, 2]],
    ['two commas', '{"a": [1,,2]}', LAX, 'invalid-document', '"," where a value', [1, 10]],
    ['the wrong bracket', '{"a": [1}}', LAX, 'invalid-document', '"}" where a comma', [1, 9]],
    ['a byte order mark that was left in the text', '\ufeff{}', LAX, 'invalid-document', 'an unexpected character', [1, 1]],
    ['a no-break space', '{\u00a0}', LAX, 'invalid-document', 'an unexpected character', [1, 2]],
    ['NUL characters', '{"a": 1}\0\0', LAX, 'invalid-document', 'a control character', [1, 9]],
    ['conflict markers', '{\n<<<<<<< HEAD\n  "a": 1\n=======\n  "a": 2\n>>>>>>> theirs\n}', LAX, 'merge-conflict-markers', 'merge conflict', [2, 1]],
    ['a conflict marker after another fault', '{ "a" 1\n<<<<<<< HEAD\n}', LAX, 'merge-conflict-markers', 'merge conflict', [2, 1]],
    ['half-resolved conflict markers', '{\n  "a": 1,\r\n=======\r\n}', LAX, 'merge-conflict-markers', 'merge conflict', [3, 1]],
  ];
  test.each(refusals)('%s', (_sentence, text, tolerance, code, message, [line, column]) => {
    const editor = jsonEditor(tolerance);
    for (const result of [editor.read(text), editor.edit(text, [set(['b'], 1)])]) {
      if (result.ok) throw new Error('it was accepted');
      expect(result.fault).toMatchObject({ code, line, column });
      expect(result.fault.message).toContain(message);
      expect(result.fault.message).not.toContain('secret');
    }
  });

  test('conflict markers inside strings and comments are text', () => {
    expect(lax.read('{"a": "<<<<<<< x" /*\n=======\n>>>>>>> */}').ok).toBe(true);
  });
});

describe('refusing an edit', () => {
  type Refusal = [sentence: string, text: string, op: EditOp, code: string, message: string, place: [line: number, column: number]];
  const refusals: Refusal[] = [
    ['a key that stands there twice', '{"a": 1,\n"a": 2}', set(['a'], 3), 'duplicate-key', 'a stands there twice', [2, 1]],
    ['a container on the path that stands there twice', '{"h": {},\n "\\u0068": {}}', set(['h', 'x'], 3), 'duplicate-key', 'h stands', [2, 2]],
    ['a duplicate in front of a prune', '{"h": {}, "h": {}}', prune('h'), 'duplicate-key', 'h stands', [1, 11]],
    ['an object where an array is needed', '{"h": {"p": {}}}', append(['h', 'p'], 1), 'wrong-type', 'h.p is an object, not an array', [1, 13]],
    ['an array where an object is needed', '{"h": [1]}', set(['h', 'p'], 1), 'wrong-type', 'h is an array, not an object', [1, 7]],
    ['a string where an object is needed', '{"h": "secret"}', set(['h', 'p', 'q'], 1), 'wrong-type', 'h is a string, not an object', [1, 7]],
    ['null where an object is needed', '{"h": null}', append(['h', 'p'], 1), 'wrong-type', 'h is null, not an object', [1, 7]],
    ['a number where an array is needed', '{"h": 5}', append(['h'], 1), 'wrong-type', 'h is a number, not an array', [1, 7]],
    ['the document where an array is needed', '{"h": 5}', append([], 1), 'wrong-type', 'the document is an object, not an array', [1, 1]],
    ['a removal of what is not there', '{"h": {}}', remove('h', 'x'), 'wrong-type', 'there is nothing at h.x', [1, 7]],
    ['a replacement of what is not there', '{"h": [1]}', replace(['h', 1], 2), 'wrong-type', 'there is nothing at h[1]', [1, 7]],
    ['setting an element', '{"h": [1]}', set(['h', 0], 2), 'wrong-type', 'h[0] cannot be set', [1, 1]],
    ['adding an element by its number', '{"h": [1]}', set(['h', 1, 'x'], 2), 'wrong-type', 'only keys can be added', [1, 7]],
    ['an array in the middle of a new path', '{}', set(['h', 0, 'x'], 2), 'wrong-type', 'only keys can be added', [1, 1]],
    ['removing the document', '{}', remove(), 'wrong-type', 'the document itself', [1, 1]],
    ['a value that is not JSON', '{}', set(['a'], undefined as unknown as JsonValue), 'internal', 'nothing was changed', [1, 1]],
    ['a number that is not JSON', '{}', set(['a'], Infinity), 'internal', 'nothing was changed', [1, 1]],
  ];
  test.each(refusals)('%s', (_sentence, text, op, code, message, [line, column]) => {
    const result = lax.edit(text, [op]);
    if (result.ok) throw new Error('it was accepted');
    expect(result.fault).toMatchObject({ code, line, column });
    expect(result.fault.message).toContain(message);
    expect(result.fault.message).not.toContain('secret');
  });

  test('one operation that fails refuses all, at its place in the file as it is', () => {
    const result = lax.edit('{\n  "a": 1,\n  "s": "x"\n}', [set(['a'], { long: 'x'.repeat(50) }), set(['b', 'c'], 1), set(['s', 'x'], 2)]);
    expect(!result.ok && result.fault).toMatchObject({ code: 'wrong-type', line: 3, column: 8 });
  });
});

describe('the proof after an edit', () => {
  const source = (text: string): Source => ({ text, ends: new Map() });
  const before = '{"n": 1.0, "k": {"x": [1e400] /* c */}, "o": 1}';
  const proves = (after: string): boolean => {
    const intent = intentOf(source(before), 0);
    applyIntent(intent, set(['k', 'y'], [1, 2]), false);
    applyIntent(intent, remove('o'), false);
    return meetsIntent(intent, source(after), 0);
  };

  test('accepts what was asked for', () => {
    expect(proves('{"n": 1.0, "k": {"x": [1e400] /* c */,"y":[1,2]}}')).toBe(true);
  });
  test.each([
    ['a number that nobody touched is spelt in another way', '{"n": 1, "k": {"x": [1e400], "y": [1, 2]}}'],
    ['an untouched value lost a digit that JavaScript does not see', '{"n": 1.0, "k": {"x": [1e401], "y": [1, 2]}}'],
    ['a key is spelt in another way', '{"\\u006e": 1.0, "k": {"x": [1e400], "y": [1, 2]}}'],
    ['keys changed places', '{"k": {"x": [1e400], "y": [1, 2]}, "n": 1.0}'],
    ['the new value is another', '{"n": 1.0, "k": {"x": [1e400], "y": [1, 3]}}'],
    ['the new key is missing', '{"n": 1.0, "k": {"x": [1e400]}}'],
    ['the removed key is still there', '{"n": 1.0, "k": {"x": [1e400], "y": [1, 2]}, "o": 1}'],
    ['an object became an array', '{"n": 1.0, "k": [[1e400], [1, 2]]}'],
  ])('refuses where %s', (_sentence, after) => {
    expect(proves(after)).toBe(false);
  });
});

describe('bounds', () => {
  const nested = (levels: number): string => `{"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

  test('3,000 levels are read and edited', () => {
    expect(lax.read(nested(3000)).ok).toBe(true);
    expect(edited(nested(3000), set(['a'], 1))).toBe(`${nested(3000).slice(0, -1)},"a":1}`);
  });
  test('the limit of levels is read, one more is refused', () => {
    expect(lax.read(nested(JSON_DEPTH_MAX)).ok).toBe(true);
    expect(edited(nested(JSON_DEPTH_MAX), remove('x'))).toBe('{}');
    expect(edited(nested(JSON_DEPTH_MAX), set(['x'], [1]))).toBe('{"x":[1]}');
    const result = lax.read(nested(JSON_DEPTH_MAX + 1));
    expect(!result.ok && result.fault.code).toBe('too-deep');
  });
  test.each([['closed', nested(100_000)], ['open', '{"x":'.repeat(100_000)], ['mixed', '[{"a":'.repeat(100_000)]])('100,000 levels, %s, are refused', (_name, text) => {
    for (const result of [lax.read(text), lax.edit(text, [set(['a'], 1)])]) expect(!result.ok && result.fault.code).toBe('too-deep');
  });
  test('a path through thousands of levels is followed', () => {
    const path = Array.from({ length: 3000 }, () => 'a');
    const text = `${'{"a":'.repeat(3000)}{}${'}'.repeat(3000)}`;
    const there = edited(text, set([...path, 'b'], 1));
    expect(there).toContain('{"b":1}');
    expect(edited(there, remove(...path, 'b'))).toBe(text);
  });
  test('new values and new paths of absurd depth are refused', () => {
    let value: JsonValue = 1;
    for (let i = 0; i < 100_000; i++) value = [value];
    for (const op of [set(['a'], value), set(Array.from({ length: 5000 }, () => 'a'), 1)]) {
      const result = lax.edit('{}', [op]);
      expect(!result.ok && result.fault.code).toBe('too-deep');
    }
  });
  test('a text of the greatest length is read, one character more is refused', () => {
    const text = `{"a":"${'x'.repeat(TEXT_CHARS_MAX - 8)}"}`;
    expect(text.length).toBe(TEXT_CHARS_MAX);
    expect(lax.read(text).ok).toBe(true);
    const result = lax.read(`${text} `);
    expect(!result.ok && result.fault.code).toBe('too-large');
    const grown = lax.edit(text, [set(['b'], 1)]);
    expect(!grown.ok && grown.fault.code).toBe('too-large');
  });
  test('an array of millions of elements is not edited, but may stand beside', () => {
    const text = `{"l":[${'1,'.repeat(1024 * 1024)}1],"h":{}}`;
    const result = lax.edit(text, [append(['l'], 1)]);
    expect(!result.ok && result.fault.code).toBe('too-large');
    expect(edited(text, set(['h', 'a'], 1)).endsWith('"h":{"a":1}}')).toBe(true);
  });
  test('a document of 20 MB is read and edited in a moment', () => {
    const record = { id: 1, display: 'a prompt with "quotes" and \n line ends', ok: true, path: '/home/u' };
    const text = JSON.stringify({ old: 1, projects: Array.from({ length: 160_000 }, () => record), hooks: {} }, null, 2);
    expect(text.length).toBeGreaterThan(20_000_000);
    const start = performance.now();
    expect(strict.read(text).ok).toBe(true);
    const after = edited(text, append(['hooks', 'Pre'], { a: 1 }), append(['hooks', 'Post'], { a: 1 }), set(['mcpServers', 'p'], 1), remove('old'));
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(after.length).toBeGreaterThan(text.length);
  });
});
