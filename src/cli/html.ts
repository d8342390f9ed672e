// Contract: HTML in which nothing stands that was not written here: every value put into a template is escaped, unless it is the
// result of one. PURE.
import { printable } from './style.ts';

export interface Html { readonly html: string }
export type HtmlPart = Html | string | number | readonly HtmlPart[];

const ENTITY: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Also for attributes in double quotes. Control and direction characters would let a name look like something else. */
function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => ENTITY[character] ?? '');
}

function rendered(part: HtmlPart): string {
  if (typeof part === 'string') return escaped(part);
  if (typeof part === 'number') return String(part);
  return 'html' in part ? part.html : part.map(rendered).join('');
}

export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return { html: strings.reduce((text, fixed, i) => text + fixed + (i < parts.length ? rendered(parts[i] ?? '') : ''), '') };
}

/** A text of this program that is no markup of a template, such as the style sheet. Never a value. */
export function trusted(text: string): Html {
  return { html: text };
}

export const NOTHING: Html = { html: '' };
