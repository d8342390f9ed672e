// Contract: one host's receipts, oldest first, judged against its key and against what was verified before. Every finding names key, ref and
// sequence where they are known. What is known good moves forward only over receipts without a finding. PURE.
import type { AllowedSigners } from './allowed-signers.ts';
import type { ReceiptLine } from './evidence-repo.ts';
import { parseReceipt, receiptRef, RECEIPT_SCHEMA, type HostReceipt } from './host-receipt.ts';
import { lineDigest, NAMESPACE_RECEIPT, openLine, type RefusalCode } from './signed-line.ts';

/** Of one host. The rest is counted. */
export const FINDINGS_PER_HOST_MAX = 20;

export type FindingCode = RefusalCode | 'foreign-host' | 'gap' | 'replay' | 'chain-broken' | 'commit-shape' | 'rewritten' | 'overwritten' | 'forked' | 'rolled-back' | 'deleted'
  | 'silent' | 'never-heard' | 'bad-principal' | 'allowed-signers' | 'foreign-ref' | 'clock' | 'more';

export interface Finding {
  readonly code: FindingCode;
  /** A note asks for nothing and does not fail the run. */
  readonly severity: 'finding' | 'note';
  readonly host: string | null;
  readonly ref: string | null;
  readonly seq: number | null;
  readonly key: string | null;
  readonly commit: string | null;
  readonly message: string;
}

/** The newest receipt of a host that was verified without a finding before it. */
export interface Seen {
  readonly seq: number;
  readonly digest: string;
  readonly commit: string;
  readonly at: string;
  readonly key: string;
  readonly os: string;
  readonly engine: HostReceipt['engine'];
  readonly settings: string | null;
  readonly state: string;
}

export interface ChainInput {
  readonly host: string;
  readonly signers: AllowedSigners;
  /** `any`: the first receipt stands wherever it stands, since somebody accepted it. */
  readonly seen: Seen | 'any' | undefined;
  /** Commits from the first that is not verified yet to the head. */
  readonly commits: readonly { readonly id: string; readonly parents: readonly string[] }[];
  readonly lines: ReadonlyMap<string, ReceiptLine>;
}

export interface ChainResult { readonly findings: readonly Finding[]; readonly seen: Seen | undefined }

/** What the next receipt must name. Of a line that was refused, its digest and the number it claims; undefined: it could be anything. */
interface Expected { readonly seq: number | undefined; readonly digest: string | null | undefined; readonly at: string | undefined; readonly key: string | null }

export function finding(host: string | null, code: FindingCode, what: string, known: { seq?: number | undefined; key?: string | null | undefined; commit?: string | undefined; ref?: string | undefined } = {}): Finding {
  const ref = known.ref ?? (host === null ? null : receiptRef(host));
  const [seq, key] = [known.seq ?? null, known.key ?? null];
  const named = [key === null ? 'key unknown' : `key ${key}`, ...(ref === null ? [] : [`ref ${ref}`]), seq === null ? 'sequence unknown' : `sequence ${seq}`];
  return { code, severity: code === 'clock' ? 'note' : 'finding', host, ref, seq, key, commit: known.commit ?? null, message: `${what} (${named.join(', ')})` };
}

/** The order, judged for a receipt whose signature fits. */
function orderFindings(host: string, receipt: HostReceipt, expected: Expected, known: { key: string; commit: string }): Finding[] {
  const { seq, prev, at } = receipt;
  const named = { seq, ...known };
  if (expected.seq !== undefined && seq <= expected.seq) return [finding(host, 'replay', `an older receipt was put behind the sequence ${expected.seq}`, named)];
  if (expected.seq !== undefined && seq > expected.seq + 1) return [finding(host, 'gap', `receipts are missing: ${expected.seq + 1} to ${seq - 1}`, named)];
  if (expected.digest !== undefined && prev !== expected.digest) return [finding(host, 'chain-broken', 'it does not name the receipt before it', named)];
  if (expected.at !== undefined && at < expected.at) return [finding(host, 'clock', `its time ${at} is before the one of the receipt before it`, named)];
  return [];
}

export function judgeChain({ host, signers, seen, commits, lines }: ChainInput): ChainResult {
  const found: Finding[] = [];
  let good = seen === 'any' ? undefined : seen;
  let clean = true;
  let expected: Expected = good ?? { seq: seen === 'any' ? undefined : 0, digest: seen === 'any' ? undefined : null, at: undefined, key: null };
  const add = (findings: readonly Finding[]): void => {
    found.push(...findings);
    if (findings.some(({ severity }) => severity === 'finding')) clean = false;
  };
  for (const { id: commit, parents } of commits) {
    const read = lines.get(commit) ?? { fault: 'it cannot be read' };
    if (parents.length > 1) add([finding(host, 'commit-shape', 'a receipt has more than one parent', { commit, key: expected.key })]);
    if ('fault' in read) {
      add([finding(host, 'commit-shape', read.fault, { commit, key: expected.key })]);
      expected = { ...expected, seq: undefined, digest: undefined };
      continue;
    }
    const opened = openLine(read.line, { signers, namespace: NAMESPACE_RECEIPT, schema: RECEIPT_SCHEMA, ref: receiptRef(host), principal: (payload) => String(payload['host']) });
    if (!opened.ok) {
      const { code, message, fingerprint, seq } = opened;
      add([{ code, severity: 'finding', host, ref: receiptRef(host), seq: seq ?? null, key: fingerprint ?? null, commit, message }]);
      expected = { seq, digest: lineDigest(read.line), at: expected.at, key: fingerprint ?? null };
      continue;
    }
    const key = opened.key.fingerprint;
    const receipt = parseReceipt(opened.payload);
    if ('wrong' in receipt) {
      add([finding(host, 'payload-invalid', `its field ${receipt.wrong} is wrong`, { commit, key, seq: typeof opened.payload['seq'] === 'number' ? opened.payload['seq'] : undefined })]);
      expected = { seq: undefined, digest: opened.digest, at: expected.at, key };
      continue;
    }
    if (receipt.host === host) add(orderFindings(host, receipt, expected, { key, commit }));
    else add([finding(host, 'foreign-host', `it is a receipt of the host ${receipt.host}`, { commit, key, seq: receipt.seq })]);
    expected = { seq: receipt.seq, digest: opened.digest, at: receipt.at, key };
    const { seq, at, os, engine, settings, state } = receipt;
    if (clean) good = { seq, digest: opened.digest, commit, at, key, os, engine, settings, state };
  }
  const shown = found.slice(0, FINDINGS_PER_HOST_MAX);
  const rest = found.length - shown.length;
  return { findings: rest === 0 ? found : [...shown, finding(host, 'more', `${rest} further finding(s) of this host`, { key: good?.key, seq: good?.seq })], seen: good };
}
