// Contract: text of an event stream (text/event-stream), in pieces -> its events. PURE.

export interface SseEvent { readonly id: string | undefined; readonly type: string; readonly data: string }

export interface SseReader {
  /** Throws RangeError where an event is longer than the bound. */
  readonly push: (text: string) => void;
  /** The last `retry` of the stream. */
  readonly retryMs: () => number | undefined;
}

/** An event that the stream ends within is none. */
export function sseReader(take: (event: SseEvent) => void, charsMax: number): SseReader {
  /** The line that has no end yet; it is not searched again. */
  let held = '';
  let isReturn = false;
  let isFirst = true;
  let data: string[] = [];
  let length = 0;
  let type = '';
  let id: string | undefined;
  let retryMs: number | undefined;
  const field = (line: string): void => {
    if (line === '') {
      // An event that only has an id tells from where to go on.
      if (data.length > 0 || id !== undefined) take({ id, type: type === '' ? 'message' : type, data: data.join('\n') });
      data = [];
      length = 0;
      type = '';
      id = undefined;
      return;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') {
      data.push(value);
      length += value.length;
    } else if (name === 'event') type = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^[0-9]{1,9}$/.test(value)) retryMs = Number(value);
  };
  return {
    retryMs: () => retryMs,
    push: (text) => {
      const piece = isFirst && text.startsWith('\ufeff') ? text.slice(1) : text;
      isFirst &&= text === '';
      if (piece === '') return;
      const ends = /\r\n|\n|\r/g;
      // The other half of the line end before.
      let start = isReturn && piece.startsWith('\n') ? 1 : 0;
      isReturn = piece.endsWith('\r');
      ends.lastIndex = start;
      for (let end = ends.exec(piece); end !== null; end = ends.exec(piece)) {
        field(held + piece.slice(start, end.index));
        held = '';
        start = ends.lastIndex;
      }
      held += piece.slice(start);
      if (held.length + length > charsMax) throw new RangeError(`an event is longer than ${charsMax} characters`);
    },
  };
}
