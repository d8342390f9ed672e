// Contract: tells, without the rules and the parser, that a tool call is surely neutral. The hook asks this first, so that most
// calls never load them. `true` promises that evaluate() says neutral (a test compares both); `false` promises nothing. PURE.
import type { ToolCall } from '../model/payload.ts';
import type { PolicyFacts } from './types.ts';

/** Every program that a rule, a wrapper or a nested text concerns. A test derives the list from their tables. */
export const CONCERNED = ' git rm export declare typeset setx lefthook pre-commit husky tee truncate shred unlink dd sed perl cp mv ln install rsync chmod apply_patch praetorctl-canary'
  + ' sudo doas env nohup setsid builtin busybox command exec time timeout nice ionice stdbuf xargs npx bunx pnpx'
  + ' sh bash dash zsh ksh ash mksh eval cd if then else elif do while until coproc case for select function ';

export function surelyNeutral(tool: ToolCall, facts: PolicyFacts): boolean {
  if (tool.kind === 'shell') return plainProgram(tool.command ?? '');
  const paths = tool.paths ?? [];
  for (let i = 0; i < paths.length; i++) if (!plainPath(paths[i] ?? '', facts)) return false;
  return tool.kind === 'file-write';
}

/** One program, no shell syntax at all, and not a program that anything looks at. */
function plainProgram(command: string): boolean {
  let end = -1;
  let slash = -1;
  for (let i = 0; i < command.length; i++) {
    const c = command.charCodeAt(i);
    if (c === 32 && i > 0) {
      if (end === -1) end = i;
      continue;
    }
    // % + , - . / 0-9 : @ A-Z _ a-z, and = behind the first word
    if (!((c >= 97 && c <= 122) || (c >= 43 && c <= 58) || (c >= 64 && c <= 90) || c === 95 || c === 37 || (c === 61 && end !== -1))) return false;
    if (c === 47 && end === -1) slash = i;
  }
  const program = command.slice(slash + 1, end === -1 ? command.length : end);
  return command.length < 4096 && program !== '' && program.slice(-4).toLowerCase() !== '.exe' && !CONCERNED.includes(` ${program} `);
}

/** An absolute path outside our directories whose name no guarded file has. */
function plainPath(path: string, { ownPaths }: PolicyFacts): boolean {
  const lower = path.toLowerCase();
  if (lower[0] !== '/' || lower.includes('..') || lower.includes('//') || lower.includes('/./') || lower.includes('.git') || lower.endsWith('.json') || lower.endsWith('.toml')) return false;
  for (let i = 0; i < ownPaths.length; i++) if (lower.startsWith((ownPaths[i] ?? '').toLowerCase())) return false;
  return true;
}
