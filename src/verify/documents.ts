// Contract: a client's files as evidence: bytes -> document by the rules of the client's own reader, or why not. Read-only:
// a file that apply would refuse to replace (hard links) can still be read. Through Host.
import { hostErrorCode, type Host } from '../host.ts';
import type { EvidenceFile, FileSpec } from '../model/client.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { JsonObject } from '../model/json.ts';
import { readDocument } from '../clientsetup/plan.ts';
import { FILE_BYTES_MAX, takeSnapshot } from '../clientsetup/snapshot.ts';

export type DocumentRead =
  | { readonly state: 'absent' }
  | { readonly state: 'read'; readonly document: JsonObject; readonly bytes: Uint8Array; readonly links: readonly string[]; readonly modifiedAt: number; readonly mode: number }
  | { readonly state: 'unread'; readonly diagnostic: Diagnostic; readonly links: readonly string[]; readonly modifiedAt: number | undefined };

interface Bytes { readonly bytes: Uint8Array; readonly links: readonly string[]; readonly modifiedAt: number; readonly mode: number }

/** Whole milliseconds, rounded up: a receipt of the same millisecond is not "after". */
const toMs = (mtimeNs: string): number => Math.ceil(Number(BigInt(mtimeNs) / 1000n) / 1000);

function bytesOf(host: Host, path: string): Bytes | Diagnostic | undefined {
  const snapshot = takeSnapshot(host, path);
  if (snapshot.state === 'absent') return undefined;
  if (snapshot.state === 'file') return { bytes: snapshot.bytes, links: snapshot.links, modifiedAt: toMs(snapshot.stamp.mtimeNs), mode: snapshot.stamp.mode };
  if (snapshot.diagnostic.code !== 'hard-link') return snapshot.diagnostic;
  try {
    const stat = host.stat(path);
    return { bytes: host.readFile(path, FILE_BYTES_MAX), links: [], modifiedAt: toMs(stat?.mtimeNs ?? '0'), mode: stat?.mode ?? 0 };
  } catch (error) {
    return { ...snapshot.diagnostic, code: 'unreadable', message: `The file cannot be read (${hostErrorCode(error) ?? 'unknown'}).` };
  }
}

export function readEvidence(host: Host, client: string, file: Pick<FileSpec | EvidenceFile, 'path' | 'format' | 'tolerance'>): DocumentRead {
  const found = bytesOf(host, file.path);
  if (found === undefined) return { state: 'absent' };
  if ('code' in found) return { state: 'unread', diagnostic: { ...found, client }, links: [], modifiedAt: undefined };
  const opened = readDocument({ ...file, role: 'hooks', scope: 'user', secret: false }, found.bytes);
  const { bytes, links, modifiedAt, mode } = found;
  if (opened.ok) return { state: 'read', document: opened.read.value, bytes, links, modifiedAt, mode };
  const { fault } = opened;
  return {
    state: 'unread', links, modifiedAt,
    diagnostic: {
      code: fault.code, severity: 'error', client, where: { path: file.path, line: fault.line, column: fault.column }, message: fault.message,
      fix: `correct the file, then run: praetorctl clients plan --client ${client}`,
    },
  };
}
