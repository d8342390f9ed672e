// Contract: in which state a workstation is, from evidence alone. Pure and total: every combination has exactly one state, with its
// reasons; a test calls it over all of them. It is loaded by the small bundle that answers
// `workstation status`: nothing but values comes in here. PURE.
import type { Attempt } from './attempts.ts';

/** The worst first: the first that applies is the state, the others stay among the reasons. */
export const STATION_STATES = ['absent', 'broken', 'diverged', 'settings-drifted', 'stale', 'blocked', 'held', 'behind', 'current'] as const;
export type StationState = (typeof STATION_STATES)[number];

export interface StationEvidence {
  readonly record: 'none' | 'damaged' | 'newer' | 'read';
  /** The version's program is where the pointer leads. */
  readonly version: boolean;
  readonly launcher: 'ours' | 'missing' | 'other';
  /** One of the recorded Node programs is there. */
  readonly node: boolean;
  readonly follows: boolean;
  readonly pinned: boolean;
  /** The newest known promotion asks for another version than the current one. */
  readonly behind: boolean;
  readonly targetBlocked: boolean;
  readonly withdrawn: boolean;
  /** No promotion was verified within the longest time that the settings allow, or the newest has ended. */
  readonly stale: boolean;
  readonly lastResult: Attempt['result'] | null;
  /** The operator's files of the version are not the ones that the policy was compiled from; null where that cannot be told. */
  readonly settingsDrifted: boolean | null;
}

export interface StationReason { readonly code: string; readonly text: string; readonly fix: string }
export interface StationVerdict { readonly state: StationState; readonly reasons: readonly StationReason[] }

const INSTALL = 'praetorctl workstation install --from <checkout, tarball or remote>';
const UPDATE = 'praetorctl workstation update';

interface Rule { readonly state: StationState; readonly code: string; readonly when: (e: StationEvidence) => boolean; readonly text: string; readonly fix: string }

/** With a readable record. */
const RULES: readonly Rule[] = [
  { state: 'broken', code: 'version-missing', when: (e) => !e.version, text: 'the version that the record names is not there: hooks cannot run', fix: 'praetorctl workstation rollback, or ' + INSTALL },
  { state: 'broken', code: 'node-missing', when: (e) => !e.node, text: 'none of the recorded Node.js programs is there any more: hooks run only where PATH leads to one', fix: INSTALL },
  { state: 'broken', code: 'launcher-missing', when: (e) => e.launcher === 'missing', text: 'the launcher is not there: hooks do not find praetorctl', fix: INSTALL },
  { state: 'broken', code: 'launcher-other', when: (e) => e.launcher === 'other', text: 'the launcher is not what was written', fix: INSTALL },
  { state: 'diverged', code: 'history-rewritten', when: (e) => e.lastResult === 'diverged', text: 'the fork does not contain the last promoted commit any more', fix: 'ask its operator for a promotion with a reset, or praetorctl workstation update --accept-history' },
  { state: 'settings-drifted', code: 'settings-drifted', when: (e) => e.settingsDrifted === true, text: 'the policy was compiled from other settings than those of the current version', fix: 'praetorctl policy compile' },
  { state: 'stale', code: 'not-verified', when: (e) => e.follows && e.stale, text: 'no promotion was verified for longer than allowed, or the newest has ended', fix: UPDATE },
  { state: 'blocked', code: 'target-blocked', when: (e) => e.targetBlocked && e.behind, text: 'the newest promotion was tried here and did not judge', fix: 'the next promotion is taken as usual; tell the operator of the fork' },
  { state: 'held', code: 'pinned', when: (e) => e.pinned, text: 'the version is held, by a pin or by update.pin of the settings', fix: 'praetorctl workstation unpin, or take update.pin out of the settings' },
  { state: 'behind', code: 'newer-known', when: (e) => e.behind, text: 'a newer promotion is known and not taken yet', fix: UPDATE },
];

/** Said with whatever state it is. */
const NOTES: readonly Omit<Rule, 'state'>[] = [
  { code: 'withdrawn', when: (e) => e.withdrawn, text: 'the current version was withdrawn', fix: UPDATE },
  { code: 'last-refused', when: (e) => e.lastResult === 'refused', text: 'the last promotion that was seen was refused', fix: `${UPDATE} says why` },
  { code: 'last-failed', when: (e) => e.lastResult === 'failed', text: 'the last attempt could not be finished', fix: `${UPDATE} says why` },
  { code: 'follows-nothing', when: (e) => !e.follows, text: 'no fork is followed: updates are installed by hand', fix: 'praetorctl workstation install --from <remote> --anchor <allowed signers>' },
];

const UNREAD: Readonly<Record<Exclude<StationEvidence['record'], 'read'>, StationVerdict>> = {
  none: { state: 'absent', reasons: [{ code: 'not-installed', text: 'no version is installed', fix: INSTALL }] },
  damaged: { state: 'broken', reasons: [{ code: 'record-damaged', text: 'the record of the installed version cannot be read', fix: INSTALL }] },
  newer: { state: 'broken', reasons: [{ code: 'record-newer', text: 'the record of the installed version needs a newer praetorctl', fix: 'use the installed praetorctl' }] },
};

export function deriveStation(evidence: StationEvidence): StationVerdict {
  if (evidence.record !== 'read') return UNREAD[evidence.record];
  const found = RULES.filter(({ when }) => when(evidence));
  const notes = NOTES.filter(({ when }) => when(evidence));
  const state = STATION_STATES.find((one) => found.some((rule) => rule.state === one)) ?? 'current';
  return { state, reasons: [...found, ...notes].map(({ code, text, fix }) => ({ code, text, fix })) };
}

export const STATE_TEXTS: Readonly<Record<StationState, string>> = {
  absent: 'no version is installed here', broken: 'hooks may not run', diverged: 'the fork was rewritten', 'settings-drifted': 'hooks judge by other settings than this version has',
  stale: 'nothing was verified for too long', blocked: 'the newest promotion does not judge here', held: 'pinned by a person', behind: 'a newer version is known', current: 'the newest promotion that is known runs',
};
