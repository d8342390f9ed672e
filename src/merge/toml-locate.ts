// Contract: where and in which form the value at a path stands in a TOML document. PURE, reads only.
import type { AST } from 'toml-eslint-parser';
import type { MergeFault } from '../model/edit.ts';
import { showPath } from '../model/json.ts';
import type { Path } from '../model/json.ts';
import { faultAt } from './text.ts';
import { keySteps } from './toml-document.ts';
import type { Header, Pair, TomlDocument } from './toml-document.ts';
import type { Container } from './toml-inline.ts';

export type Site =
  | { readonly kind: 'root' }
  /** `[a]`, or one element of `[[a]]`. */
  | { readonly kind: 'header'; readonly header: Header }
  /** All `[[a]]` together. */
  | { readonly kind: 'tables'; readonly first: Header }
  /** A table that exists through the dotted keys of one body; `last` is the last of them. */
  | { readonly kind: 'dotted'; readonly last: Pair }
  /** A table that exists only through the headers of its sub-tables. */
  | { readonly kind: 'implicit'; readonly first: Header }
  /** What stands behind a `=` or in an array. `within` is the inline container that holds it, if any. */
  | { readonly kind: 'value'; readonly node: AST.TOMLContentNode; readonly within: Within | undefined }
  /** A table that exists through dotted keys inside the inline table at `base`. */
  | { readonly kind: 'inline-dotted'; readonly table: AST.TOMLInlineTable; readonly base: Path }
  | { readonly kind: 'missing' };

export interface Within { readonly container: Container; readonly index: number }

export function startsWith(path: Path, prefix: Path): boolean {
  return prefix.length <= path.length && prefix.every((step, i) => step === path[i]);
}

export function locate(doc: TomlDocument, path: Path): Site {
  if (path.length === 0) return { kind: 'root' };
  const holder = doc.pairs.find((pair) => startsWith(path, pair.path));
  if (holder !== undefined) return descend(holder.node.value, path, holder.path.length, undefined);
  const exact = doc.headers.find((header) => header.path.length === path.length && startsWith(header.path, path));
  if (exact !== undefined) return { kind: 'header', header: exact };
  const below = doc.headers.find((header) => startsWith(header.path, path));
  if (below !== undefined && typeof below.path[path.length] === 'number') return { kind: 'tables', first: below };
  // A pair in the body of a header below the path does not define the path; its header does.
  const dotted = doc.pairs.findLast((pair) => startsWith(pair.path, path) && !startsWith(pair.base, path));
  if (dotted !== undefined) return { kind: 'dotted', last: dotted };
  return below === undefined ? { kind: 'missing' } : { kind: 'implicit', first: below };
}

function descend(node: AST.TOMLContentNode, path: Path, depth: number, within: Within | undefined): Site {
  if (depth === path.length) return { kind: 'value', node, within };
  const step = path[depth];
  if (node.type === 'TOMLArray') {
    const item = typeof step === 'number' ? node.elements[step] : undefined;
    return item === undefined ? { kind: 'missing' } : descend(item, path, depth + 1, { container: node, index: step as number });
  }
  if (node.type !== 'TOMLInlineTable') return { kind: 'missing' };
  const rest = path.slice(depth);
  for (const [index, pair] of node.body.entries()) {
    const steps = keySteps(pair.key);
    if (startsWith(rest, steps)) return descend(pair.value, path, depth + steps.length, { container: node, index });
    if (startsWith(steps, rest)) return { kind: 'inline-dotted', table: node, base: path.slice(0, depth) };
  }
  return { kind: 'missing' };
}

const NOUN = { table: 'a table', array: 'an array', scalar: 'a single value' } as const;

function accepts(site: Site): keyof typeof NOUN {
  if (site.kind === 'tables') return 'array';
  if (site.kind !== 'value' || site.node.type === 'TOMLInlineTable') return 'table';
  return site.node.type === 'TOMLArray' ? 'array' : 'scalar';
}

function offsetOf(site: Site): number {
  if (site.kind === 'header') return site.header.node.range[0];
  if (site.kind === 'tables' || site.kind === 'implicit') return site.first.node.range[0];
  if (site.kind === 'dotted') return site.last.node.range[0];
  if (site.kind === 'value') return site.node.range[0];
  return site.kind === 'inline-dotted' ? site.table.range[0] : 0;
}

export function wrongType(doc: TomlDocument, path: Path, message: string): MergeFault {
  return faultAt(doc.text, 'wrong-type', message, offsetOf(locate(doc, path)));
}

export type Walk = { readonly ok: true; readonly depth: number } | { readonly ok: false; readonly fault: MergeFault };

/** How many steps of the path exist. A step that does not fit its container, or an element that is not there, is a fault. */
export function walk(doc: TomlDocument, path: Path): Walk {
  for (let depth = 0; depth < path.length; depth += 1) {
    const here = path.slice(0, depth);
    const step = path[depth];
    const found = accepts(locate(doc, here));
    const wanted = typeof step === 'number' ? 'array' : 'table';
    if (found !== wanted) {
      const name = depth === 0 ? 'the document' : showPath(here);
      return { ok: false, fault: wrongType(doc, here, `${name} is ${NOUN[found]}, not ${NOUN[wanted]}`) };
    }
    if (locate(doc, path.slice(0, depth + 1)).kind !== 'missing') continue;
    if (path.slice(depth).some((rest) => typeof rest === 'number')) {
      return { ok: false, fault: wrongType(doc, here, `there is no element ${showPath(path)}`) };
    }
    return { ok: true, depth };
  }
  return { ok: true, depth: path.length };
}
