// Contract: receipts as git objects: one commit per receipt with exactly one file `receipt`, one signed line in it. Writing needs no work
// tree; reading goes through two processes of git for thousands of receipts, with every size known before it is read. Through git.ts.
import { makeDirs, OWN_DIR_MODE } from '../clientsetup/statefiles.ts';
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { git, gitLine, type GitPlace } from './git.ts';
import { SIGNED_LINE_BYTES_MAX } from './signed-line.ts';

const FILE = 'receipt';
/** `100644 receipt`, NUL and a SHA-1: a tree of this size holds one file with a name of seven letters. */
const TREE_BYTES = 35;
const READ_AT_ONCE = 2_000;
const READ_BYTES_MAX = READ_AT_ONCE * (SIGNED_LINE_BYTES_MAX + 256);
/** Commits that one look reads. A fleet of a thousand hosts writes so many in half a year. */
export const RECEIPTS_PER_LOOK_MAX = 200_000;
const LIST_BYTES_MAX = 32 * 1024 * 1024;
/** Commits carry no person: one name for every workstation. */
const WRITER = { 'user.name': 'praetorctl', 'user.email': 'receipts@praetorctl.invalid' };

/** A bare repository of ours; made where it is missing. */
export function ownRepository(host: Host, directory: string): GitPlace {
  const gitDir = host.platform === 'win32' ? `${directory}\\evidence.git` : `${directory}/evidence.git`;
  makeDirs(host, directory, OWN_DIR_MODE);
  const place = { host, cwd: directory, gitDir };
  if (host.stat(gitDir) === undefined) git({ host, cwd: directory }, ['init', '--quiet', '--bare', '--', gitDir]);
  return place;
}

export function writeReceipt(place: GitPlace, line: string, parent: string | null, date: string): string {
  const blob = gitLine(place, ['hash-object', '-w', '--stdin'], { input: `${line}\n` });
  const tree = gitLine(place, ['mktree'], { input: `100644 blob ${blob}\t${FILE}\n` });
  return gitLine(place, ['commit-tree', ...(parent === null ? [] : ['-p', parent]), '-m', FILE, tree], { config: WRITER, date });
}

export function refsBelow(place: GitPlace, prefix: string): ReadonlyMap<string, string> {
  const text = git(place, ['for-each-ref', '--format=%(objectname) %(refname)', prefix], { maxBytes: LIST_BYTES_MAX });
  return new Map(text.split('\n').filter((line) => line !== '').map((line) => [line.slice(41), line.slice(0, 40)]));
}

/** Parents of every commit that is reachable from `heads` and not from `stops`. */
export function commitsBetween(place: GitPlace, heads: readonly string[], stops: readonly string[]): ReadonlyMap<string, readonly string[]> {
  if (heads.length === 0) return new Map();
  const input = [...heads, ...stops.map((id) => `^${id}`)].join('\n');
  const text = git(place, ['rev-list', '--parents', '--ignore-missing', `--max-count=${RECEIPTS_PER_LOOK_MAX + 1}`, '--stdin'], { input: `${input}\n`, maxBytes: LIST_BYTES_MAX });
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length > RECEIPTS_PER_LOOK_MAX) throw new PraetorError({ code: 'git-bounds', where: { path: place.gitDir ?? place.cwd }, message: `there are more than ${RECEIPTS_PER_LOOK_MAX} receipts that were not verified yet`, fix: 'shard the evidence repository by host id (docs/receipts.md)' });
  return new Map(lines.map((line) => { const [id = '', ...parents] = line.split(' '); return [id, parents]; }));
}

interface Size { readonly id: string; readonly type: string; readonly size: number }

function sizesOf(place: GitPlace, names: readonly string[]): readonly (Size | undefined)[] {
  const text = git(place, ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'], { input: `${names.join('\n')}\n` });
  return text.split('\n').slice(0, names.length).map((line) => {
    const [, id = '', type = '', size = ''] = /^([0-9a-f]{40}) (\w+) (\d+)$/.exec(line) ?? [];
    return id === '' ? undefined : { id, type, size: Number(size) };
  });
}

/** One character per byte: what is no text fails later, as a line. */
function contentsOf(place: GitPlace, ids: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (ids.length === 0) return found;
  const text = git(place, ['cat-file', '--batch'], { input: `${ids.join('\n')}\n`, bytes: true, maxBytes: READ_BYTES_MAX });
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const [id = '', , size = ''] = text.slice(at, end).split(' ');
    found.set(id, text.slice(end + 1, end + 1 + Number(size)));
    at = end + 2 + Number(size);
  }
  return found;
}

export type ReceiptLine = { readonly line: string } | { readonly fault: string };

function lineOf(text: string): ReceiptLine {
  if (!text.endsWith('\n') || text.indexOf('\n') !== text.length - 1) return { fault: 'its file does not hold exactly one line' };
  return { line: text.slice(0, -1) };
}

function readSome(place: GitPlace, commits: readonly string[], into: Map<string, ReceiptLine>): void {
  const sizes = sizesOf(place, commits.flatMap((id) => [`${id}^{tree}`, `${id}:${FILE}`]));
  const good: { commit: string; blob: string }[] = [];
  commits.forEach((commit, i) => {
    const [tree, blob] = [sizes[2 * i], sizes[2 * i + 1]];
    if (tree?.size !== TREE_BYTES || blob?.type !== 'blob') into.set(commit, { fault: `its commit does not hold exactly one file "${FILE}"` });
    else if (blob.size > SIGNED_LINE_BYTES_MAX) into.set(commit, { fault: `its line is longer than ${SIGNED_LINE_BYTES_MAX} bytes` });
    else good.push({ commit, blob: blob.id });
  });
  const texts = contentsOf(place, [...new Set(good.map(({ blob }) => blob))]);
  for (const { commit, blob } of good) into.set(commit, lineOf(texts.get(blob) ?? ''));
}

export function readReceipts(place: GitPlace, commits: readonly string[]): ReadonlyMap<string, ReceiptLine> {
  const found = new Map<string, ReceiptLine>();
  for (let at = 0; at < commits.length; at += READ_AT_ONCE) readSome(place, commits.slice(at, at + READ_AT_ONCE), found);
  return found;
}
