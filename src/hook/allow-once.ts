// Contract: a refused call gets a code by which a person can allow exactly this call (`policy allow`), and a granted one is
// taken. IO, a bundle of its own (part `once`), loaded only where the verdict is deny or ask. Whatever fails here leaves the
// verdict as it was.
import { readdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import type { Payload, ToolCall } from '../model/payload.ts';
import type { Verdict } from '../model/verdict.ts';
import {
  callText, CODE_ALPHABET, CODE_CHARS, PENDING_DIRECTORY, PENDING_FILE_BYTES_MAX, PENDING_MAX, PENDING_MS_MAX, parsePending, parsePendingName, pendingName,
  SHOWN_CHARS_MAX, shownText, USED_MS_MAX, type Pending,
} from '../policy/allow-once-call.ts';
import { sha256Hex } from '../model/sha256.ts';
import { below } from '../roots/own-dirs.ts';
import { ensureDirectory } from './directories.ts';

export interface OncePlace { readonly platform: string; readonly state: string | undefined }

/** The verdict with a code, or neutral where a person has allowed this call. */
export function allowOnce(place: OncePlace, payload: Payload, verdict: Verdict, now: number): Verdict {
  const { tool } = payload;
  if (place.state === undefined || tool === undefined) return verdict;
  try {
    return judged(below(place.platform, place.state, PENDING_DIRECTORY), payload, tool, verdict, now);
  } catch {
    return verdict;
  }
}

function judged(directory: string, payload: Payload, tool: ToolCall, verdict: Verdict, now: number): Verdict {
  const digest = sha256Hex(callText(tool, payload.workspace));
  const names = namesIn(directory);
  const rule = verdict.rule ?? 'unknown';
  const own = names.filter((name) => name.startsWith(digest.slice(0, 32)));
  if (own.some((name) => taken(directory, name, { digest, rule, now, permission: payload.event === 'permission' }))) return { decision: 'neutral', rule: `allow-once:${rule}` };
  sweep(directory, names, now);
  const code = askedAlready(directory, own, digest, rule, now) ?? ask(directory, payload, tool, verdict, digest, now);
  return { ...verdict, reason: `${verdict.reason ?? 'This call is not allowed here.'} A person can allow exactly this once: praetorctl policy allow ${code}` };
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    ensureDirectory(directory);
    return [];
  }
}

function read(path: string): Pending | undefined {
  try {
    return statSync(path).size > PENDING_FILE_BYTES_MAX ? undefined : parsePending(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

interface Wanted { readonly digest: string; readonly rule: string; readonly now: number; readonly permission: boolean }

/**
 * A grant for one call goes with the rename, which one process wins. It counts for the rule that the person saw. What a
 * pre-tool event took stays a moment for the permission event of the same call.
 */
function taken(directory: string, name: string, { digest, rule, now, permission }: Wanted): boolean {
  const parsed = parsePendingName(name);
  if (parsed === undefined || !(parsed.state === 'granted' || (permission && parsed.state === 'used'))) return false;
  const path = `${directory}/${name}`;
  const seen = read(path);
  if (seen === undefined || seen.digest !== digest || seen.rule !== rule || seen.expiresMs < now) return false;
  if (seen.until === true) return true;
  const claimed = `${path}.${process.pid}`;
  try {
    renameSync(path, claimed);
  } catch {
    return false;
  }
  unlinkSync(claimed);
  if (!permission) write(directory, pendingName({ ...parsed, state: 'used' }), { ...seen, expiresMs: now + USED_MS_MAX });
  return true;
}

/** The same call refused again keeps its code, with new time. */
function askedAlready(directory: string, own: readonly string[], digest: string, rule: string, now: number): string | undefined {
  for (const name of own) {
    const parsed = parsePendingName(name);
    const pending = parsed?.state === 'asked' ? read(`${directory}/${name}`) : undefined;
    if (parsed === undefined || pending === undefined || pending.digest !== digest || pending.rule !== rule || pending.expiresMs < now) continue;
    write(directory, name, { ...pending, expiresMs: now + PENDING_MS_MAX });
    return parsed.code;
  }
  return undefined;
}

function ask(directory: string, payload: Payload, tool: ToolCall, verdict: Verdict, digest: string, now: number): string {
  const present = namesIn(directory);
  let code = '';
  do code = newCode(); while (present.some((name) => name.includes(`.${code}.`)));
  const shown = shownText(tool);
  write(directory, pendingName({ digest, code, state: 'asked' }), {
    v: 1, digest, rule: verdict.rule ?? 'unknown', reason: verdict.reason ?? '', client: payload.client, kind: tool.kind, tool: tool.name.slice(0, 128),
    workspace: payload.workspace ?? '', shown: shown.slice(0, SHOWN_CHARS_MAX), cut: shown.length > SHOWN_CHARS_MAX, createdMs: now, expiresMs: now + PENDING_MS_MAX, until: false,
  });
  return code;
}

/** A code is a name, not a secret: only a person in a terminal can use it. */
function newCode(): string {
  let code = '';
  for (let i = 0; i < CODE_CHARS; i++) code += CODE_ALPHABET[Math.floor(Math.random() * CODE_ALPHABET.length)] ?? '';
  return code;
}

function write(directory: string, name: string, pending: Pending): void {
  const temporary = `${directory}/${name}.${process.pid}.tmp`;
  writeFileSync(temporary, JSON.stringify(pending), { mode: 0o600, flag: 'wx' });
  renameSync(temporary, `${directory}/${name}`);
}

/** What has run out goes, and the oldest codes where there are too many. Grants stay until their time. */
function sweep(directory: string, names: readonly string[], now: number): void {
  const asked: { name: string; at: number }[] = [];
  for (const name of names) {
    const path = `${directory}/${name}`;
    const parsed = parsePendingName(name);
    try {
      if (parsed === undefined) {
        // Left by a process that died between writing and renaming.
        if (now - statSync(path).mtimeMs > PENDING_MS_MAX) unlinkSync(path);
        continue;
      }
      const pending = read(path);
      if (pending === undefined || pending.expiresMs < now) unlinkSync(path);
      else if (parsed.state === 'asked') asked.push({ name, at: pending.expiresMs });
    } catch { /* another process was faster */ }
  }
  if (asked.length < PENDING_MAX) return;
  for (const { name } of asked.sort((a, b) => a.at - b.at).slice(0, asked.length - PENDING_MAX + 1)) {
    try { unlinkSync(`${directory}/${name}`); } catch { /* gone already */ }
  }
}
