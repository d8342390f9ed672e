// Contract: text broken at spaces to a width. A command at the end of a text stays in one piece, so that it can be copied. PURE.

const COMMAND = /\bpraetorctl (?:clients|doctor|policy|receipts|start)\b.*$/;

/** What stands before a command of ours at the end of a text, and the command; empty where there is none. */
export function splitCommand(text: string): readonly [before: string, command: string] {
  const at = text.search(COMMAND);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
}

function pieces(text: string): string[] {
  const [before, command] = splitCommand(text);
  const words = before.split(' ').filter((word) => word !== '');
  return command === '' ? words : [...words, command];
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
