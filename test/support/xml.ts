// A strict reader of the XML that we write: one root, every tag closed, no attribute twice, entities of XML only. It throws on
// anything else, so that a file of ours is proven without a program that may not be here. Property lists become plain values.
export interface Element { readonly name: string; readonly attributes: Readonly<Record<string, string>>; readonly children: readonly Element[]; readonly text: string }

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function plain(text: string): string {
  if (text.includes('<')) throw new Error('a bare <');
  return text.replace(/&([^;&]*);?/g, (whole, name: string) => {
    const value = ENTITIES[name];
    if (value === undefined || !whole.endsWith(';')) throw new Error(`not an entity: ${whole}`);
    return value;
  });
}

function attributesOf(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  const rest = text.replace(/\s+([A-Za-z][\w:.-]*)="([^"<]*)"/g, (_all, name: string, value: string) => {
    if (name in found) throw new Error(`attribute twice: ${name}`);
    found[name] = plain(value);
    return '';
  });
  if (rest.trim() !== '') throw new Error(`not an attribute: ${rest}`);
  return found;
}

export function parseXml(source: string): Element {
  if (!source.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n')) throw new Error('no XML declaration');
  const body = source.slice(source.indexOf('\n') + 1).replace(/^<!DOCTYPE [^<>[]*>\n/, '');
  const open: { name: string; attributes: Record<string, string>; children: Element[]; text: string }[] = [{ name: '', attributes: {}, children: [], text: '' }];
  let at = 0;
  for (const match of body.matchAll(/<(\/?)([A-Za-z][\w:.-]*)((?:\s+[A-Za-z][\w:.-]*="[^"<]*")*)\s*(\/?)>/g)) {
    const top = open.at(-1);
    if (top === undefined) throw new Error('closed too often');
    top.text += plain(body.slice(at, match.index));
    at = match.index + match[0].length;
    const [, closing, name = '', attributes = '', alone] = match;
    if (closing === '/') {
      if (name !== top.name || attributes !== '') throw new Error(`</${name}> closes <${top.name}>`);
      open.pop();
      open.at(-1)?.children.push(top);
    } else if (alone === '/') top.children.push({ name, attributes: attributesOf(attributes), children: [], text: '' });
    else open.push({ name, attributes: attributesOf(attributes), children: [], text: '' });
  }
  const [document, ...unclosed] = open;
  const root = document?.children[0];
  if (unclosed.length > 0 || document === undefined || root === undefined || document.children.length !== 1) throw new Error('not one root element');
  if ((document.text + plain(body.slice(at))).trim() !== '') throw new Error('text outside the root');
  return root;
}

export type PlistValue = string | number | boolean | PlistValue[] | { [key: string]: PlistValue };

function valueOf({ name, children, text }: Element): PlistValue {
  if (name !== 'dict' && name !== 'array' && children.length > 0) throw new Error(`<${name}> holds elements`);
  if ((name === 'dict' || name === 'array') && text.trim() !== '') throw new Error(`text in <${name}>`);
  if (name === 'string' || name === 'data') return text;
  if (name === 'integer' && /^-?\d+$/.test(text)) return Number(text);
  if ((name === 'true' || name === 'false') && text === '') return name === 'true';
  if (name === 'array') return children.map(valueOf);
  if (name !== 'dict' || children.length % 2 !== 0) throw new Error(`not a value: <${name}>`);
  const found: { [key: string]: PlistValue } = {};
  for (let i = 0; i < children.length; i += 2) {
    const [key, value] = [children[i], children[i + 1]];
    if (key === undefined || value === undefined || key.name !== 'key' || key.children.length > 0 || key.text in found) throw new Error('a dict is keys and values in turn, each key once');
    found[key.text] = valueOf(value);
  }
  return found;
}

export function parsePlist(source: string): PlistValue {
  const root = parseXml(source);
  const [value] = root.children;
  if (root.name !== 'plist' || root.children.length !== 1 || value === undefined) throw new Error('not a property list of one value');
  return valueOf(value);
}

/** The one element of that name below, at any depth. */
export function only(root: Element, name: string): Element {
  const all = (element: Element): Element[] => [...(element.name === name ? [element] : []), ...element.children.flatMap(all)];
  const found = all(root);
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} elements <${name}>`);
  return found[0];
}
