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
