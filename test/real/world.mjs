// Contract: a temporary world for one real client: a home, a project whose remote a forced push really moves, a PATH with
// praetorctl, git and the client and little else, and bounded runs whose process groups are ended by id.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const root = resolve(import.meta.dirname, '../..');
const COMMAND_MS_MAX = 30_000;
/** The slowest first start that was seen on a busy machine took over a minute. */
const SESSION_MS_MAX = 90_000;
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

export function makeWorld(client, binary) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), `real-${client.id}-`)));
  const [home, project, bin, temporary] = ['home', 'project', 'bin', 'tmp'].map((name) => {
    const path = join(base, name);
    mkdirSync(path);
    return path;
  });
  writeFileSync(join(bin, 'praetorctl'), `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin/praetorctl')}' "$@"\n`);
  chmodSync(join(bin, 'praetorctl'), 0o755);
  // A client may ask for another Node than the one that runs this test.
  symlinkSync(client.node?.(binary) ?? process.execPath, join(bin, 'node'));
  symlinkSync(binary, join(bin, client.command ?? client.id));
  // No variable of the person who runs the test reaches a client.
  const env = { HOME: home, PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, LANG: 'C.UTF-8', TERM: 'xterm-256color', TMPDIR: temporary, GIT_CONFIG_NOSYSTEM: '1' };
  const world = { base, home, project, bin, env, binary, left: client.left, mcpLog: join(base, 'mcp.log') };
  prepareProject(world);
  return world;
}

export function dropWorld(world) {
  endLeft(world);
  rmSync(world.base, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** A process that the client left in the background and whose id it wrote down: ours, because it was started in this home. */
function endLeft({ home, left }) {
  if (left === undefined || !existsSync(join(home, left))) return;
  try {
    process.kill(JSON.parse(readFileSync(join(home, left), 'utf8')).pid, 'SIGKILL');
  } catch { /* it is gone */ }
}

function git(world, ...args) {
  const run = spawnSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.invalid', ...args], { cwd: world.project, env: world.env, encoding: 'utf8', timeout: COMMAND_MS_MAX });
  if (run.status !== 0) throw new Error(`git ${args[0]}: ${run.stderr}`);
  return run.stdout.trim();
}

/** After this the local branch and the remote's differ, so that only a forced push moves the remote. */
function prepareProject(world) {
  const remote = join(world.base, 'remote.git');
  git(world, 'init', '-q', '-b', 'main');
  git(world, 'init', '-q', '--bare', remote);
  writeFileSync(join(world.project, 'file'), 'one\n');
  git(world, 'add', 'file');
  git(world, 'commit', '-q', '-m', 'one');
  git(world, 'remote', 'add', 'origin', remote);
  git(world, 'push', '-q', 'origin', 'main');
  world.pushed = git(world, 'rev-parse', 'main');
  git(world, 'commit', '-q', '--amend', '-m', 'two');
}

export function remoteMoved(world) {
  return git(world, '--git-dir', join(world.base, 'remote.git'), 'rev-parse', 'main') === git(world, 'rev-parse', 'main');
}

/** Takes a forced push back. */
export function resetRemote(world) {
  git(world, '--git-dir', join(world.base, 'remote.git'), 'update-ref', 'refs/heads/main', world.pushed);
}

/** Runs praetorctl in this world. */
export function praetorctl(world, ...args) {
  const run = spawnSync(join(world.bin, 'praetorctl'), args, { cwd: world.project, env: world.env, encoding: 'utf8', timeout: COMMAND_MS_MAX, input: '' });
  let json;
  try {
    json = JSON.parse(run.stdout);
  } catch { /* not asked for */ }
  return { code: run.status, out: run.stdout, err: run.stderr, json };
}

/** One headless session of the client; resolves when it ended or its time was over. `host`: a program in front of it, that is given each line and answers some. */
export function session(world, argv, environment, host) {
  return new Promise((done) => {
    const child = spawn(world.binary, argv, { cwd: world.project, env: { ...world.env, ...environment }, stdio: [host === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'], detached: true });
    if (host !== undefined) answering(child, host);
    let output = '';
    const keep = (chunk) => { if (output.length < OUTPUT_BYTES_MAX) output += chunk; };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    let timedOut = false;
    const timer = setTimeout(() => { timedOut = true; endGroup(child.pid); }, SESSION_MS_MAX);
    const finish = (code) => {
      clearTimeout(timer);
      endGroup(child.pid);
      done({ code, timedOut, output });
    };
    child.on('error', (error) => { output += error.message; finish(null); });
    child.on('close', finish);
  });
}

function answering(child, host) {
  child.stdin.on('error', () => undefined);
  const say = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  host.begin(say);
  createInterface({ input: child.stdout }).on('line', (line) => {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (host.take(message, say) === 'end') child.stdin.end();
  });
}

/** Ends what is left of a process group that we started. */
export function endGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch { /* nothing is left */ }
}

export function receipts(world) {
  const path = join(world.home, '.local/state/praetorctl/receipts/receipts.jsonl');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** Content by path for the client's files that we write to; null where there is none. */
export function contents(world, files) {
  return new Map(files.map((file) => {
    const path = join(world.home, file);
    return [file, existsSync(path) ? readFileSync(path, 'utf8') : null];
  }));
}

export function settings(world, document) {
  const directory = join(world.home, '.config/praetorctl');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'settings.yaml'), JSON.stringify(document));
}

/** Every file below the home whose text names us, relative to the home. */
export function mentions(world) {
  const found = [];
  const walk = (directory, prefix) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const name = `${prefix}${entry.name}`;
      if (entry.isDirectory()) walk(join(directory, entry.name), `${name}/`);
      else if (entry.isFile() && readFileSync(join(directory, entry.name)).includes('praetorctl')) found.push(name);
    }
  };
  walk(world.home, '');
  return found;
}
