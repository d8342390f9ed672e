// Contract: `receipts verify` and `summary`: everything that was pulled, judged without a network. It reads receipts that were not verified
// yet, compares with what was seen before and with what the server showed, and finds the silent. Through git; the chains are judged pure.
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { parseAllowedSigners, type AllowedSigners } from './allowed-signers.ts';
import { readAuditState, writeAuditState, type AuditState } from './audit-state.ts';
import { commitsBetween, ownRepository, readReceipts, refsBelow, type ReceiptLine } from './evidence-repo.ts';
import { git, isAncestor, type GitPlace } from './git.ts';
import { HEARTBEAT_MS, HOST_ID, hostOfRef, receiptRef, RECEIPT_REFS, RECEIPT_SCHEMA } from './host-receipt.ts';
import { finding, judgeChain, type Finding, type Seen } from './receipt-chain.ts';
import { FORKED_REFS, readPulled, type Pulled } from './receipt-pull.ts';
import { NAMESPACE_RECEIPT, openLine } from './signed-line.ts';

/** A laptop may be shut for a day beside the one between two heartbeats. */
export const SILENCE_MS_DEFAULT = 2 * HEARTBEAT_MS;

export interface AuditInput {
  readonly host: Host;
  readonly directory: string;
  /** Text of hosts.allowed. */
  readonly allowed: string;
  readonly silenceMs: number;
}

export interface AuditResult {
  readonly findings: readonly Finding[];
  readonly hosts: Readonly<Record<string, Seen>>;
  /** Receipts that were read in this run. */
  readonly receipts: number;
  readonly pulledAt: string;
}

interface Look {
  readonly place: GitPlace;
  readonly pulled: Pulled;
  readonly signers: AllowedSigners;
  readonly state: AuditState;
  /** Known heads by host. */
  readonly heads: ReadonlyMap<string, string>;
  /** Heads beside the known history, by host. */
  readonly forks: ReadonlyMap<string, readonly string[]>;
}

type Parents = ReadonlyMap<string, readonly string[]>;
interface Step { readonly id: string; readonly parents: readonly string[] }

function lookAt({ host, directory, allowed }: AuditInput): Look {
  const pulled = readPulled(host, directory);
  if (pulled === undefined) throw new PraetorError({ code: 'not-installed', where: { path: directory }, message: 'no receipts were pulled here yet', fix: 'praetorctl receipts pull --repository <address>' });
  const place = ownRepository(host, directory);
  const state = readAuditState(host, directory);
  const heads = new Map([...refsBelow(place, RECEIPT_REFS)].flatMap(([ref, id]) => { const owner = hostOfRef(ref); return owner === undefined ? [] : [[owner, id] as const]; }));
  const forks = new Map<string, string[]>();
  for (const [ref, id] of refsBelow(place, FORKED_REFS)) {
    const owner = ref.split('/')[4] ?? '';
    if (!(state.accepted[owner] ?? []).includes(id)) forks.set(owner, [...(forks.get(owner) ?? []), id]);
  }
  return { place, pulled, signers: parseAllowedSigners(allowed), state, heads, forks };
}

interface Steps { readonly steps: readonly Step[]; /** The history goes back to `stop`, or without one to its beginning. */ readonly reached: boolean }

/** From behind `stop` to the head, oldest first. */
function stepsTo(parents: Parents, head: string, stop: string | undefined): Steps {
  const steps: Step[] = [];
  let at: string | undefined = head;
  for (; at !== undefined && at !== stop; at = steps[steps.length - 1]?.parents[0]) {
    const above: readonly string[] | undefined = parents.get(at);
    if (above === undefined) break;
    steps.push({ id: at, parents: above });
  }
  return { steps: steps.reverse(), reached: at === stop };
}

function signerFindings({ signers }: Look): Finding[] {
  const lines = signers.problems.map(({ line, message }) => finding(null, 'allowed-signers', `line ${line} of the allowed signers: ${message}`));
  const names = signers.signers.flatMap(({ principals, key, line }) => principals.filter((word) => !HOST_ID.test(word)).map((word) => finding(null, 'bad-principal', `line ${line} of the allowed signers: "${word.slice(0, 60)}" is not the id of a host`, { key: key.fingerprint })));
  return [...lines, ...names];
}

