// Contract: one run of one client for a proof: workspace, model, start, and what is to be seen afterwards. Everything is bounded
// and cleaned up, whatever happens in between. The control and the canary are programs of the same kind in the same place:
// each leaves a mark in the workspace, so that "it ran" is seen and not believed. Through the Host.
import type { Host, StartResult, TempDir } from '../host.ts';
import type { ClientDefinition, ProveStart, ProveSurface } from '../model/client.ts';
import type { ClientEvidence } from '../model/evidence.ts';
import { CANARY_NONCE_BYTES, CANARY_PROGRAM } from '../policy/canary.ts';
import type { Receipt } from '../receipts/format.ts';
import type { JsonObject } from '../model/json.ts';
import { makeDirs } from '../clientsetup/statefiles.ts';
import { dirOf, joinPath } from '../roots/paths.ts';
import { clientEnv } from './client-env.ts';
import { anthropicMessages } from './models/anthropic.ts';
import { openaiChat } from './models/chat.ts';
import { geminiGenerateContent } from './models/generate-content.ts';
import type { ModelRecord } from './models/record.ts';
import { openaiResponses } from './models/responses.ts';
import type { ModelApi } from './models/script.ts';
import { startModelServer } from './models/server.ts';
import { waitOf, type RunSeen, type StepSeen } from './prove-cause.ts';
import { mcpCall, mcpSeen } from './prove-mcp.ts';
import { receiptsSince } from './receipts.ts';
import { HOOK_MS_MAX, runCommand, type CommandResult } from './run-command.ts';
import type { Ground } from './verify.ts';

export const PROOF_MS_MAX = 90_000;
export const PROOF_OUTPUT_BYTES_MAX = 1024 * 1024;
const MARK_BYTES_MAX = 4096;
const TOKEN_BYTES = 16;
const WORKSPACE_PREFIX = 'praetorctl-prove-';
const CANARY_STEP = 1;
const CONTROL_PROGRAM = 'praetorctl-control';

const APIS: readonly ModelApi[] = [anthropicMessages, openaiResponses, openaiChat, geminiGenerateContent];

export interface ProofRun {
  readonly ground: Ground;
  readonly client: ClientDefinition;
  readonly surface: ProveSurface;
  readonly evidence: ClientEvidence;
  readonly program: string;
  readonly timeoutMs: number;
}

