// Contract: commands that git runs on behalf of a line: aliases given or set in it, rebase --exec, submodule foreach, bisect run,
// filter-branch, programs named by configuration or environment. PURE. git itself is emitted with its directory.
import { emit, inner, joined, pathIn, runCode, type Call, type Handled, type Handler, type Reader } from './call.ts';
import { gitCall, gitOptions, type GitCall } from './git.ts';
import type { FullWord } from './state.ts';

/** Configuration keys whose value is a command. */
const PROGRAM_KEYS = /^(?:core\.(?:pager|editor|sshcommand|gitproxy|fsmonitor|askpass)|pager\..*|sequence\.editor|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|gpg\.program|gpg\..*\.program|(?:diff|merge)tool\..*\.cmd|credential(?:\..*)?\.helper|uploadpack\.packobjectshook|interactive\.difffilter|remote\..*\.(?:uploadpack|receivepack)|browser\..*\.cmd|man\..*\.cmd|web\.browser|trailer\..*\.(?:command|cmd))$/;
const PROGRAM_VARIABLES: ReadonlySet<string> = new Set(['GIT_SSH_COMMAND', 'GIT_EDITOR', 'GIT_SEQUENCE_EDITOR', 'GIT_PAGER', 'GIT_EXTERNAL_DIFF', 'GIT_ASKPASS', 'GIT_PROXY_COMMAND', 'EDITOR', 'VISUAL', 'PAGER', 'GIT_SSH', 'SSH_ASKPASS']);

const ALIASES_DEEP_MAX = 4;

function text(walker: Reader, call: Call, source: string, at: FullWord | undefined, within: string): void {
  if (source.trim() !== '') runCode(walker, call, { text: source, at, within, chain: [...call.frame.chain, 'git'] });
}

export const git: Handler = (walker, call) => {
  const args = call.words.slice(1);
  const parsed = gitCall({ args });
  let cwd = call.cwd;
  for (const word of parsed.directories) cwd = word.dynamic ? undefined : pathIn(walker, word.text, cwd);
  const effective = emit(walker, call, { program: 'git', cwd });
  const inside = { ...call, cwd };
  configured(walker, inside, parsed);
  const { verb } = parsed;
  if (verb === 'config') remember(call, parsed);
  const alias = aliasOf(call, parsed, verb);
  if (alias !== undefined) return expand(walker, inside, args, parsed, alias);
  runs(walker, inside, parsed);
  // The one answer that is known without asking git.
  const top = effective.args.length === 2 && verb === 'rev-parse' && parsed.args[0]?.text === '--show-toplevel';
  const within = top && cwd !== undefined && walker.facts.workspace !== undefined && cwd.startsWith(walker.facts.workspace);
  return { printed: within ? walker.facts.workspace : undefined };
};

/** `-c core.pager=CMD` and `GIT_EDITOR=CMD git ...`. */
function configured(walker: Reader, call: Call, { settings }: GitCall): void {
  for (const { key, value, word } of settings) {
    if (value === undefined || !PROGRAM_KEYS.test(key)) continue;
    text(walker, call, value[0] === '!' ? value.slice(1) : value, word, `git -c ${key}`);
  }
  for (const word of call.assigns) {
    const equals = word.text.indexOf('=');
    if (PROGRAM_VARIABLES.has(word.text.slice(0, equals))) text(walker, call, word.text.slice(equals + 1), word, 'git environment');
  }
}

/** `git config alias.x TEXT`: later calls of this line can use it. */
function remember(call: Call, { args }: GitCall): void {
  const { operands } = gitOptions('config', args);
  const rest = operands[0]?.text === 'set' ? operands.slice(1) : operands;
  const [key, value] = rest;
  if (key === undefined || value === undefined || !key.text.toLowerCase().startsWith('alias.')) return;
  call.env.gitAliases.set(key.text.slice('alias.'.length).toLowerCase(), value.text);
}

