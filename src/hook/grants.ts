// Contract: a grant of `praetorctl contract grant` lifts the hook's question about one call of its operation, and stays for exactly
// this call, so that the runtime behind the hook finds it. IO, in the part `contract`. Whatever fails here lifts nothing.
import { readdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { argumentsDigest, GRANTS_DIRECTORY, GRANTS_MAX, parseGrant, PASSED_MS_MAX, type Grant } from '../contract/grant.ts';
import type { ToolCall } from '../model/payload.ts';
import { sha256Hex } from '../model/sha256.ts';
import { below } from '../roots/own-dirs.ts';
import { ensureDirectory } from './directories.ts';

const GRANT_BYTES_MAX = 4096;

export interface GrantPlace { readonly platform: string; readonly state: string | undefined }

/** One call of an operation. `permission`: the client asks about a call that a hook has let through already. */
export interface GrantedCall { readonly operation: string; readonly tool: ToolCall; readonly permission: boolean; readonly now: number }

/** True once for a grant of the operation. */
export function takeGrant({ platform, state }: GrantPlace, { operation, tool, permission, now }: GrantedCall): boolean {
  if (state === undefined) return false;
  const directory = below(platform, state, GRANTS_DIRECTORY);
  const call = argumentsDigest(sha256Hex, operation, tool.input);
  try {
    const grants = grantsIn(directory).filter(({ grant }) => grant.operation === operation && grant.expiresMs >= now);
    if (permission && grants.some(({ grant }) => grant.call === call)) return true;
    return grants.filter(({ grant }) => grant.call === undefined).some(({ name, grant }) => claimed(directory, name, { ...grant, call, expiresMs: now + PASSED_MS_MAX }));
  } catch {
    return false;
  }
}

/** A person allowed exactly this call in another way, which the runtime cannot see: it finds this. */
export function passOn({ platform, state }: GrantPlace, { operation, tool, now }: GrantedCall): void {
  if (state === undefined) return;
  try {
    const directory = below(platform, state, GRANTS_DIRECTORY);
    ensureDirectory(directory);
    const call = argumentsDigest(sha256Hex, operation, tool.input);
    put(directory, `${process.pid}-${now}.json`, { v: 1, operation, expiresMs: now + PASSED_MS_MAX, by: 'hook', at: new Date(now).toISOString(), call });
  } catch { /* the runtime then asks again */ }
}

function grantsIn(directory: string): { readonly name: string; readonly grant: Grant }[] {
  return readdirSync(directory).filter((name) => name.endsWith('.json')).slice(0, GRANTS_MAX).flatMap((name) => {
    try {
      const path = `${directory}/${name}`;
      const grant = statSync(path).size > GRANT_BYTES_MAX ? undefined : parseGrant(readFileSync(path, 'utf8'));
      return grant === undefined ? [] : [{ name, grant }];
    } catch {
      return [];
    }
  });
}

/** The grant goes with the rename, which one process wins; then it is there for this call alone. */
function claimed(directory: string, name: string, passed: Grant): boolean {
  const taken = `${directory}/${name}.${process.pid}.taken`;
  try {
    renameSync(`${directory}/${name}`, taken);
  } catch {
    return false;
  }
  put(directory, name, passed);
  unlinkSync(taken);
  return true;
}

function put(directory: string, name: string, grant: Grant): void {
  const temporary = `${directory}/${name}.${process.pid}.tmp`;
  writeFileSync(temporary, JSON.stringify(grant), { mode: 0o600, flag: 'wx' });
  renameSync(temporary, `${directory}/${name}`);
}
