// Contract: the list of clients for everything but the hook. One client = one folder and one line here, and one in dialects.ts if it has hooks. PURE.
import type { ClientDefinition } from '../model/client.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { agy } from './agy/setup.ts';
import { amp } from './amp/setup.ts';
import { auggie } from './auggie/setup.ts';
import { claude } from './claude/setup.ts';
import { claudeDesktop } from './claude-desktop/setup.ts';
import { cline } from './cline/setup.ts';
import { codex } from './codex/setup.ts';
import { copilotCli } from './copilot-cli/setup.ts';
import { crush } from './crush/setup.ts';
import { cursor } from './cursor/setup.ts';
import { droid } from './droid/setup.ts';
import { gemini } from './gemini/setup.ts';
import { goose } from './goose/setup.ts';
import { junie } from './junie/setup.ts';
import { kilo } from './kilo/setup.ts';
import { kimi } from './kimi/setup.ts';
import { opencode } from './opencode/setup.ts';
import { qwen } from './qwen/setup.ts';
import { vscode } from './vscode/setup.ts';
import { windsurf } from './windsurf/setup.ts';
import { devin } from './devin/setup.ts';
import { kiro } from './kiro/setup.ts';
import { clineVscode } from './cline-vscode/setup.ts';
import { continueCli } from './continue/setup.ts';
import { jetbrainsAi } from './jetbrains-ai/setup.ts';
import { lmstudio } from './lmstudio/setup.ts';
import { roo } from './roo/setup.ts';
import { trae } from './trae/setup.ts';
import { visualStudio } from './visual-studio/setup.ts';
import { warp } from './warp/setup.ts';
import { zed } from './zed/setup.ts';

export const CLIENTS: readonly ClientDefinition[] = [
  claude,
  codex,
  gemini,
  agy,
  qwen,
  copilotCli,
  droid,
  opencode,
  auggie,
  kiro,
  devin,
  windsurf,
  claudeDesktop,
  kilo,
  cline,
  amp,
  crush,
  kimi,
  junie,
  goose,
  cursor,
  vscode,
  clineVscode,
  continueCli,
  jetbrainsAi,
  lmstudio,
  roo,
  trae,
  visualStudio,
  warp,
  zed,
];

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The client of an id or alias. Throws `unknown-client` with the nearest id. */
export function clientById(word: string, clients: readonly ClientDefinition[] = CLIENTS): ClientDefinition {
  const found = clients.find((c) => c.id === word || c.aliases.includes(word));
  if (found !== undefined) return found;
  const names = clients.flatMap((c) => [c.id, ...c.aliases].map((name) => ({ name, id: c.id })));
  const nearest = names.map((n) => ({ ...n, d: distance(word.toLowerCase(), n.name) })).sort((a, b) => a.d - b.d)[0];
  throw new PraetorError({
    code: 'unknown-client', message: `unknown client "${word.slice(0, 40)}"`,
    fix: nearest === undefined ? 'praetorctl clients list' : `use --client ${nearest.id} (all: praetorctl clients list)`,
  });
}
