// Contract: `praetorctl receipts push | pull | verify | summary | server-hook`: receipts of workstations in git. Flags become one use case of
// the fleet, its result one answer.
import { joinPath } from '../roots/paths.ts';
import { toText } from '../clientsetup/statefiles.ts';
import { SIGNERS_BYTES_MAX } from '../fleet/allowed-signers.ts';
import { HOST_ID } from '../fleet/host-receipt.ts';
import { acceptHost, auditReceipts, SILENCE_MS_DEFAULT, type AuditInput } from '../fleet/receipt-audit.ts';
import { receiptFacts } from '../fleet/receipt-facts.ts';
import { pullReceipts } from '../fleet/receipt-pull.ts';
import { pushReceipt } from '../fleet/receipt-push.ts';
import { SERVER_HOOK } from '../fleet/server-hook.ts';
import { signerFor } from '../fleet/signer.ts';
import type { Host } from '../host.ts';
import { EXIT, PraetorError } from '../model/diagnostic.ts';
import { rootContext } from '../roots/context.ts';
import { dataDirOf, readInstallRecord, versionDir } from '../roots/install-record.ts';
import { ownDirs } from '../roots/own-dirs.ts';
import { digestOf } from '../settings/layers.ts';
import { loadSettings, type LoadedSettings } from '../settings/load.ts';
import type { Settings } from '../settings/schema.ts';
import { hashedUser, keyedHash } from './evidence-key.ts';
import { refuseAgents } from './person.ts';
import { absolutePath } from './policy-input.ts';
import { styleFor, VERSION, type Outcome } from './output.ts';
import type { CommandContext } from './program.ts';
import { settingsChoice, text } from './settings-options.ts';
import { renderFindings, renderSummary, summarize } from './receipts-fleet-view.ts';

const answer = (kind: string, body: Outcome['body'], lines: string, exit: number = EXIT.ok, wrote = false): Outcome => ({ exit, kind, body, text: lines, diagnostics: [], wrote });

function dirsOf(host: Host): { readonly state: string; readonly audit: string; readonly chain: string } {
  const { state } = ownDirs({ platform: host.platform, env: host.env, home: rootContext(host).home });
  return { state, audit: joinPath(host.platform, state, 'audit'), chain: joinPath(host.platform, state, 'evidence') };
}

function loaded({ io: { host }, options }: CommandContext): Extract<LoadedSettings, { ok: true }> {
  const { config } = ownDirs({ platform: host.platform, env: host.env, home: rootContext(host).home });
  const found = loadSettings(host, config, settingsChoice(options));
  if (!found.ok) throw new PraetorError(found.diagnostics[0] ?? { code: 'settings-invalid', message: 'the settings are invalid', fix: 'correct them' });
  return found;
}

function repositoryOf({ options }: CommandContext, settings: Settings): string {
  const named = text(options['repository']) ?? settings.hooks.evidence.repository;
  // git takes such a word as an option or as a program to start.
  if (named !== undefined && !named.startsWith('-') && !named.includes('::')) return named;
  throw new PraetorError({ code: 'usage', message: named === undefined ? 'no evidence repository is named' : 'the evidence repository is no address', fix: 'name it: hooks.evidence.repository in the settings, --repository ssh://git@example.org/evidence.git, or PRAETORCTL_EVIDENCE_REPOSITORY' });
}

export async function receiptsPush(context: CommandContext): Promise<Outcome> {
  const { io: { host }, options } = context;
  const { settings, merged } = loaded(context);
  const { evidence } = settings.hooks;
  const repository = repositoryOf(context, settings);
  const record = readInstallRecord(host, dataDirOf(host));
  if (record === undefined) throw new PraetorError({ code: 'not-installed', message: 'this workstation has no id yet', fix: 'praetorctl workstation install' });
  const key = text(options['sign']) ?? record.key;
  if (key === null) throw new PraetorError({ code: 'usage', message: 'this workstation has no signing key', fix: 'name one: --sign <key file>' });
  const { sign, fingerprint } = signerFor(host, absolutePath(host, key));
  const { chain } = dirsOf(host);
  const facts = receiptFacts({ host, record, version: VERSION, settings: digestOf(merged, host.sha256) });
  const user = evidence.identity === 'off' ? {} : { user: hashedUser(host, keyedHash(context, evidence)) };
  const pushed = await pushReceipt({ host, directory: chain, hostId: record.hostId, repository, signer: sign, fingerprint, facts: { ...facts, ...user }, always: options['always'] === true });
  const words = pushed.result === 'pushed' ? `pushed receipt ${pushed.seq} (${pushed.why ?? ''}) to ${pushed.ref}` : `unchanged: receipt ${pushed.seq} stands on ${pushed.ref}`;
  return answer('receipts-push', { ...pushed, key: fingerprint ?? null }, words, EXIT.ok, true);
}

