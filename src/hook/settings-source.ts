// Contract: reads a settings document as text and compiles it, where no fresh index exists. IO, a bundle of its own (part
// `source`); yaml and zod come with the part `settings`. The result is kept in our state directory, so that only one call pays.
// Nothing here throws for what a document holds: what cannot be read is a document with a `problem`.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, renameSync, statSync, unlinkSync, writeSync } from 'node:fs';
import type { OperatorRule } from '../policy/operator.ts';
import type { SourceStamp } from '../model/table.ts';
import { NO_CONTRACT_SETTINGS, type PolicyMeta } from '../policy/operator-index.ts';
import { ENGINE_VERSION } from '../policy/build-info.ts';
import { below } from '../roots/own-dirs.ts';
import { ensureDirectory } from './directories.ts';
import { openIndex, sameStamp, stampOf, type PolicyDocument } from './index-reader.ts';
import { checkPattern } from './patterns.ts';
import { PENDING_FILE, type SettingsPlace, type SourceReader } from './settings-index.ts';

/** Compiled forms of workspaces' documents that are kept. */
export const WORKSPACES_MAX = 64;
/** A hook compiles about 0.4 MiB in a second of CPU time; what is larger is left to `policy compile`. */
export const HOOK_SOURCE_BYTES_MAX = 512 * 1024;
const WORKSPACE_BYTES_MAX = 64 * 1024;
const READS_MAX = 3;

/** The part `settings` (settings/bundle.ts); this room does not import it. */
export interface SettingsCompiler {
  readonly compileText: (layer: 'operator' | 'workspace', engine: string, source: SourceStamp, text: string | undefined, tools: {
    readonly checkPattern: (source: string) => string | undefined;
    readonly sha256: (text: string) => string;
    readonly platform: 'linux' | 'darwin' | 'win32';
    readonly home: string | undefined;
  }) => { readonly meta: PolicyMeta; readonly rules: readonly OperatorRule[]; readonly bytes: Uint8Array };
}

export interface ReadText { readonly stamp: SourceStamp; readonly text: string | undefined }

/** The text of a regular file and what the file was; the text is undefined where it is too large or not UTF-8. */
export function readStamped(path: string, bytesMax: number): ReadText {
  for (let attempt = 1; ; attempt++) {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const before = fstatSync(fd, { bigint: true });
      const stamp = stampOf(path, before);
      if (!before.isFile() || stamp.size > bytesMax) return { stamp, text: undefined };
      const bytes = readFileSync(fd);
      // Written to while it was read: the stamp would belong to another text.
      if (!sameStamp(stamp, stampOf(path, fstatSync(fd, { bigint: true }))) && attempt < READS_MAX) continue;
      return { stamp, text: decoded(bytes) };
    } finally {
      closeSync(fd);
    }
  }
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function inMemory(meta: PolicyMeta, rules: readonly OperatorRule[]): PolicyDocument {
  return { meta, rowsFor: (program) => rules.filter((rule) => (program === '' ? rule.programs.length === 0 : rule.programs.includes(program))) };
}

function unreadable(path: string): PolicyDocument {
  return inMemory({
    engine: ENGINE_VERSION, digest: '', sources: [], problem: `${path.slice(path.lastIndexOf('/') + 1)} cannot be opened`, mode: 'default', packs: {}, rules: {}, evaluators: [], rows: 0, contract: NO_CONTRACT_SETTINGS,
  }, []);
}

/** Beside, then renamed: a reader sees the old or the new file. What goes wrong only costs the next call the same work. */
function keep(directory: string, path: string, bytes: Uint8Array): void {
  const temporary = `${path}.${process.pid}.${Date.now().toString(36)}.tmp`;
  try {
    ensureDirectory(directory);
    const fd = openSync(temporary, 'wx', 0o600);
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch {
    try { unlinkSync(temporary); } catch { /* it was not made, or is renamed */ }
  }
}

/** The oldest compiled forms go where there are too many. */
function prune(directory: string): void {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith('.idx'));
    if (names.length <= WORKSPACES_MAX) return;
    const aged = names.map((name) => ({ name, at: statSync(`${directory}/${name}`).mtimeMs })).sort((a, b) => a.at - b.at);
    for (const { name } of aged.slice(0, names.length - WORKSPACES_MAX)) unlinkSync(`${directory}/${name}`);
  } catch { /* another hook does the same */ }
}

export function sourceReader(compiler: () => SettingsCompiler): SourceReader {
  const compile = (layer: 'operator' | 'workspace', place: SettingsPlace, path: string, cache: { directory: string; path: string } | undefined): PolicyDocument => {
    let read: ReadText;
    try {
      read = readStamped(path, layer === 'operator' ? HOOK_SOURCE_BYTES_MAX : WORKSPACE_BYTES_MAX);
    } catch {
      return unreadable(path);
    }
    const platform = place.platform === 'win32' || place.platform === 'darwin' ? place.platform : 'linux';
    const { meta, rules, bytes } = compiler().compileText(layer, ENGINE_VERSION, read.stamp, read.text, { checkPattern, sha256, platform, home: place.home });
    if (cache !== undefined) keep(cache.directory, cache.path, bytes);
    return inMemory(meta, rules);
  };
  return {
    operatorDocument: (place, path) => {
      const cache = place.state === undefined ? undefined : below(place.platform, place.state, PENDING_FILE);
      const pending = cache === undefined ? 'missing' : openIndex(cache);
      if (typeof pending !== 'string') {
        const [source] = pending.meta.sources;
        if (source !== undefined && source.path === path && isStill(source)) return pending;
      }
      return compile('operator', place, path, cache === undefined || place.state === undefined ? undefined : { directory: place.state, path: cache });
    },
    workspaceDocument: (place, path, cache) => {
      const directory = cache === undefined ? '' : cache.slice(0, Math.max(cache.lastIndexOf('/'), cache.lastIndexOf('\\')));
      const document = compile('workspace', place, path, cache === undefined ? undefined : { directory, path: cache });
      if (cache !== undefined) prune(directory);
      return document;
    },
  };
}

function isStill(source: SourceStamp): boolean {
  try {
    return sameStamp(source, stampOf(source.path, statSync(source.path, { bigint: true })));
  } catch {
    return false;
  }
}
