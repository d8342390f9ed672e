// Contract: every way in which a client leaves our hooks out without a word, as far as files and the environment show it: one
// row for each, with the id of the check, the evidence and the next action. verify and doctor both report these rows, so
// that neither knows more than the other. docs/verify.md lists the ids. PURE.
import type { ClientDefinition } from '../model/client.ts';
import type { ClientEvidence, FileEvidence, HookEvidence, Seen, SeenFinding } from '../model/evidence.ts';
import { showPath } from '../model/json.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { doubledWords } from '../clientsetup/doubled.ts';
import { blockers, desiredTrust, hookFiles } from './checks.ts';
import type { ReasonCode } from './state.ts';

export interface SilentRow {
  readonly check: string;
  readonly code: ReasonCode;
  /** `off`: our hooks do not run, or not as they should. `doubt`: some versions, or some sessions; or surely twice. `unread`: it could not be read. */
  readonly weight: 'off' | 'doubt' | 'unread' | 'note';
  readonly text: string;
  readonly fix: string;
  readonly evidence: Seen;
}

const list = (words: readonly string[]): string => [...new Set(words)].sort().join(', ');
const planFix = (client: ClientDefinition): string => `praetorctl clients plan --client ${client.id}`;
const applyFix = (client: ClientDefinition): string => `praetorctl clients apply --client ${client.id}`;

function ofFinding(finding: SeenFinding): SilentRow {
  const code = finding.effect === 'note' ? 'note' : !finding.certain ? 'file-doubtful' : finding.effect === 'file' ? 'file-dropped' : 'hooks-off';
  const weight = finding.effect === 'note' ? 'note' : finding.certain ? 'off' : 'doubt';
  // In the file that was looked at the place says more than the words; a switch names its layer and its key itself.
  const place = finding.path === undefined || finding.source !== undefined ? '' : `${showPath(finding.path)}: `;
  return { check: finding.id, code, weight, text: `${place}${finding.message}`, fix: finding.fix, evidence: finding.evidence };
}

function placeOf({ where }: Diagnostic, path: string): string {
  if (where?.line === undefined) return where?.path ?? path;
  return `${where.path}:${where.line}${where.column === undefined ? '' : `:${where.column}`}`;
}

function unread(code: ReasonCode, kind: string, said: string, path: string, diagnostic: Diagnostic): SilentRow {
  return {
    check: `${kind}.${diagnostic.code}`, code, weight: 'unread', text: `${said}: ${placeOf(diagnostic, path)}: ${diagnostic.message}`, fix: diagnostic.fix,
    evidence: { file: path, key: null, seen: diagnostic.message },
  };
}

function unreadRows(e: ClientEvidence): SilentRow[] {
  const own = hookFiles(e).flatMap((file) => (file.diagnostic === undefined ? [] : [unread('entries-unread', 'file', 'the file with the hooks could not be read', file.spec.path, file.diagnostic)]));
  return [...own, ...e.unread.map((file) => unread('evidence-unread', 'layer', 'a file that could switch the hooks off could not be read', file.path, file.diagnostic))];
}

/** What it means that a key of our entry is not as we wrote it. The timeouts' key has two spellings. */
const CHECK_OF_KEY: Readonly<Record<string, string>> = {
  matcher: 'entry.matcher', timeout: 'entry.timeout', timeoutSec: 'entry.timeout', async: 'entry.async', asyncRewake: 'entry.async', if: 'entry.condition',
  type: 'entry.type', command: 'entry.command', body: 'entry.body', edited: 'entry.body', twice: 'entry.twice', onFailure: 'entry.failure',
};

function checkOfHook(hook: HookEvidence): string {
  if (hook.status !== 'changed') return `entry.${hook.status}`;
  const found = hook.keys.map((key) => CHECK_OF_KEY[key] ?? 'entry.key');
  return WORST_FIRST.find((check) => found.includes(check)) ?? found[0] ?? 'entry.key';
}

const WORST_FIRST = ['entry.async', 'entry.condition', 'entry.matcher', 'entry.timeout', 'entry.type', 'entry.command'];

const STANDS: readonly HookEvidence['status'][] = ['as-desired', 'unknown'];

function changedRows(client: ClientDefinition, file: FileEvidence): SilentRow[] {
  const groups = new Map<string, HookEvidence[]>();
  for (const hook of file.hooks.filter((one) => !STANDS.includes(one.status))) groups.set(checkOfHook(hook), [...groups.get(checkOfHook(hook)) ?? [], hook]);
  return [...groups].map(([check, hooks]): SilentRow => {
    const [first] = hooks;
    const keys = list(hooks.flatMap((hook) => hook.keys));
    return {
      check, code: 'entries-differ', weight: 'off', fix: planFix(client),
      text: `the registered hooks are not as desired (${first?.status ?? 'changed'}: ${list(hooks.map((hook) => hook.event))}${keys === '' ? '' : `; keys: ${keys}`})`,
      evidence: { file: file.spec.path, key: first?.at ?? null, seen: keys === '' ? `${first?.status ?? 'changed'}` : `${keys} not as written` },
    };
  });
}

