// Contract: text broken at spaces to a width. A command at the end of a text stays in one piece, so that it can be copied. PURE.

const COMMAND = /\bpraetorctl (?:clients|doctor|policy|receipts|start)\b.*$/;

function pieces(text: string): string[] {
  const at = text.search(COMMAND);
  const words = (at < 0 ? text : text.slice(0, at)).split(' ').filter((word) => word !== '');
  return at < 0 ? words : [...words, text.slice(at)];
}

/** Lines of at most `width` characters, except where one piece alone is longer. Never without a line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of pieces(text)) {
    if (line === '') line = piece;
    else if (line.length + 1 + piece.length <= width) line += ` ${piece}`;
    else {
      lines.push(line);
      line = piece;
    }
  }
  return [...lines, line];
}
