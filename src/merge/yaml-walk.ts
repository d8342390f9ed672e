// Contract: from a path to the nodes of a document, and whether an edit may touch them. What several places of the document
// share (anchors, aliases, merge keys) or what a tag gives another meaning is refused. PURE.
import type { MergeFault } from '../model/edit.ts';
import { showPath } from '../model/json.ts';
import type { Path } from '../model/json.ts';
import { lineStart } from './lines.ts';
import { faultAt } from './text.ts';
import type { YamlDocument, YamlItem, YamlNode } from './yaml-document.ts';

/** The way to a node: the root, then the item of each step that exists. */
export interface Walked {
  readonly root: YamlNode;
  readonly items: readonly YamlItem[];
}

export type WalkResult = { readonly ok: true; readonly walked: Walked } | { readonly ok: false; readonly fault: MergeFault };

export function fault(doc: YamlDocument, path: Path, offset: number, why: string): MergeFault {
  return faultAt(doc.text, 'wrong-type', `${path.length === 0 ? 'the document' : showPath(path)}: ${why}`, offset);
}

/** The last node on the way, and the one around it. */
export function nodeAt({ root, items }: Walked, depth = items.length): YamlNode {
  return items[depth - 1]?.node ?? root;
}

const isMap = ({ kind }: YamlNode): boolean => kind === 'map' || kind === 'flow-map' || kind === 'pair';
const isSeq = ({ kind }: YamlNode): boolean => kind === 'seq' || kind === 'flow-seq';
export const isFlow = ({ kind }: YamlNode): boolean => kind === 'flow-map' || kind === 'flow-seq';

/** As far as the path exists. A value that is no container of the step's kind stands in the way. */
export function walk(doc: YamlDocument, path: Path): WalkResult {
  const items: YamlItem[] = [];
  let node = doc.root;
  for (const [depth, step] of path.entries()) {
    const before = path.slice(0, depth);
    const why = barrier(doc, node);
    if (why !== undefined) return { ok: false, fault: fault(doc, before, node.start, why) };
    if (node.kind === 'empty') {
      if (typeof step === 'number') return { ok: false, fault: fault(doc, path, node.start, 'there is no such element') };
      break;
    }
    if (typeof step === 'string' ? !isMap(node) : !isSeq(node)) return { ok: false, fault: fault(doc, before, node.start, `it is no ${typeof step === 'string' ? 'map' : 'list'}`) };
    const item: YamlItem | undefined = typeof step === 'number' ? node.items[step] : node.items.find(({ key }) => key === step);
    if (item === undefined) {
      if (typeof step === 'number') return { ok: false, fault: fault(doc, path, node.start, 'there is no such element') };
      break;
    }
    if (item.unusual) return { ok: false, fault: fault(doc, path.slice(0, depth + 1), item.start, 'its key is written in a way that is not edited') };
    items.push(item);
    node = item.node;
  }
  return { ok: true, walked: { root: doc.root, items } };
}

/** Why nothing inside this node may be changed. */
export function barrier(doc: YamlDocument, node: YamlNode): string | undefined {
  if (node.props) return 'it has an anchor or a tag';
  if (node.kind === 'alias') return 'it is an alias';
  if (isMap(node) && node.items.some(({ key }) => key === '<<')) return 'it holds a merge key';
  if (node.kind === 'pair') return 'it is a pair without braces inside a list';
  if (isFlow(node) && !isPlainFlow(doc, node)) return 'it is written in brackets over several lines, with a comment or with a last comma';
  const first = node.items[0];
  if (node.kind !== 'map' && node.kind !== 'seq') return undefined;
  if (first === undefined || first.unusual) return 'its first entry is written in a way that is not edited';
  return doc.text.slice(lineStart(doc.text, first.start), first.start).includes('\t') ? 'a tab stands in front of its first entry' : undefined;
}

function isPlainFlow({ text }: YamlDocument, node: YamlNode): boolean {
  if (text.slice(node.start, node.end).includes('\n') || node.items.some(({ unusual }) => unusual)) return false;
  const last = node.items.at(-1);
  return !text.slice(last?.end ?? node.start, node.end).includes(',');
}

/** Nothing but spaces, or a dash, in front of it on its line. */
export function ownsLine({ text }: YamlDocument, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === '';
}
