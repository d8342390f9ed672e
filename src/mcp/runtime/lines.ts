// Contract: bytes of a stream -> its lines, each with its line end. A character that is split over two chunks stays whole, since
// only whole lines are decoded. PURE.
export const LINE_BYTES_MAX = 64 * 1024 * 1024;
const NEWLINE = 10;
const NONE = Buffer.alloc(0);

/** Gives each chunk, calls `line` for each line that it ends. Throws RangeError where a line is longer than the bound. */
export function lineSplitter(line: (bytes: Buffer) => void, max = LINE_BYTES_MAX): (chunk: Buffer) => void {
  // One buffer that doubles: a line that comes byte by byte must cost neither a list of bytes nor a copy for each.
  let held = NONE;
  let used = 0;
  const keep = (bytes: Buffer): void => {
    const length = used + bytes.length;
    if (length > max) throw new RangeError(`a line is longer than ${max} bytes`);
    if (length > held.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * held.length));
      held.copy(larger, 0, 0, used);
      held = larger;
    }
    bytes.copy(held, used);
    used = length;
  };
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const last = start === 0 && end === chunk.length - 1 ? chunk : chunk.subarray(start, end + 1);
      start = end + 1;
      if (used === 0) {
        line(last);
        continue;
      }
      keep(last);
      const whole = held.subarray(0, used);
      held = NONE;
      used = 0;
      line(whole);
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  };
}

export interface Line { readonly text: string; /** What goes on where the line is passed on: exactly what was judged. */ readonly bytes: Buffer }

const RETURN = 13;
/** Readers of other makes end a line there (Node's readline, Python's splitlines): inside one line there would be another. */
const LINE_ENDS = /[\r\u0085\u2028\u2029]/;
const REPLACEMENT = '\uFFFD';

/**
 * Of JSON the meaning stays: a return can only stand between its tokens, the others only in its strings, where an escape says the
 * same. Bytes that are no UTF-8 are read in more than one way, so what goes on is what was read here.
 */
export function readLine(line: Buffer): Line {
  const length = line.length - (line.length > 1 && line[line.length - 2] === RETURN ? 2 : 1);
  const text = line.toString('utf8', 0, length);
  if (LINE_ENDS.test(text)) return rewritten(text.replace(/\r/g, ' ').replace(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`));
  if (text.includes(REPLACEMENT) && !line.subarray(0, length).equals(Buffer.from(text))) return rewritten(text);
  return { text, bytes: line };
}

const rewritten = (text: string): Line => ({ text, bytes: Buffer.from(`${text}\n`) });