interface Stage {
  readonly root: string;
  readonly workspace: string;
  readonly nonce: string;
  readonly commands: { readonly control: string; readonly canary: string };
  readonly marks: { readonly control: string; readonly canary: string };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const quoted = (path: string): string => (/^[A-Za-z0-9/_.-]+$/.test(path) ? path : `'${path.replace(/'/g, `'\\''`)}'`);

function setStage(host: Host, temp: TempDir): Stage {
  const at = (...names: string[]): string => joinPath(host.platform, temp.path, ...names);
  const nonce = host.nonce(CANARY_NONCE_BYTES);
  for (const name of ['workspace', 'bin', 'marks', 'files', 'tmp']) host.mkdir(at(name), 0o700);
  const marks = { control: at('marks', 'control'), canary: at('marks', 'canary') };
  // The control also says what the hook needs: whether the bare word resolves on the PATH that commands of the client get.
  host.writeNew(at('bin', CONTROL_PROGRAM), bytes(`#!/bin/sh\n{ command -v praetorctl || :; } >${quoted(marks.control)}\necho ran\n`), 0o700);
  host.writeNew(at('bin', CANARY_PROGRAM), bytes(`#!/bin/sh\n: >${quoted(marks.canary)}\necho ran\n`), 0o700);
  const command = (program: string): string => `${quoted(at('bin', program))} ${nonce}`;
  return { root: temp.path, workspace: at('workspace'), nonce, marks, commands: { control: command(CONTROL_PROGRAM), canary: command(CANARY_PROGRAM) } };
}

/** As verify starts any client; then the redirect. */
export function proofEnv(env: Host['env'], surface: ProveSurface, start: ProveStart, tmp: string): Record<string, string> {
  return clientEnv(env, surface.keptEnv, start.env, tmp);
}

export async function runProof(run: ProofRun): Promise<RunSeen> {
  const { ground: { host }, client, surface } = run;
  const api = APIS.find(({ id }) => id === surface.api);
  if (api === undefined) throw new Error(`the row of ${client.id} names no known model API`);
  const temp = host.tempDir(WORKSPACE_PREFIX);
  try {
    const stage = setStage(host, temp);
    const mcp = 'why' in surface.mcp ? undefined : mcpCall(surface.mcp, serversOf(run.evidence), stage.nonce, CANARY_STEP);
    const script = { steps: [surface.shell(stage.commands.control), surface.shell(stage.commands.canary), ...(mcp === undefined ? [] : [mcp.step])], ending: 'Done.' };
    const model = await startModelServer({ api, script, token: host.nonce(TOKEN_BYTES), limits: { lifetimeMs: run.timeoutMs + 30_000 } });
    try {
      const fileAt = (name: string): string => joinPath(host.platform, stage.root, 'files', ...name.split('/'));
      const start = surface.start({ url: model.url, fileAt, paths: client.roots(run.ground.context).paths });
      writeFiles(host, stage, start, fileAt);
      const env = proofEnv(host.env, surface, start, joinPath(host.platform, stage.root, 'tmp'));
      const since = host.now();
      const ended = await host.start(run.program, start.argv, { env, cwd: stage.workspace, timeoutMs: run.timeoutMs, maxBytes: PROOF_OUTPUT_BYTES_MAX });
      return look(run, stage, model.record(), ended, since, mcp?.called());
    } finally {
      await model.close();
    }
  } finally {
    temp.remove();
  }
}

function writeFiles(host: Host, stage: Stage, start: ProveStart, fileAt: (name: string) => string): void {
  const put = (path: string, content: JsonObject): void => {
    makeDirs(host, dirOf(host.platform, path), 0o700);
    host.writeNew(path, bytes(`${JSON.stringify(content)}\n`), 0o600);
  };
  for (const [name, content] of Object.entries(start.files)) put(fileAt(name), content);
  for (const [name, content] of Object.entries(start.workspace ?? {})) put(joinPath(host.platform, stage.workspace, ...name.split('/')), content);
}

function stepSeen(host: Host, record: ModelRecord, step: number, mark: string): StepSeen {
  const found = record.steps[step];
  return { played: (found?.played ?? 0) > 0, took: host.stat(mark) !== undefined, answer: found?.result?.text };
}

/** The servers of our own settings that stand in the client's file: the person's others are none of a proof's business. */
export function serversOf(evidence: ClientEvidence): readonly string[] {
  return evidence.files.flatMap((file) => file.servers).filter(({ status }) => status === 'as-desired').map(({ name }) => name);
}

function look(run: ProofRun, stage: Stage, record: ModelRecord, ended: StartResult, since: number, mcpTool: string | undefined): RunSeen {
  const { host } = run.ground;
  const receipts = ownReceipts(run, stage, since);
  const control = stepSeen(host, record, 0, stage.marks.control);
  const judged = receipts.some(({ event }) => event === 'pre-tool' || event === 'permission');
  return {
    failure: ended.failure, exit: ended.code, timedOut: ended.timedOut,
    requests: record.requests.length, turns: record.steps.reduce((sum, { played }) => sum + played, record.endings),
    control, canary: stepSeen(host, record, CANARY_STEP, stage.marks.canary), mcp: mcpSeen(mcpTool, receipts),
    onClientPath: control.took ? new TextDecoder().decode(host.readFile(stage.marks.control, MARK_BYTES_MAX)).trim() !== '' : undefined,
    receipts, command: judged || !control.played ? undefined : ask(run),
  };
}

/** Of this run: by the workspace, which nobody else has. A call that could not be read names none; then client and time must do. */
function ownReceipts({ ground: { host, dirs }, client }: ProofRun, stage: Stage, since: number): readonly Receipt[] {
  const name = stage.root.slice(stage.root.lastIndexOf(WORKSPACE_PREFIX));
  const isOurs = ({ workspace, verdict, client: whose }: Receipt): boolean => (workspace === undefined ? verdict === 'error' && whose === client.id : workspace.includes(`/${name}/`));
  return receiptsSince(host, dirs.receipts, since).filter((receipt) => receipt.synthetic !== true && isOurs(receipt));
}

/** What the registered command does when called as the client would; its receipt is marked and never evidence. */
function ask({ ground, client, evidence }: ProofRun): CommandResult | undefined {
  const command = evidence.files.flatMap((file) => file.commands).find(({ event }) => event === 'pre-tool');
  if (command === undefined) return undefined;
  return runCommand(ground.host, client, command, ground.context, 'user', Math.min(Math.max(waitOf(evidence) ?? HOOK_MS_MAX, 100), 3 * HOOK_MS_MAX));
}
