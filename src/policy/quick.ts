// Contract: tells, without the rules and the parser, that a tool call is surely neutral. The hook asks this first, so that most
// calls never load them. `true` promises that evaluate() says neutral (a test compares both); `false` promises nothing. PURE.
import { pairsOf } from '../model/mcp-names.ts';
import type { ToolCall } from '../model/payload.ts';
import { CONCERNED } from './concerned.ts';
import type { PolicyFacts } from './types.ts';

export function surelyNeutral(tool: ToolCall, facts: PolicyFacts): boolean {
  switch (tool.kind) {
    case 'shell': return tool.shell === undefined && plainProgram(tool.command ?? '');
    case 'file-write': return everyPath(tool, (path) => plainPath(path, facts));
    case 'file-read': return everyPath(tool, plainRead);
    case 'mcp': return plainInput(tool, facts);
    default: return true;
  }
}

function everyPath({ paths = [] }: ToolCall, plain: (path: string) => boolean): boolean {
  for (let i = 0; i < paths.length; i++) if (!plain(paths[i] ?? '')) return false;
  return true;
}

/** One program, no shell syntax at all, and not a program that anything looks at, or one of its everyday calls. */
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
  if (end === -1) end = command.length;
  const program = command.slice(slash + 1, end);
  if (command.length >= 4096 || program === '' || program.slice(-4).toLowerCase() === '.exe') return false;
  // A cmdlet of PowerShell.
  if (program.includes('-') && /^[a-z]+-[a-z]+$/i.test(program)) return !CONCERNED.includes(` ${program} `) && !/^(?:add|clear|copy|disable|enable|format|get|import|initialize|install|invoke|move|new|out|remove|rename|reset|restart|set|start|stop|unregister|uninstall)-/i.test(program);
  return !CONCERNED.includes(` ${program} `) || everyday(program, command.slice(end + 1));
}

/** Verbs that only show something or run what the project itself names. */
const EVERYDAY: Readonly<Record<string, string>> = {
  git: ' status diff log show add fetch blame describe shortlog ls-files rev-parse ',
  npm: ' run test start ls outdated view why ', pnpm: ' run test start ls outdated why ', yarn: ' test start why ', cargo: ' build test check clippy fmt ',
};
const READERS = ' cat head tail less wc grep rg ';
/** Parts of words that an everyday call does not have: hidden files, other directories, names of secrets, switches of hooks. */
const UNUSUAL = ['/.', ' .', '..', '=.', ' /', '=/', ':/', 'hook', 'husky', 'praetorctl', 'secret', 'cred', 'token', 'key', 'pass', 'shadow', 'id_', 'ed25519', '.env', '.pem', '.p12', '.pfx', 'uninstall', '--out', '--ext', '--pre', '--upload-pack', '-c', '--config', '--help', 'cookie', 'login', 'history', 'auth', 'wallet', 'proc', 'etc', 'prefix', '--script-shell', '--node-options'];

function everyday(program: string, rest: string): boolean {
  if (READERS.includes(` ${program} `)) return isUsual(rest);
  const verbs = Object.prototype.hasOwnProperty.call(EVERYDAY, program) ? EVERYDAY[program] : undefined;
  const end = rest.indexOf(' ');
  const verb = end === -1 ? rest : rest.slice(0, end);
  return verbs !== undefined && verb !== '' && verbs.includes(` ${verb} `) && isUsual(rest.slice(verb.length));
}

export function isUsual(words: string): boolean {
  const text = ` ${words.toLowerCase()} `;
  for (let i = 0; i < UNUSUAL.length; i++) if (text.includes(UNUSUAL[i] ?? '')) return false;
  return true;
}

/** An absolute path outside our directories whose name no guarded file has. */
function plainPath(path: string, { ownPaths }: PolicyFacts): boolean {
  const lower = path.toLowerCase();
  if (!isSimple(lower) || lower.includes('/.') || lower.includes('hook') || lower.includes('praetorctl') || lower.endsWith('.json') || lower.endsWith('.toml')) return false;
  for (let i = 0; i < ownPaths.length; i++) if (lower.startsWith((ownPaths[i] ?? '').toLowerCase())) return false;
  return true;
}

function isSimple(lower: string): boolean {
  return lower[0] === '/' && !lower.includes('..') && !lower.includes('//') && !lower.includes('/./') && !lower.includes('~') && !lower.includes('$') && !lower.includes('\\');
}

/** An absolute path without hidden directories, outside the places where systems keep keys. */
function plainRead(path: string): boolean {
  const lower = path.toLowerCase();
  return isSimple(lower) && !lower.includes('/.') && !lower.startsWith('/etc') && !lower.startsWith('/proc') && !lower.startsWith('/private') && !lower.startsWith('/root')
    && !lower.includes('/id_') && !lower.endsWith('ed25519') && !lower.includes('library') && !lower.includes('/snap/') && !/\.(?:pem|p12|pfx|key|env)$/.test(lower) && !lower.includes('.env');
}

/** Arguments of an MCP call that name no hidden file, no home and nothing of a guard. */
const TELLING = /\/\.|"\.|\\\\|~|\.\.|\$|hook|praetorctl|settings|config|husky|lefthook|pre-commit|etc\/|proc\/|id_|ed25519|\.env|\.pem|\.p12|\.pfx|shadow|keychain|cookies|login/i;
const INPUT_CHARS_MAX = 8192;

/** Tools that change something: a directory they name holds everything below it. */
const CHANGING = /write|edit|delet|remov|mov|creat|patch|put|updat|renam|replac|append|save|insert|copy|trunc|unlink|chmod|modif|set|appl|upload/i;

function plainInput({ name, mcp, input, paths, command }: ToolCall, { ownPaths }: PolicyFacts): boolean {
  if (paths !== undefined || command !== undefined) return false;
  const text = JSON.stringify(input);
  if (text.length > INPUT_CHARS_MAX || TELLING.test(text)) return false;
  if ((mcp === undefined ? CHANGING.test(name) : pairsOf(mcp).some(({ tool }) => CHANGING.test(tool))) && /[\\/]|:""/.test(text)) return false;
  const lower = text.toLowerCase();
  for (let i = 0; i < ownPaths.length; i++) {
    const own = (ownPaths[i] ?? '').toLowerCase();
    if (lower.includes(own.slice(own.lastIndexOf('/') + 1))) return false;
  }
  return true;
}
