// Contract: the demonstration: plan, apply, an allowed and a denied call per client, verify, remove, and the comparison with the
// original home, on real files in a temporary directory with the real program. Ends by deleting only what it created.
import { realHost, type Host } from '../host.ts';
import { hasHooks } from '../clients/mcp-only.ts';
import { CLIENTS, clientById } from '../clients/registry.ts';
import type { ClientDefinition } from '../model/client.ts';
import { EXIT, PraetorError } from '../model/diagnostic.ts';
import { dirOf, joinPath } from '../roots/paths.ts';
import { clientsApply, clientsPlan, clientsRemove, clientsVerify, requestOf } from './clients.ts';
import type { CliIo, Outcome } from './output.ts';
import type { CommandContext } from './program.ts';

/** Relative path -> base64 of the bytes. Packed at build time from test/fixtures/homes/four-clients. */
export type HomeImage = Readonly<Record<string, string>>;

const IMAGE_BYTES_MAX = 4 * 1024 * 1024;
const HOOK_MS_MAX = 10_000;

interface Stage { readonly host: Host; readonly root: string; readonly home: string; readonly io: CliIo }

function loadImage(host: Host, script: string): HomeImage {
  const path = joinPath(host.platform, dirOf(host.platform, dirOf(host.platform, script)), 'dist', 'demo-home.json');
  try {
    return JSON.parse(new TextDecoder().decode(host.readFile(path, IMAGE_BYTES_MAX))) as HomeImage;
  } catch (error) {
    throw new PraetorError({ code: 'internal', where: { path }, message: 'the demonstration home is missing from this installation', fix: 'npm run build' }, error);
  }
}

function makeDirs(host: Host, base: string, relativeDir: string): void {
  let path = base;
  for (const part of relativeDir.split('/').filter((p) => p !== '')) {
    path = joinPath(host.platform, path, part);
    if (host.stat(path) === undefined) host.mkdir(path, 0o700);
  }
}

function tempRoot(host: Host): string {
  const base = host.env['TMPDIR'] ?? host.env['TEMP'] ?? (host.platform === 'win32' ? host.env['LOCALAPPDATA'] ?? 'C:\\Windows\\Temp' : '/tmp');
  return joinPath(host.platform, base.replace(/[\\/]+$/, ''), `praetorctl-demo-${host.nonce(6)}`);
}

function build(context: CommandContext, image: HomeImage): Stage {
  const outer = context.io.host;
  const root = tempRoot(outer);
  const home = joinPath(outer.platform, root, 'home');
  for (const dir of [root, home, joinPath(outer.platform, root, 'work')]) outer.mkdir(dir, 0o700);
  for (const [path, content] of Object.entries(image)) {
    makeDirs(outer, home, path.split('/').slice(0, -1).join('/'));
    outer.writeNew(joinPath(outer.platform, home, ...path.split('/')), Buffer.from(content, 'base64'), 0o644);
  }
  const bin = joinPath(outer.platform, home, '.local', 'bin');
  const separator = outer.platform === 'win32' ? ';' : ':';
  const env = {
    HOME: home, USERPROFILE: home, PATH: `${bin}${separator}${outer.env['PATH'] ?? ''}`, TERM: outer.env['TERM'],
    PRAETORCTL_STATE_DIR: joinPath(outer.platform, root, 'state'), PRAETORCTL_CONFIG_DIR: joinPath(outer.platform, root, 'config'),
  };
  const host = realHost({ env, cwd: joinPath(outer.platform, root, 'work') });
  return { host, root, home, io: { ...context.io, host } };
}

/** Every file below a directory with its bytes; directories count too, links and the rest by kind. */
function treeOf(host: Host, dir: string, prefix = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of host.readDir(dir)) {
    const path = joinPath(host.platform, dir, name);
    const stat = host.lstat(path);
    const key = `${prefix}${name}`;
    if (stat?.kind === 'dir') {
      found.set(`${key}/`, '');
      for (const [k, v] of treeOf(host, path, `${key}/`)) found.set(k, v);
    } else found.set(key, stat?.kind === 'file' ? host.sha256(host.readFile(path, IMAGE_BYTES_MAX)) : `${stat?.kind ?? 'gone'}`);
  }
  return found;
}

function destroy(host: Host, dir: string): void {
  for (const name of host.readDir(dir)) {
    const path = joinPath(host.platform, dir, name);
    if (host.lstat(path)?.kind === 'dir') destroy(host, path);
    else host.unlink(path);
  }
  host.rmdir(dir);
}

interface Call { readonly client: string; readonly kind: 'allow' | 'deny'; readonly line: string; readonly asExpected: boolean }