const auditDir = ({ io: { host }, options }: CommandContext): string => { const named = text(options['audit']); return named === undefined ? dirsOf(host).audit : absolutePath(host, named); };

export function receiptsPull(context: CommandContext): Outcome {
  const result = pullReceipts(context.io.host, auditDir(context), repositoryOf(context, loaded(context).settings));
  const extra = [result.forked > 0 ? `${result.forked} history(s) that do not go on` : '', result.strange > 0 ? `${result.strange} reference(s) of no host` : '', result.unread > 0 ? `${result.unread} that cannot be fetched` : ''].filter((word) => word !== '');
  const words = `${result.hosts} host(s), ${result.changed} with something new${extra.length === 0 ? '' : `; kept for verify: ${extra.join(', ')}`}`;
  return answer('receipts-pull', { ...result }, words, EXIT.ok, true);
}

/** hosts.allowed: named, else the one of the installed version. */
function allowedText({ io: { host }, options }: CommandContext): string {
  const named = text(options['allowed']);
  const record = named === undefined ? readInstallRecord(host, dataDirOf(host)) : undefined;
  const path = named !== undefined ? absolutePath(host, named) : record === undefined ? undefined : joinPath(host.platform, versionDir(host.platform, dataDirOf(host), record.current), 'operator', 'hosts.allowed');
  const fix = 'name the keys of the workstations: --allowed .config/operator/hosts.allowed';
  if (path === undefined) throw new PraetorError({ code: 'usage', message: 'it is not known which keys the workstations have', fix });
  try {
    return toText(host.readFile(path, SIGNERS_BYTES_MAX));
  } catch (error) {
    throw new PraetorError({ code: 'unreadable', where: { path }, message: 'the keys of the workstations cannot be read', fix }, error);
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 };

function silenceOf(value: unknown): number {
  if (value === undefined) return SILENCE_MS_DEFAULT;
  const [, count, unit] = /^([1-9]\d{0,3})(h|d)$/.exec(String(value)) ?? [];
  if (count === undefined) throw new PraetorError({ code: 'usage', message: `--max-silence "${String(value).slice(0, 20)}" is no time`, fix: 'write hours or days: 48h, 3d' });
  return Number(count) * (UNIT_MS[unit ?? ''] ?? 0);
}

const inputOf = (context: CommandContext): AuditInput => ({ host: context.io.host, directory: auditDir(context), allowed: allowedText(context), silenceMs: silenceOf(context.options['maxSilence']) });

export function receiptsVerify(context: CommandContext): Outcome {
  const { io, global, options } = context;
  const host = text(options['accept']);
  if (host !== undefined) refuseAgents(io.host, 'praetorctl receipts verify --accept');
  const input = inputOf(context);
  if (host !== undefined && !HOST_ID.test(host)) throw new PraetorError({ code: 'usage', message: '--accept must name the id of a host', fix: 'praetorctl receipts summary lists them' });
  const accepted = host === undefined ? undefined : acceptHost(input, host);
  const { findings, hosts, receipts, pulledAt } = auditReceipts(input, true);
  const failed = findings.filter(({ severity }) => severity === 'finding').length;
  const body = { pulledAt, hosts: Object.keys(hosts).length, receipts, findings, accepted: accepted === undefined ? null : { host, ...accepted } };
  return answer('receipts-verify', body, renderFindings(styleFor(io, global, ''), body), failed === 0 ? EXIT.ok : EXIT.no, true);
}

export function receiptsSummary(context: CommandContext): Outcome {
  const { io, global } = context;
  const { findings, hosts, pulledAt } = auditReceipts(inputOf(context), false);
  const summary = summarize({ pulledAt, now: io.host.now(), hosts, findings });
  return answer('receipts-summary', { ...summary }, renderSummary(styleFor(io, global, ''), summary));
}

export function receiptsServerHook(): Outcome {
  return answer('receipts-server-hook', { file: 'hooks/update', mode: '0755', script: SERVER_HOOK }, SERVER_HOOK.trimEnd());
}
