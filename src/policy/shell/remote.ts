// Contract: commands that run on another machine or in a container: ssh, docker, podman, kubectl, chroot. PURE.
// The inner commands carry `remote`; directories that are mounted keep their path on this machine.
import type { Remote } from '../types.ts';
import { emit, inner, joined, runCode, type Call, type Handler, type Reader } from './call.ts';
import { lastOption, readOptions, type OptionsRead } from './options.ts';
import { fromInput } from './shells.ts';
import type { FullWord } from './state.ts';
import { DOCKER_EXEC, DOCKER_GLOBAL, DOCKER_RUN, KUBE_GLOBAL, SSH } from './wrappers.ts';

const ELSEWHERE: Remote = { kind: 'ssh', mounts: [] };

/** `ssh HOST WORDS`: the words are joined and read by the shell over there; without words it reads standard input. */
const ssh: Handler = (walker, call, program) => {
  const args = call.words.slice(1);
  const read = readOptions(args, SSH);
  for (const { name, value, word, valueWord } of read.options) {
    const proxy = name === '-o' ? /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)\s*[= ]\s*(.+)$/i.exec(value ?? '') : null;
    if (proxy?.[1] !== undefined) runCode(walker, call, { text: proxy[1], at: valueWord ?? word, within: program, chain: [...call.frame.chain, program] });
  }
  const words = args.slice(read.rest + 1);
  const remote = { ...call, cwd: undefined, frame: { ...call.frame, remote: ELSEWHERE, chain: [...call.frame.chain, program] } };
  emit(walker, call, { program, codeFrom: words.length === 0 ? call.frame.stdin.from : words.flatMap(({ from }) => from ?? []) });
  // Options may also stand behind the host.
  const behind = readOptions(words, SSH);
  const command = words.slice(behind.rest);
  if (command.length === 0) {
    if (read.rest < args.length && (call.frame.stdin.text !== undefined || call.frame.stdin.from.length > 0)) return fromInput(walker, remote, 'sh', []);
    return { printed: undefined };
  }
  runCode(walker, remote, { text: joined(command), at: command[0], within: program, remote: ELSEWHERE });
  return { printed: undefined };
};

/** `-v HOST:INSIDE` and `--mount type=bind,source=HOST,target=INSIDE`. */
function mountsOf(read: OptionsRead): { host: string; inside: string }[] {
  const mounts: { host: string; inside: string }[] = [];
  for (const { name, value = '' } of read.options) {
    if (name === '-v' || name === '--volume') {
      const [host = '', inside] = value.split(':');
      if (inside !== undefined && /^[./~\uE000\uE001]/.test(host)) mounts.push({ host, inside });
    } else if (name === '--mount') {
      const parts = new Map(value.split(',').map((part): [string, string] => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]));
      const host = parts.get('source') ?? parts.get('src');
      const inside = parts.get('target') ?? parts.get('dst') ?? parts.get('destination');
      if (host !== undefined && inside !== undefined && parts.get('type') !== 'volume') mounts.push({ host, inside });
    }
  }
  return mounts;
}

function container(walker: Reader, call: Call, words: readonly FullWord[], program: string, read: OptionsRead): void {
  const remote: Remote = { kind: 'container', mounts: mountsOf(read) };
  const entry = lastOption(read, '--entrypoint');
  const at = call.words[0] as FullWord;
  const command = entry?.value === undefined ? words : [{ ...(entry.valueWord ?? at), text: entry.value, dynamic: false, glob: false, quoted: true }, ...words];
  const within = { ...call, cwd: undefined };
  if (command.length > 0) walker.execute(inner(within, command, program, {}, remote));
}

const docker: Handler = (walker, call, program) => {
  const args = call.words.slice(1);
  emit(walker, call, { program });
  let at = readOptions(args, DOCKER_GLOBAL).rest;
  let verb = args[at]?.text ?? '';
  if (verb === 'container' || verb === 'compose' || verb === 'machine') {
    const more = readOptions(args.slice(at + 1), DOCKER_GLOBAL).rest;
    at += 1 + more;
    verb = args[at]?.text ?? '';
  }
  if (verb !== 'run' && verb !== 'exec' && verb !== 'create' && verb !== 'ssh') return { printed: undefined };
  const rest = args.slice(at + 1);
  const read = readOptions(rest, verb === 'exec' ? DOCKER_EXEC : DOCKER_RUN);
  // Behind the options stands the image, the container or the service.
  container(walker, call, rest.slice(read.rest + 1), program, read);
  return { printed: undefined };
};

const kubectl: Handler = (walker, call, program) => {
  const args = call.words.slice(1);
  emit(walker, call, { program });
  const dashes = args.findIndex(({ text }) => text === '--');
  const head = readOptions(dashes === -1 ? args : args.slice(0, dashes), KUBE_GLOBAL);
  const verb = head.operands[0]?.text ?? '';
  if (verb !== 'exec' && verb !== 'run' && verb !== 'debug') return { printed: undefined };
  // Without `--`, old versions take the words behind the pod.
  const words = dashes === -1 ? (verb === 'exec' ? head.operands.slice(2) : []) : args.slice(dashes + 1);
  container(walker, call, words, program, { options: [], operands: [], fails: false, rest: 0 });
  return { printed: undefined };
};

/** A new root directory: paths below it are paths of this machine. */
const chroot: Handler = (walker, call, program) => {
  const args = call.words.slice(1);
  const read = readOptions(args, { leading: true, longs: 'userspec= groups= skip-chdir' });
  const root = args[read.rest];
  const words = args.slice(read.rest + 1);
  if (root === undefined || words.length === 0) return undefined;
  const remote: Remote = { kind: 'container', mounts: root.dynamic ? [] : [{ host: root.text, inside: '/' }] };
  return { printed: walker.execute(inner({ ...call, cwd: undefined }, words, program, {}, remote)) };
};

/** `vagrant ssh -c TEXT`, `gcloud compute ssh X --command TEXT`, `heroku run WORDS`, `fly ssh console -C TEXT`. */
const cloudShell: Handler = (walker, call, program) => {
  const args = call.words.slice(1);
  emit(walker, call, { program });
  if (!args.some(({ text }) => text === 'ssh' || text === 'run' || text === 'exec')) return { printed: undefined };
  const text = lastOption(readOptions(args, { valued: 'cC', longs: 'command=', exact: true }), '-c', '-C', '--command');
  const remote = { ...call, cwd: undefined };
  if (text?.value !== undefined) runCode(walker, remote, { text: text.value, at: text.valueWord ?? text.word, within: program, remote: ELSEWHERE, chain: [...call.frame.chain, program] });
  return { printed: undefined };
};

export const REMOTE_PROGRAMS: Readonly<Record<string, Handler>> = {
  ssh, mosh: ssh, autossh: ssh, rsh: ssh, docker, podman: docker, nerdctl: docker, 'docker-compose': docker, 'podman-compose': docker, kubectl, oc: kubectl, k: kubectl, chroot,
  vagrant: cloudShell, gcloud: cloudShell, fly: cloudShell, flyctl: cloudShell, heroku: cloudShell,
};
