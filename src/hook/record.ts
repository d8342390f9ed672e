// Contract: record mode of the hook (PRAETORCTL_HOOK_RECORD_DIR): each call's raw input goes into a new file of a private
// directory, so that one real run qualifies a new client or version. IO. What is recorded holds secrets: the directory must
// belong to this user alone, and a file is never written over. `praetorctl fixtures redact` makes captures of it.
import { closeSync, constants, lstatSync, openSync, readdirSync, writeSync } from 'node:fs';

export const RECORDINGS_MAX = 10_000;
const WORD_CHARS_MAX = 64;

/** Why nothing is recorded there; undefined: it may be. */
export function refusal(directory: string, platform: string): string | undefined {
  const absolute = platform === 'win32' ? /^(?:[A-Za-z]:[\\/]|\\\\)/.test(directory) : directory.startsWith('/');
  if (!absolute) return 'PRAETORCTL_HOOK_RECORD_DIR is not an absolute path';
  try {
    const stat = lstatSync(directory);
    if (!stat.isDirectory()) return 'PRAETORCTL_HOOK_RECORD_DIR is not a directory';
    if (platform === 'win32') return undefined;
    if (stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0) return 'PRAETORCTL_HOOK_RECORD_DIR is not private (chmod 700)';
    return undefined;
  } catch {
    return 'PRAETORCTL_HOOK_RECORD_DIR does not exist';
  }
}

/** One file per call. Throws where it could not be written whole: the call is then judged as always. */
export function record(directory: string, client: string, event: string, raw: Uint8Array): void {
  if (readdirSync(directory).length >= RECORDINGS_MAX) throw new Error('the directory is full');
  const bytes = Buffer.from(raw);
  const text = bytes.toString('utf8');
  const document = {
    v: 1, client: client.slice(0, WORD_CHARS_MAX), event: event.slice(0, WORD_CHARS_MAX),
    // Bytes that are no text are kept as they came.
    ...(Buffer.from(text).equals(bytes) ? { stdin: text } : { stdinBase64: bytes.toString('base64') }),
  };
  const stamp = new Date().toISOString().replace(/[-:.]/g, '');
  const path = `${directory}/${stamp}-${String(process.pid).padStart(7, '0')}.json`;
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    const all = Buffer.from(`${JSON.stringify(document)}\n`);
    for (let at = 0; at < all.length;) at += writeSync(fd, all, at, all.length - at);
  } finally {
    closeSync(fd);
  }
}
