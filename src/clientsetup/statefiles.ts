// Contract: the small durable-file helpers of clientsetup. Everything of ours is written as temp file + rename + directory
// flush, so that a reader never meets half a file, and with 0600/0700, because before-images can hold secrets. Through Host.
import { posix, win32 } from 'node:path';
import { hostErrorCode } from '../host.ts';
import type { Host } from '../host.ts';

/** The praetorctl directories that clientsetup uses (a part of what roots/own-dirs.ts answers). */
export interface StateDirs {
  readonly state: string;
  readonly runs: string;
  readonly locks: string;
}

export const OWN_FILE_MODE = 0o600;
export const OWN_DIR_MODE = 0o700;

const TEMP_NAME = /^\.praetorctl-[0-9a-f]{16}\.tmp$/;

/** Path arithmetic of the platform that the host stands for; node:path itself touches nothing. */
export function pathsOf(host: Host): typeof posix {
  return host.platform === 'win32' ? win32 : posix;
}

/** A fresh temp name in a directory. Always on the same file system as the final name, or the rename would not be atomic. */
export function tempIn(host: Host, directory: string): string {
  return pathsOf(host).join(directory, `.praetorctl-${host.nonce(8)}.tmp`);
}

/** Creates a directory and what is missing above it. Answers the directories made, outermost first. */
export function makeDirs(host: Host, directory: string, mode: number): readonly string[] {
  const p = pathsOf(host);
  const missing: string[] = [];
  let at = directory;
  while (host.stat(at) === undefined) {
    missing.unshift(at);
    const parent = p.dirname(at);
    if (parent === at) break;
    at = parent;
  }
  return missing.filter((path) => makeDir(host, path, mode));
}

/** False where somebody else was quicker: then the directory is not ours to remove. */
export function makeDir(host: Host, path: string, mode: number): boolean {
  try {
    host.mkdir(path, mode);
    return true;
  } catch (error) {
    if (hostErrorCode(error) !== 'EEXIST') throw error;
    return false;
  }
}

/** Removes the directories that are empty, innermost first. A directory with anything in it stays. */
export function dropEmptyDirs(host: Host, outermostFirst: readonly string[]): void {
  for (const path of [...outermostFirst].reverse()) {
    try {
      if (host.readDir(path).length > 0) return;
      host.rmdir(path);
    } catch (error) {
      const code = hostErrorCode(error);
      if (code === 'ENOENT') continue;
      if (code === undefined) throw error;
      return; // An empty directory left behind does less harm than a failed run.
    }
  }
}

/** Unlinks and forgives: used for temp files, where the first error is the one to report. */
export function dropFile(host: Host, path: string): void {
  try {
    host.unlink(path);
  } catch { /* nothing there, or the next run's recovery will try again */ }
}

/** Writes one of our own files atomically and durably. */
export function putFile(host: Host, path: string, bytes: Uint8Array, mode: number = OWN_FILE_MODE): void {
  const directory = pathsOf(host).dirname(path);
  const temp = tempIn(host, directory);
  try {
    host.writeNew(temp, bytes, mode);
    host.rename(temp, path);
  } catch (error) {
    dropFile(host, temp);
    throw error;
  }
  host.fsyncDir(directory);
}

/** Removes what a killed process left half written in one of our own directories. Only under the run lock. */
export function sweepTemps(host: Host, directory: string): void {
  if (host.stat(directory) === undefined) return;
  for (const name of host.readDir(directory)) {
    if (TEMP_NAME.test(name)) dropFile(host, pathsOf(host).join(directory, name));
  }
}

export function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function toText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