/** One hook call as the client makes it, marked synthetic so that its receipt is never evidence. */
function callHook(stage: Stage, context: CommandContext, client: ClientDefinition, kind: 'allow' | 'deny'): Call {
  const { node, script } = context.io.program;
  const sample = client.sample(kind, joinPath(stage.host.platform, stage.root, 'work'));
  const env = Object.fromEntries(Object.entries(stage.host.env).filter((e): e is [string, string] => e[1] !== undefined));
  const result = stage.host.spawn(node, [script, 'hook', client.id, 'pre-tool'], {
    env: { ...env, PRAETORCTL_HOOK_SYNTHETIC: '1' }, input: JSON.stringify(sample.payload), timeoutMs: HOOK_MS_MAX, maxBytes: 1024 * 1024,
  });
  const said = (result.stdout.trim() || result.stderr.trim()).split('\n')[0] ?? '';
  const answer = said === '' ? 'no opinion: the client\'s own rules go on' : said.length > 76 ? `${said.slice(0, 75)}…` : said;
  const denied = result.code === 2 || /"(deny|block)"|"cancel":true/.test(result.stdout);
  return { client: client.id, kind, asExpected: denied === (kind === 'deny') && result.failure === undefined, line: `${client.id.padEnd(11)} ${sample.command.padEnd(17)} exit ${String(result.code)}  ${answer}` };
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => before.get(key) !== after.get(key)).sort();
}

/** The table and the last paragraph of verify; the reasons fill a page of their own. */
function brief(text: string): string {
  const lines = text.split('\n');
  const end = lines.indexOf('');
  return [...lines.slice(0, end < 0 ? lines.length : end), ...lines.slice(lines.lastIndexOf('') + 1)].join('\n');
}

/** The plan was shown just before: what follows its last line is the result. */
function afterPlan(text: string): string {
  return text.slice(text.lastIndexOf('\n\n') + 2);
}

const heading = (text: string): string => `\n$ ${text}`;

/** The clients that were named, or all that have hooks: without settings there is nothing to show of the others. */
function chosen(context: CommandContext): readonly ClientDefinition[] {
  const words = requestOf(context, 'apply').clients;
  return (words.length === 0 ? CLIENTS : words.map((word) => clientById(word))).filter(hasHooks);
}

async function play(stage: Stage, context: CommandContext): Promise<{ lines: string[]; ok: boolean; calls: Call[]; changed: string[] }> {
  const inner = (options: Record<string, unknown>): CommandContext => ({ ...context, io: stage.io, options, args: [] });
  const before = treeOf(stage.host, stage.home);
  const clients = chosen(context);
  const ids = clients.map((client) => client.id);
  const unregistered = clientsVerify(inner({ client: ids, require: 'installed' }));
  const plan = clientsPlan(inner({ client: ids }));
  const applied = await clientsApply(inner({ client: ids, yes: true }));
  const calls = clients.flatMap((client) => [callHook(stage, context, client, 'allow'), callHook(stage, context, client, 'deny')]);
  const verified = clientsVerify(inner({ client: ids, require: 'installed' }));
  const removed = await clientsRemove(inner({ client: ids, yes: true }));
  const changed = differences(before, treeOf(stage.host, stage.home));
  const ok = applied.exit === EXIT.ok && verified.exit === EXIT.ok && removed.exit === EXIT.ok && changed.length === 0 && calls.every((call) => call.asExpected);
  const lines = [
    heading('praetorctl clients verify --require installed'), brief(unregistered.text),
    heading('praetorctl clients plan'), plan.text,
    heading('praetorctl clients apply --yes'), afterPlan(applied.text),
    heading('praetorctl hook <client> pre-tool   (one allowed and one denied call each)'), ...calls.map((call) => call.line),
    heading('praetorctl clients verify --require installed'), brief(verified.text),
    heading('praetorctl clients remove --yes'), afterPlan(removed.text),
    heading('diff -r original-home home'), changed.length === 0 ? '(no difference)' : changed.join('\n'),
  ];
  return { lines, ok, calls, changed };
}

/** Run names and the temporary directory differ each time; people and tests compare without them. */
function stable(text: string, stage: Stage): string {
  return text.split(stage.home).join('~').split(stage.root).join('<temporary>');
}

export async function demonstrate(context: CommandContext, head: string): Promise<Outcome> {
  const image = loadImage(context.io.host, context.io.program.script);
  const stage = build(context, image);
  try {
    const { lines, ok, calls, changed } = await play(stage, context);
    const tail = ok ? '\nThat was the whole job. To see it on your own files, install a client and run npm start again.' : '\nThe demonstration did not end as it should.';
    return {
      exit: ok ? EXIT.ok : EXIT.failed, kind: 'start', wrote: true, diagnostics: [],
      body: { demonstration: true, calls: calls.map(({ client, kind, asExpected }) => ({ client, kind, asExpected })), changed },
      text: stable([head, ...lines, tail].join('\n'), stage),
    };
  } finally {
    destroy(context.io.host, stage.root);
  }
}