/** All hosts are listed at once; a history that runs into one of another host is listed again by itself. */
function stepsOf({ place }: Look, parents: Parents, head: string, stop: string | undefined): Steps {
  const found = stepsTo(parents, head, stop);
  return found.reached ? found : stepsTo(commitsBetween(place, [head], stop === undefined ? [] : [stop]), head, stop);
}

/** What the server showed at the last pull against what is known here. */
function serverFindings(look: Look): Finding[] {
  const { pulled, state, heads, place } = look;
  const strange = pulled.strange.map((ref) => finding(null, 'foreign-ref', 'the reference belongs to no host', { ref }));
  const all = new Set([...heads.keys(), ...Object.keys(state.hosts)]);
  const hosts = [...all].sort().flatMap((host): Finding[] => {
    const seen = state.hosts[host];
    const named = { key: seen?.key, seq: seen?.seq, commit: seen?.commit };
    const [shown, own] = [pulled.refs[receiptRef(host)], heads.get(host)];
    if (shown === undefined) return [finding(host, 'deleted', 'the reference is gone from the server', named)];
    if (own === undefined) return [finding(host, 'deleted', 'the reference is gone from this repository', named)];
    if (shown === own || look.forks.get(host)?.includes(shown) === true || (state.accepted[host] ?? []).includes(shown)) return [];
    return isAncestorHere(place, shown, own) ? [finding(host, 'rolled-back', `the server went back to the commit ${shown}`, named)] : [];
  });
  const unread = pulled.unread.map((ref) => finding(hostOfRef(ref) ?? null, 'commit-shape', 'git cannot fetch what the reference holds', { ref }));
  return [...strange, ...unread, ...hosts];
}

function isAncestorHere(place: GitPlace, ancestor: string, descendant: string): boolean {
  try {
    return isAncestor(place, ancestor, descendant);
  } catch {
    return false;
  }
}

/** A head beside the known history: its oldest receipt says which sequence number exists twice, and whether the host's key made it. */
function forkFindings(look: Look, parents: Parents, lines: ReadonlyMap<string, ReceiptLine>): Finding[] {
  return [...look.forks].flatMap(([host, ids]) => ids.flatMap((id): Finding[] => {
    const first = stepsTo(parents, id, undefined).steps[0];
    const read = first === undefined ? undefined : lines.get(first.id);
    if (first === undefined || read === undefined || 'fault' in read) return [finding(host, 'overwritten', `the server replaced the history by the commit ${id}, which holds no receipt`, { commit: id, key: look.state.hosts[host]?.key, seq: look.state.hosts[host]?.seq })];
    const opened = openLine(read.line, { signers: look.signers, namespace: NAMESPACE_RECEIPT, schema: RECEIPT_SCHEMA, ref: receiptRef(host), principal: () => host });
    if (!opened.ok) return [finding(host, 'overwritten', `the server replaced the history by the commit ${id}: ${opened.code}`, { commit: id, key: opened.fingerprint, seq: opened.seq })];
    const seq = Number(opened.payload['seq']);
    return [finding(host, 'forked', `the key signed another receipt with the same sequence (commit ${id}): the state of the host was copied, restored or lost`, { commit: id, key: opened.key.fingerprint, seq })];
  }));
}

function silentFindings(input: AuditInput, signers: AllowedSigners, hosts: Readonly<Record<string, Seen>>): Finding[] {
  const now = input.host.now();
  const silent = Object.entries(hosts).flatMap(([host, { at, seq, key, commit }]) => (now - Date.parse(at) > input.silenceMs ? [finding(host, 'silent', `nothing was heard since ${at}`, { seq, key, commit })] : []));
  const never = signers.signers.flatMap(({ principals, key, validAfter = -Infinity, validBefore = Infinity }) => (now < validAfter || now >= validBefore ? [] : principals.filter((word) => HOST_ID.test(word) && hosts[word] === undefined).map((word) => ({ word, key: key.fingerprint }))));
  return [...silent, ...never.map(({ word, key }) => finding(word, 'never-heard', 'no receipt of this host was verified yet', { key }))];
}

