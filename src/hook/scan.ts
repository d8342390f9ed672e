// Contract: finds the end of the first JSON object in a stream of bytes, so that the hook need not wait for the end of input
// (clients keep stdin open). Iterative and linear. It finds the end only; JSON.parse (iterative as well) checks the rest. PURE.

/** The part of Buffer that is needed: skipping through strings natively keeps large documents cheap. */
export interface Bytes {
  readonly length: number;
  readonly [index: number]: number;
  indexOf(value: number, from: number): number;
}

export type ScanState =
  | { readonly state: 'more' }
  /** The object is bytes [start, end). */
  | { readonly state: 'done'; readonly start: number; readonly end: number }
  | { readonly state: 'bad'; readonly reason: string };

const MORE: ScanState = { state: 'more' };

export class DocumentScan {
  private at = 0;
  private start = -1;
  private depth = 0;
  private inString = false;

  /** Scans what is new in bytes [0, length). The same bytes must be passed again, with more behind them. */
  next(bytes: Bytes, length: number): ScanState {
    if (this.start === -1) {
      const bad = this.lead(bytes, length);
      if (bad !== undefined) return bad;
    }
    while (this.at < length) {
      if (this.inString) {
        if (!this.skipString(bytes, length)) return MORE;
        continue;
      }
      const byte = bytes[this.at++];
      if (byte === 0x22) this.inString = true;
      else if (byte === 0x7b || byte === 0x5b) this.depth++;
      else if (byte === 0x7d || byte === 0x5d) {
        if (--this.depth === 0) return this.tail(bytes, length);
      } else if (byte === 0) return { state: 'bad', reason: 'the hook input holds a NUL byte' };
    }
    return MORE;
  }

  /** White space and a byte order mark may come first; then an object must begin. Undefined once it has begun. */
  private lead(bytes: Bytes, length: number): ScanState | undefined {
    while (this.at < length) {
      const byte = bytes[this.at];
      if (this.at === 0 && byte === 0xef) {
        if (length < 3) return MORE;
        if (bytes[1] !== 0xbb || bytes[2] !== 0xbf) return { state: 'bad', reason: 'the hook input is not a JSON object' };
        this.at = 3;
      } else if (isSpace(byte)) this.at++;
      else if (byte === 0x7b) {
        this.start = this.at;
        return undefined;
      } else return { state: 'bad', reason: 'the hook input is not a JSON object' };
    }
    return MORE;
  }

  /** To behind the closing quote; false where it has not come yet. */
  private skipString(bytes: Bytes, length: number): boolean {
    for (;;) {
      const quote = bytes.indexOf(0x22, this.at);
      if (quote === -1 || quote >= length) {
        // Stay before trailing backslashes: the next byte decides what they escape.
        let end = length;
        while (end > this.at && bytes[end - 1] === 0x5c) end--;
        this.at = end;
        return false;
      }
      let slash = quote;
      while (slash > this.at && bytes[slash - 1] === 0x5c) slash--;
      this.at = quote + 1;
      if ((quote - slash) % 2 === 0) {
        this.inString = false;
        return true;
      }
    }
  }

  private tail(bytes: Bytes, length: number): ScanState {
    for (let i = this.at; i < length; i++) {
      if (!isSpace(bytes[i])) return { state: 'bad', reason: 'the hook input holds more than one document' };
    }
    return { state: 'done', start: this.start, end: this.at };
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
