// Contract: makes a directory of ours with those above it, readable by the person alone. IO. Step by step, since
// `recursive: true` of Node 20 does not return for some paths below /proc.
import { mkdirSync } from 'node:fs';

const DEPTH_MAX = 64;

/** Throws where it cannot be made; an existing one is fine. */
export function ensureDirectory(directory: string, depth = 0): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') return;
    const cut = Math.max(directory.lastIndexOf('/'), directory.lastIndexOf('\\'));
    if (code !== 'ENOENT' || cut <= 0 || depth > DEPTH_MAX) throw error;
    ensureDirectory(directory.slice(0, cut), depth + 1);
    mkdirSync(directory, { mode: 0o700 });
  }
}
