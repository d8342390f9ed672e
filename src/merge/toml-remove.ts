// Contract: the lines and inline items that a path occupies, taken away. PURE. The exact inverse of toml-insert.ts.
import type { EditOp, Splice } from '../model/edit.ts';
import type { Path } from '../model/json.ts';
import { keySteps } from './toml-document.ts';
import type { Header, Pair, TomlDocument } from './toml-document.ts';
import { removeItem } from './toml-inline.ts';
import { isBlankLine, lineEnd, lineStart, removeLines } from './lines.ts';
import type { Region } from './lines.ts';
import { startsWith } from './toml-locate.ts';
import type { Site } from './toml-locate.ts';

/** What exists at `path` must be at `site`. Several inline items are removed one after the other, as ops of their own. */
export function removeValue(doc: TomlDocument, site: Site, path: Path): { readonly splices: Splice[] } | { readonly ops: EditOp[] } {
  if (site.kind === 'value' && site.within !== undefined) {
    return { splices: removeItem(doc.text, site.within.container, site.within.index) };
  }
  if (site.kind === 'inline-dotted') {
    const prefix = path.slice(site.base.length);
    const below = site.table.body.map((pair) => keySteps(pair.key)).filter((steps) => startsWith(steps, prefix));
    return { ops: below.map((steps) => ({ op: 'remove', path: [...site.base, ...steps] })) };
  }
  return { splices: removeStatements(doc, path) };
}

function removeStatements(doc: TomlDocument, path: Path): Splice[] {
  const headers = doc.headers.filter((header) => startsWith(header.path, path));
  const pairs = doc.pairs.filter((pair) => startsWith(pair.path, path) && !startsWith(pair.base, path));
  const regions = [...headers.map((header) => blockRegion(doc.text, header)), ...pairs.map((pair) => pairRegion(doc.text, pair))];
  const root = doc.pairs.filter((pair) => pair.header === undefined);
  const last = root.at(-1);
  if (last !== undefined && root.every((pair) => startsWith(pair.path, path)) && headers.length < doc.headers.length) {
    // The blank line between the root's keys and the first header goes with the last of these keys.
    const end = lineEnd(doc.text, last.node.range[1]);
    if (isBlankLine(doc.text, end)) regions.push({ start: end, end: lineEnd(doc.text, end) });
  }
  return removeLines(doc.text, regions);
}

/** From the header to the last key's line, with the blank line above; comments above and below stay. */
function blockRegion(text: string, header: Header): Region {
  const line = lineStart(text, header.node.range[0]);
  const above = line === 0 ? 0 : lineStart(text, line - 1);
  const start = line > 0 && isBlankLine(text, above) ? above : line;
  return { start, end: lineEnd(text, header.node.range[1]) };
}

function pairRegion(text: string, pair: Pair): Region {
  return { start: lineStart(text, pair.node.range[0]), end: lineEnd(text, pair.node.range[1]) };
}
