// Contract: bytes of a stream -> its lines, without the line end. A character that is split over two chunks stays whole, since
// only whole lines are decoded. PURE.
export const LINE_BYTES_MAX = 256 * 1024 * 1024;
const NEWLINE = 10;
const RETURN = 13;

/** Gives each chunk, calls `line` for each line that it ends. Throws RangeError where a line is longer than the bound. */
export function lineSplitter(line: (bytes: Buffer) => void, max = LINE_BYTES_MAX): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const last = chunk.subarray(start, end);
      const whole = parts.length === 0 ? last : Buffer.concat([...parts, last]);
      parts = [];
      length = 0;
      start = end + 1;
      line(whole.length > 0 && whole[whole.length - 1] === RETURN ? whole.subarray(0, -1) : whole);
    }
    if (start === chunk.length) return;
    parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > max) throw new RangeError(`a line is longer than ${max} bytes`);
  };
}