/** `write`: what was verified becomes what was seen. */
export function auditReceipts(input: AuditInput, write: boolean): AuditResult {
  const look = lookAt(input);
  const { place, state, heads, forks } = look;
  const forkHeads = [...forks.values()].flat();
  const stops = Object.values(state.hosts).map(({ commit }) => commit);
  const parents = commitsBetween(place, [...new Set(heads.values())], stops);
  const forkParents = commitsBetween(place, forkHeads, [...heads.values()]);
  const chains = [...heads].sort(([a], [b]) => (a < b ? -1 : 1)).map(([host, head]) => ({ host, head, ...stepsOf(look, parents, head, state.hosts[host]?.commit) }));
  const lines = readReceipts(place, [...new Set([...chains.flatMap(({ steps }) => steps.map(({ id }) => id)), ...forkParents.keys()])]);
  const found: Finding[] = [...signerFindings(look), ...serverFindings(look), ...forkFindings(look, forkParents, lines)];
  const hosts: Record<string, Seen> = { ...state.hosts };
  for (const { host, head, steps, reached } of chains) {
    const seen = state.hosts[host];
    const named = { key: seen?.key, seq: seen?.seq, commit: head };
    if (!reached && seen !== undefined) found.push(finding(host, 'rewritten', `the history does not hold the commit ${seen.commit} that was verified before`, named));
    else if (!reached) found.push(finding(host, 'commit-shape', 'the reference does not lead to a receipt', named));
    else {
      const judged = judgeChain({ host, signers: look.signers, seen, commits: steps, lines });
      found.push(...judged.findings);
      if (judged.seen !== undefined) hosts[host] = judged.seen;
    }
  }
  found.push(...silentFindings(input, look.signers, hosts));
  if (write) writeAuditState(input.host, input.directory, { ...state, hosts });
  return { findings: found, hosts, receipts: chains.reduce((sum, { steps }) => sum + steps.length, 0), pulledAt: look.pulled.at };
}

/**
 * Somebody looked at this host and takes what the server shows as its history from now on: its newest receipt must be good by itself. What
 * was known before stays in the repository under a reference of its own.
 */
export function acceptHost(input: AuditInput, host: string): { readonly from: string | null; readonly to: string | null } {
  const look = lookAt(input);
  const { place, state, heads, forks, pulled } = look;
  const [own, shown] = [heads.get(host), pulled.refs[receiptRef(host)]];
  if (own === undefined && state.hosts[host] === undefined) throw new PraetorError({ code: 'usage', message: 'no receipt of this host is known', fix: 'praetorctl receipts summary lists the hosts' });
  const { [host]: _before, ...others } = state.hosts;
  const judged = shown === undefined ? undefined : judgeChain({ host, signers: look.signers, seen: 'any', commits: [{ id: shown, parents: [] }], lines: readReceipts(place, [shown]) });
  if (judged !== undefined && judged.seen === undefined) throw new PraetorError({ code: 'receipts-diverged', message: `the newest receipt on the server is not good: ${judged.findings[0]?.message ?? ''}`, fix: 'have the host push a receipt first' });
  if (own !== undefined && shown !== own) {
    git(place, ['update-ref', `refs/praetor/retired/${host.slice(0, 2)}/${host}/${own}`, own]);
    git(place, shown === undefined ? ['update-ref', '-d', receiptRef(host), own] : ['update-ref', receiptRef(host), shown, own]);
  }
  const accepted = [...new Set([...(state.accepted[host] ?? []), ...(forks.get(host) ?? [])])];
  writeAuditState(input.host, input.directory, { hosts: judged?.seen === undefined ? others : { ...others, [host]: judged.seen }, accepted: { ...state.accepted, [host]: accepted } });
  return { from: own ?? null, to: shown ?? null };
}