function entryRows(client: ClientDefinition, e: ClientEvidence): SilentRow[] {
  const files = hookFiles(e).filter((file) => file.state !== 'unread');
  const rows: SilentRow[] = [];
  if (files.every((file) => file.commands.length === 0)) {
    if (!files.some((file) => file.recorded)) return [];
    rows.push(...files.filter((file) => file.recorded).map((file): SilentRow => ({
      check: 'entry.gone', code: 'entries-gone', weight: 'off', text: `the hooks that were registered are gone from ${file.spec.path}`, fix: applyFix(client),
      evidence: { file: file.spec.path, key: null, seen: file.state === 'absent' ? 'no file' : 'no hook of praetorctl' },
    })));
  } else rows.push(...files.flatMap((file) => changedRows(client, file)));
  if (!e.launcherIntact) {
    rows.push({
      check: 'entrypoint.launcher', code: 'entries-differ', weight: 'off', fix: planFix(client),
      text: 'the registered hooks are not as desired (changed: the launcher in ~/.local/bin)', evidence: { file: null, key: null, seen: 'not what was written' },
    });
  }
  return rows;
}

const TRUST_CODE = { untrusted: 'untrusted', modified: 'trust-modified', disabled: 'trust-disabled' } as const;
const TRUST_TEXT = {
  untrusted: (name: string) => `untrusted: ${name} skips the hooks in silence until a person trusts them`,
  modified: (name: string) => `untrusted: the hooks changed since ${name} was told to trust them, so it skips them in silence`,
  disabled: (name: string) => `the hooks are disabled in ${name}`,
};

/** One row for all our hooks, by the worst of them. */
function trustRows(client: ClientDefinition, e: ClientEvidence): SilentRow[] {
  const states = desiredTrust(e).filter((one) => one.state !== 'trusted');
  const worst = (['untrusted', 'modified', 'disabled'] as const).map((state) => states.find((one) => one.state === state)).find((one) => one !== undefined);
  if (worst === undefined || worst.state === 'trusted') return [];
  const fix = states.find((one) => one.fix !== '')?.fix ?? client.afterApply[0] ?? `review the hooks in ${client.name}`;
  return [{
    check: `trust.${worst.state}`, code: TRUST_CODE[worst.state], weight: 'off', fix, evidence: worst.evidence,
    text: `${TRUST_TEXT[worst.state](client.name)} (${states.map((one) => `${one.canonical}: ${one.state}`).sort().join(', ')})`,
  }];
}

function entrypointRows(client: ClientDefinition, e: ClientEvidence): SilentRow[] {
  if (e.entrypoint !== undefined || !e.files.some((file) => file.commands.length > 0)) return [];
  const blocked = e.entrypointBlocked;
  return [{
    check: blocked === undefined ? 'entrypoint.path' : 'entrypoint.not-executable', code: 'entrypoint-missing', weight: 'off',
    text: `praetorctl does not resolve on PATH${blocked === undefined ? '' : ` (${blocked} may not be executed)`}; without it ${client.name} ${client.verdicts.missingBinary.text}`,
    fix: blocked === undefined ? 'put the directory of praetorctl (~/.local/bin after an apply) on PATH, then: praetorctl doctor' : `chmod +x ${blocked}`,
    evidence: { file: blocked ?? null, key: blocked === undefined ? 'PATH' : null, seen: blocked === undefined ? 'no praetorctl in any of its directories' : 'not executable' },
  }];
}

function movedRows(client: ClientDefinition, e: ClientEvidence): SilentRow[] {
  return e.elsewhere.map((path): SilentRow => ({
    check: 'root.moved', code: 'root-moved', weight: e.files.some((file) => file.commands.length > 0) ? 'note' : 'off',
    text: `the hooks are registered in ${path}, but ${client.name} is moved by the environment and looks elsewhere now`,
    fix: `unset the variable that moves ${client.name}, or: ${applyFix(client)}`, evidence: { file: path, key: null, seen: 'hooks of praetorctl' },
  }));
}

/** Nothing is left out by it; it is here so that verify and doctor say the same of it. */
function doubledRows(client: ClientDefinition, e: ClientEvidence): SilentRow[] {
  return e.doubled.map((place): SilentRow => {
    const { message, fix } = doubledWords(client, place);
    return {
      check: 'double.other-client', code: 'note', weight: place.fact.basis === 'measured' ? 'doubt' : 'note', text: message, fix,
      evidence: { file: place.path, key: null, seen: `hooks of praetorctl for ${place.client}` },
    };
  });
}

/** The surest first. Without a hook surface nothing could run. */
export function silentRows(client: ClientDefinition, e: ClientEvidence): readonly SilentRow[] {
  if (hookFiles(e).length === 0) return [];
  return [...unreadRows(e), ...entryRows(client, e), ...blockers(e).map(ofFinding), ...trustRows(client, e), ...entrypointRows(client, e), ...movedRows(client, e), ...doubledRows(client, e)];
}
