// Contract: the part of the command tree that makes evidence: `receipts push | pull | verify | summary | server-hook` and `evidence export`.
import { Option, type Command } from 'commander';
import { EVENT_FORMATS } from '../fleet/event-formats.ts';
import { evidenceExport } from './evidence.ts';
import type { Outcome } from './output.ts';
import type { CommandContext } from './program.ts';
import { receiptsPull, receiptsPush, receiptsServerHook, receiptsSummary, receiptsVerify } from './receipts-fleet.ts';
import { withSettings } from './settings-options.ts';

/** A command of a group, with the flags that every command has. */
type Sub = (spec: string, description: string) => Command;
type Act = (kind: string, handler: (context: CommandContext) => Promise<Outcome> | Outcome) => (...params: unknown[]) => Promise<void>;

function withHashKey(command: Command): Command {
  return command
    .addOption(new Option('--hash-key-file <file>', 'the key of the fleet for hashes of sessions, workspaces and users (default: hooks.evidence.key_file); without a key these are left out').env('PRAETORCTL_EVIDENCE_KEY_FILE'))
    .addOption(new Option('--hash-key-env <variable>', 'the environment variable that holds that key'));
}

export function addFleetReceipts(sub: Sub, act: Act): void {
  const repository = (): Option => new Option('--repository <address>', 'the evidence repository of the fleet (default: hooks.evidence.repository)').env('PRAETORCTL_EVIDENCE_REPOSITORY');
  const audit = (): Option => new Option('--audit <dir>', "the auditor's own directory (default: audit in the state directory)").env('PRAETORCTL_AUDIT_DIR');
  const audited = (command: Command): Command => command.addOption(audit())
    .addOption(new Option('--allowed <file>', 'the keys of the workstations, as allowed signers whose principal is the host (default: hosts.allowed of the installed version)'))
    .addOption(new Option('--max-silence <time>', 'a host that was not heard for longer is a finding: 48h (default), 3d'));
  withHashKey(withSettings(sub('push', 'Sign what this workstation is and push it to its own reference of the evidence repository: where something changed, and once a day. Exit 3 if the server holds something else.')))
    .addOption(repository()).addOption(new Option('--sign <key>', 'the key to sign with (default: the one of the installed workstation)'))
    .addOption(new Option('--always', 'also where nothing changed'))
    .action(act('receipts-push', receiptsPush));
  withSettings(sub('pull', 'Fetch the receipts of all workstations. What was pulled once is never discarded.'))
    .addOption(repository()).addOption(audit()).action(act('receipts-pull', receiptsPull));
  audited(sub('verify', 'Judge what was pulled: signatures, gaps, replays, rewritten histories, silence. Exit 3 on findings.'))
    .addOption(new Option('--accept <host>', 'take what the server shows of this host as its history from now on: somebody looked at it'))
    .action(act('receipts-verify', receiptsVerify));
  audited(sub('summary', 'The workstations by version, settings, state and age, as far as their receipts are good.'))
    .action(act('receipts-summary', receiptsSummary));
  sub('server-hook', 'Print the update hook by which a server of your own takes receipts only as additions.')
    .action(act('receipts-server-hook', receiptsServerHook));
}

export function addEvidence(sub: Sub, act: Act): void {
  withHashKey(withSettings(sub('export', 'Send what the hooks answered since the last run, or write it as files: which client, event, tool and rule, never contents.')))
    .addOption(new Option('--format <format>', 'jsonl (files), ocsf (files), otlp (endpoint or files)').choices(EVENT_FORMATS))
    .addOption(new Option('--out <dir>', 'write files there (default: what hooks.evidence.export says)'))
    .addOption(new Option('--endpoint <url>', 'an OTLP/HTTP endpoint: https, or http on this machine').env('PRAETORCTL_EVIDENCE_ENDPOINT'))
    .addOption(new Option('--header <name=variable>', 'a header whose value is in an environment variable; repeatable').argParser((value: string, before: readonly string[] = []) => [...before, value]))
    .addOption(new Option('--gzip', 'compress what is sent'))
    .addOption(new Option('-n, --dry-run', 'print exactly what would leave; sends and remembers nothing'))
    .action(act('evidence-export', evidenceExport));
}