function aliasOf({ env, assigns }: Call, { settings }: GitCall, verb: string): string | undefined {
  const name = verb.toLowerCase();
  if (name === '') return undefined;
  const given = settings.find(({ key }) => key === `alias.${name}`)?.value;
  if (given !== undefined) return given;
  const value = (variable: string): string | undefined => assigns.find((word) => word.text.startsWith(`${variable}=`))?.text.slice(variable.length + 1) ?? env.get(variable)?.alts[0]?.text;
  for (let at = 0; at < 8; at++) {
    const key = value(`GIT_CONFIG_KEY_${at}`);
    if (key === undefined) break;
    if (key.toLowerCase() === `alias.${name}`) return value(`GIT_CONFIG_VALUE_${at}`);
  }
  return env.gitAliases.get(name);
}

function expand(walker: Reader, call: Call, args: readonly FullWord[], parsed: GitCall, alias: string): Handled {
  const rest = parsed.args as readonly FullWord[];
  if (alias[0] === '!') {
    const behind = rest.length === 0 ? '' : ` ${rest.map((word) => (/^[\w./:=@%+,-]+$/.test(word.text) ? word.text : `'${word.text.replace(/'/g, "'\\''")}'`)).join(' ')}`;
    text(walker, call, alias.slice(1) + behind, parsed.verbWord, 'git alias');
    return { printed: undefined };
  }
  if (call.frame.chain.filter((name) => name === 'git alias').length >= ALIASES_DEEP_MAX) return { printed: undefined };
  const verbAt = args.indexOf(parsed.verbWord as FullWord);
  const at = parsed.verbWord as FullWord;
  const words = walker.wordsOf(alias, call.env, call.frame).map((word) => ({ ...word, start: at.start, end: at.end }));
  const first = call.words[0] as FullWord;
  return { printed: walker.execute(inner(call, [first, ...args.slice(0, verbAt), ...words, ...args.slice(verbAt + 1)], 'git alias')) };
}

/** Options whose value is a command text. */
function optionTexts(walker: Reader, call: Call, verb: string, words: readonly FullWord[], wanted: (name: string) => boolean): void {
  for (const { name, value, word, valueWord } of gitOptions(verb, words).options) {
    if (value !== undefined && wanted(name)) text(walker, call, value, (valueWord ?? word) as FullWord, `git ${verb}`);
  }
}

/** Verbs that run a command text or words of their own. */
function runs(walker: Reader, call: Call, { verb, args }: GitCall): void {
  const words = args as readonly FullWord[];
  switch (verb) {
    case 'rebase': return optionTexts(walker, call, verb, words, (name) => name === '--exec' || name === '-x');
    case 'submodule': {
      const at = words.findIndex((word) => word.text === 'foreach');
      const rest = at === -1 ? [] : words.slice(at + 1).filter((word, index) => index > 3 || !/^(?:--recursive|--quiet|-q|--)$/.test(word.text));
      return text(walker, call, joined(rest), rest[0], 'git submodule foreach');
    }
    case 'bisect': {
      if (words[0]?.text === 'run' && words.length > 1) walker.execute(inner(call, words.slice(1), 'git bisect run'));
      return;
    }
    case 'filter-branch': return optionTexts(walker, call, verb, words, (name) => name.endsWith('-filter') && name !== '--subdirectory-filter');
    case 'difftool': case 'mergetool': {
      const at = words.findIndex((word) => word.text === '-x' || word.text.startsWith('--extcmd'));
      const given = words[at];
      const source = given?.text.startsWith('--extcmd=') === true ? given.text.slice('--extcmd='.length) : words[at + 1]?.text;
      if (at !== -1 && source !== undefined) text(walker, call, source, given, `git ${verb}`);
      return;
    }
    case 'for-each-repo': {
      const rest = words.filter((word) => !word.text.startsWith('--config'));
      if (rest.length > 0) walker.execute(inner(call, [call.words[0] as FullWord, ...rest], 'git for-each-repo'));
      return;
    }
    default:
  }
}
