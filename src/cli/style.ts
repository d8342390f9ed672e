// Contract: the look of text output: colour on request, the home shown as `~`, nothing that a terminal would execute. PURE.

export interface Style {
  readonly color: boolean;
  readonly home: string;
  /** Characters that fit on a line; undefined where nobody says. */
  readonly columns?: number | undefined;
}

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, bold: 1, dim: 2 } as const;

export function paint(style: Style, color: keyof typeof CODES, text: string): string {
  return style.color ? `\u001b[${CODES[color]}m${text}\u001b[0m` : text;
}

/** Control characters of file names and the like must not reach the terminal. */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are exactly the characters to replace
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

export function tilde(style: Pick<Style, 'home'>, path: string): string {
  const { home } = style;
  if (path === home) return '~';
  return path.startsWith(`${home}/`) || path.startsWith(`${home}\\`) ? printable(`~${path.slice(home.length)}`) : printable(path);
}

/** Every mention of the home directory, also inside a sentence. */
export function withTilde({ home }: Pick<Style, 'home'>, text: string): string {
  return printable(home === '' ? text : text.split(`${home}/`).join('~/').split(`${home}\\`).join('~\\'));
}
