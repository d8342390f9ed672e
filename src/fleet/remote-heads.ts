// Contract: what the branch and the promotions' reference of a fork name now: one call of git. Through the Host.
import { remoteRefs, type GitHost } from './git.ts';
import { PROMOTIONS_REF, branchRef } from './promotion.ts';

export interface RemoteHeads {
  readonly commit: string | null;
  readonly notes: string | null;
}

export function remoteHeads(host: GitHost, data: string, remote: string, branch: string): RemoteHeads {
  const found = remoteRefs({ host, cwd: data }, remote, [branchRef(branch), PROMOTIONS_REF]);
  return { commit: found.get(branchRef(branch)) ?? null, notes: found.get(PROMOTIONS_REF) ?? null };
}
