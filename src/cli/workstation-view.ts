// Contract: the answers of `workstation status` and of an update check in text and as a document. Loaded by the small bundle too,
// so it takes little with it. PURE.
import { EXIT } from '../model/diagnostic.ts';
import type { StationStatus } from '../fleet/status-evidence.ts';
import type { UpdateReport } from '../fleet/update-report.ts';
import type { Outcome } from './output.ts';

const UNITS = [['day', 86_400_000], ['hour', 3_600_000], ['minute', 60_000]] as const;

export function ageText(ms: number | null): string {
  if (ms === null || Number.isNaN(ms)) return 'never';
  const [name, size] = UNITS.find(([, one]) => ms >= one) ?? ['minute', 60_000];
  const count = Math.floor(ms / size);
  return count < 1 ? 'just now' : `${count} ${name}${count === 1 ? '' : 's'} ago`;
}

/** Without the user and password of a URL. */
const shownRemote = (remote: string): string => remote.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^/\s@]*@/gi, '$1***@');

function statusBody({ state, says, reasons, record, version, lastAttempt }: StationStatus): Record<string, unknown> {
  if (record === null) return { state, says, reasons, installed: null, lastAttempt: null };
  const { hostId, current, previous, pin, blocked, target, lastSeq, branch, org, name, launcher, installedAt, lastVerifiedAt, withdrawn } = record;
  return {
    state, says, reasons, lastAttempt,
    installed: {
      hostId, current, version: version?.version ?? null, seq: version?.seq ?? null, previous, pin, blocked, target, lastSeq, withdrawn: withdrawn.includes(current),
      remote: record.remote === null ? null : shownRemote(record.remote), branch, org, name, launcher, installedAt, lastVerifiedAt,
    },
  };
}

function statusText({ state, says, reasons, record, version, lastAttempt, verifiedAgeMs }: StationStatus, tilde: (path: string) => string): string {
  const told = reasons.flatMap(({ text, fix }) => [`  - ${text}`, `    ${fix}`]);
  if (record === null) return [`${state}: ${says}`, ...told].join('\n');
  const { current, previous, pin, target, blocked, remote, branch, launcher } = record;
  return [
    `${state}: ${says}`, ...told, '',
    `version       ${current}  ${version === null ? 'not there' : `${version.version}${version.seq === null ? '' : `, promotion ${version.seq}`}`}`,
    `before        ${previous ?? 'none'}`,
    ...(target === null || target === current ? [] : [`newest known  ${target}`]),
    ...(pin === null ? [] : [`pinned        ${pin.id} by ${pin.by} on ${pin.at}`]),
    ...blocked.map(({ id, code, at }) => `blocked       ${id} (${code}) on ${at}`),
    `follows       ${remote === null ? 'nothing' : `${shownRemote(tilde(remote))} ${branch}, verified ${ageText(verifiedAgeMs)}`}`,
    `launcher      ${tilde(launcher)}`,
    `last attempt  ${lastAttempt === null ? 'none' : `${lastAttempt.result} on ${lastAttempt.at}: ${lastAttempt.message}`}`,
  ].join('\n');
}

export function statusOutcome(status: StationStatus, tilde: (path: string) => string): Outcome {
  return { exit: status.state === 'current' ? EXIT.ok : EXIT.no, kind: 'workstation-status', body: statusBody(status), text: statusText(status, tilde), diagnostics: [], wrote: false };
}

const NO: ReadonlySet<UpdateReport['result']> = new Set(['available', 'held', 'waiting', 'blocked']);
const FAILED: ReadonlySet<UpdateReport['result']> = new Set(['refused', 'diverged', 'reverted', 'failed']);

/** `wrote` is false where the answer is that nothing changed what runs. */
export function updateOutcome(report: UpdateReport): Outcome {
  const { result, code, from, to, seq, message, fix, notes } = report;
  const failed = FAILED.has(result);
  return {
    exit: failed ? EXIT.failed : NO.has(result) ? EXIT.no : EXIT.ok, kind: 'workstation-update', body: { result, code, from, to, seq, message }, text: failed ? '' : message, wrote: true,
    diagnostics: [
      ...notes.map((note) => ({ code: 'note', severity: 'warning', message: note, fix: '' }) as const),
      ...(failed ? [{ code: result === 'reverted' ? 'version-fails' : code === 'version-damaged' ? 'state-damaged' : 'promotion-refused', severity: 'error', message, fix } as const] : fix === '' ? [] : [{ code: 'note', severity: 'info', message: 'to take it', fix } as const]),
    ],
  };
}
