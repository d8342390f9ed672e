// Contract: tells that no built-in rule can say anything about a command, so that the hook need not load the rules for it.
// PURE. `true` promises that every rule is silent (tests compare both over corpora, mutations and fuzzing); `false` promises
// nothing. It knows everyday calls of a few programs with plain words; paths are relative, without hidden parts or telling names.
import { isUsual } from './quick.ts';
import { RULED } from './ruled.ts';
import type { Word } from './shell-types.ts';
import type { Effective } from './types.ts';

const OPEN_CHAIN = ' timeout nice env nohup time stdbuf ionice command ';
/** Parts of names of variables that mean something to a rule. */
const TELLING_NAMES = ['HUSK', 'HOOK', 'GIT', 'SKIP', 'VERIF', 'COMMIT', 'PATH', 'HOME', 'SHELL', 'IFS', 'LD_', 'DYLD', 'PRELOAD', 'OPTIONS', 'CLAUDE', 'CODEX', 'GEMINI', 'AGY', 'PRAETOR', 'XDG', 'CONFIG', 'EDITOR', 'PAGER', 'PROMPT', 'BASH', 'ZDOT', 'OVERCOMMIT', 'DISABLE', 'CHECK', 'QWEN', 'CURSOR', 'COPILOT', 'DROID', 'OPENCODE', 'AGENT', 'PERL', 'PYTHON', 'RUBY', 'NODE_', 'NPM_', 'SAFE', 'KEY', 'TOKEN', 'SECRET', 'PASS', 'ANTHROPIC', 'OPENAI'];

export function isPlain(effective: Effective): boolean {
  const { program, args, assigns, command, env, chain, codeFrom, remote, shell, unresolved } = effective;
  if (shell !== 'sh' || remote !== undefined || unresolved !== '' || codeFrom.length > 0) return false;
  for (let i = 0; i < chain.length; i++) if (!OPEN_CHAIN.includes(` ${chain[i]} `)) return false;
  for (let i = 0; i < assigns.length; i++) if (!isPlainName(assigns[i]?.text ?? '')) return false;
  for (const name of env.keys()) if (!isPlainName(name)) return false;
  for (let i = 0; i < command.redirects.length; i++) {
    const redirect = command.redirects[i];
    if (redirect !== undefined && !isPlainFile(redirect.target) && !(redirect.write && redirect.target.text === '/dev/null')) return false;
  }
  if (program === '') return true;
  return RULED.includes(` ${program} `) ? isEveryday(program, args, effective) : !program.includes('-') || program === program.toLowerCase();
}

function isPlainName(word: string): boolean {
  const equals = word.indexOf('=');
  const name = equals === -1 ? word : word.slice(0, equals);
  for (let i = 0; i < name.length; i++) {
    const c = name.charCodeAt(i);
    if (!((c >= 65 && c <= 90) || c === 95 || (c >= 48 && c <= 57))) return false;
  }
  for (let i = 0; i < TELLING_NAMES.length; i++) if (name.includes(TELLING_NAMES[i] ?? '')) return false;
  return true;
}

/** Parts of file names that a rule may know; `text + blank` is the end of a name. */
const TELLING_FILES = ['.json', '.toml', '.yml ', '.yaml ', '.rb ', '.lock ', '.git', '.sh ', 'config', 'settings', 'lefthook', 'commit'];

/** A file below the working directory whose name tells nothing. */
function isPlainFile(word: Word): boolean {
  const { text } = word;
  if (word.dynamic || word.glob || text === '' || text[0] === '-' || text[0] === '/' || text[0] === '~' || text[0] === '.') return false;
  if (!isPlainText(text) || !isUsual(` ${text}`)) return false;
  const lower = ` ${text.toLowerCase()} `;
  for (let i = 0; i < TELLING_FILES.length; i++) if (lower.includes(TELLING_FILES[i] ?? '')) return false;
  return true;
}

function isPlainText(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (!((c >= 97 && c <= 122) || (c >= 45 && c <= 57) || (c >= 65 && c <= 90) || c === 95)) return false;
  }
  return true;
}

const READERS = ' cat head tail wc grep rg less sort uniq cut ';
const SCRIPTS = ' run test start ls outdated why ';
const OF_SHELL = ' cd pwd set shift read local ';

function isEveryday(program: string, args: readonly Word[], { pipedFrom, inputs }: Effective): boolean {
  const name = ` ${program} `;
  if (program === 'git') return isPlainGit(args);
  if (READERS.includes(name)) return pipedFrom.every(isPlain) && isUsual(textOf(args));
  if (OF_SHELL.includes(name)) return args.every((word) => !word.dynamic);
  switch (program) {
    case 'npm': case 'pnpm': return SCRIPTS.includes(` ${args[0]?.text ?? ''} `) && isUsual(textOf(args));
    case 'tee': return pipedFrom.every(isPlain) && inputs.length === 0 && args.length > 0 && args.every((word) => word.text === '-a' || isPlainFile(word));
    case 'rm': return args.every((word) => word.text === '-f' || isPlainFile(word));
    case 'node': return args[0] !== undefined && isPlainFile(args[0]) && isUsual(textOf(args)) && pipedFrom.length === 0;
    default: return false;
  }
}

function textOf(args: readonly Word[]): string {
  let text = '';
  for (let i = 0; i < args.length; i++) {
    const word = args[i] as Word;
    // What is not known may be any file.
    if (word.dynamic) return ' ..';
    text += ` ${word.text}`;
  }
  return text;
}

const SHOWING = ' status diff log show blame describe shortlog ls-files rev-parse ';
const COMMIT_FLAGS = ' -a -q -s -v --all --quiet --signoff --verbose --amend --no-edit --allow-empty ';
const COMMIT_VALUES = ' -m -am -F --message --file ';

function isPlainGit(args: readonly Word[]): boolean {
  const verb = args[0]?.text ?? '';
  const rest = args.slice(1);
  if (SHOWING.includes(` ${verb} `)) return isUsual(textOf(rest));
  if (verb === 'add') return rest.every((word) => word.text === '-A' || word.text === '.' || word.text === '-u' || isPlainFile(word));
  if (verb === 'push') return isUsual(textOf(rest)) && rest.every((word) => word.text === '-u' || (!word.dynamic && word.text[0] !== '-' && isPlainText(word.text)));
  if (verb !== 'commit') return false;
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] as Word;
    if (COMMIT_VALUES.includes(` ${word.text} `)) i++;
    else if (word.dynamic || !COMMIT_FLAGS.includes(` ${word.text} `)) return false;
  }
  return true;
}
