// Contract: fork.json, by which a fork says whose it is and where it comes from, and the identity of a repository: the last two
// parts of its address, so that the same repository is the same over ssh, https and a path. PURE.
import { PraetorError } from '../model/diagnostic.ts';
import { isObject, type JsonValue } from '../model/json.ts';
import { OWNER_PREFIX } from './fork-tree.ts';

export const FORK_MANIFEST = `${OWNER_PREFIX}/fork.json`;
const FORK_SCHEMA = 'praetor.fork/1';

export interface ForkManifest {
  /** `owner/name` of the operational fork. */
  readonly repository: string;
  /** `owner/name` of its upstream. */
  readonly source: string;
}

const IDENTITY = /^[A-Za-z0-9._-]{1,100}\/[A-Za-z0-9._-]{1,100}$/;

export const isIdentity = (text: string): boolean => IDENTITY.test(text);

/** `owner/name` of a URL, an scp-like address or a path; undefined where it has no such two parts. */
export function identityOf(address: string): string | undefined {
  const parts = address.replace(/[\\:]/g, '/').replace(/\/+$/, '').replace(/\.git$/, '').split('/').filter((part) => part !== '');
  const identity = parts.slice(-2).join('/');
  return isIdentity(identity) ? identity : undefined;
}

/** Servers do not tell names apart by case. */
export const sameIdentity = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** What is wrong with an artefact of which a promotion, or the record of a workstation, says whose it is. Without the operator's files the fleet's settings would be gone. */
export function foreignArtefact(named: string | null, wanted: string): string | undefined {
  if (named === null) return `the artefact holds no operator/fork.json, so it is not shown to be one of ${wanted}, and the settings of the fleet would be gone`;
  return sameIdentity(named, wanted) ? undefined : `the artefact is one of ${named}, not of ${wanted}`;
}

export function formatManifest({ repository, source }: ForkManifest): string {
  return `${JSON.stringify({ schema: FORK_SCHEMA, repository, source }, null, 2)}\n`;
}

/** Throws `fork-refused` where the text is no such document. Unknown keys are left to later versions. */
export function parseManifest(text: string): ForkManifest {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    value = null;
  }
  if (isObject(value) && value['schema'] === FORK_SCHEMA) {
    const { repository, source } = value;
    if (typeof repository === 'string' && typeof source === 'string' && isIdentity(repository) && isIdentity(source) && !sameIdentity(repository, source)) return { repository, source };
  }
  throw new PraetorError({ code: 'fork-refused', where: { path: FORK_MANIFEST }, message: `this is no ${FORK_SCHEMA} document with the owner/name of the fork and of another repository as its source`, fix: 'correct fork.json as docs/fork.md shows it, commit, and run the command again' });
}
