// Contract: when a workstation last heard from its fork that nothing is new. The record says it, and so does the time of a mark that
// the launcher leaves where it answers itself (unchanged.ts). Reads through Host.
import type { Host } from '../host.ts';
import type { InstallRecord } from '../roots/install-record.ts';
import { joinPath } from '../roots/paths.ts';

export const SEEN = 'seen';
export const seenPath = (host: Pick<Host, 'platform'>, data: string): string => joinPath(host.platform, data, SEEN);

/** A part of the Host; of a file only its time. */
export interface MarkHost extends Pick<Host, 'platform' | 'now'> { readonly lstat: (path: string) => { readonly mtimeNs: string } | undefined }

/** The later of both. A mark from the future says nothing. */
export function lastVerifiedAt(host: MarkHost, data: string, record: InstallRecord): string | null {
  const mark = host.lstat(seenPath(host, data));
  const told = record.lastVerifiedAt === null ? Number.NaN : Date.parse(record.lastVerifiedAt);
  const seen = mark === undefined ? Number.NaN : Math.floor(Number(mark.mtimeNs) / 1_000_000);
  return seen <= host.now() && !(told >= seen) ? new Date(seen).toISOString() : record.lastVerifiedAt;
}
