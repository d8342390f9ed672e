// Contract: `node tools/compare/run.mjs`: installs the pinned guards into a cache directory, gives each the same corpus in its own
// protocol, and prints recall, precision and process cost. `--write` renews docs/comparison.md. Nothing of the corpus is ever run.
// --cases FILE  another corpus   --only a,b  these guards   --rounds N  rounds of the cost measurement (0: none)   --json FILE  raw results
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { GUARDS } from './guards.mjs';
import { render, score } from './report.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(HERE, '..', '..');
const ANSWER_MS_MAX = 30_000;
const PARALLEL = 2;
const BATCH = 5;

const option = (name, fallback) => {
  const at = process.argv.indexOf(name);
  return at === -1 ? fallback : process.argv[at + 1];
};
const say = (text) => process.stderr.write(`${text}\n`);

/** Not in a temporary directory: guards rightly care less about what is removed there. */
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'praetorctl-compare');
/** The home directory that the corpus speaks of. */
const CORPUS_HOME = '/home/dev';

/** One cache per list of versions; the guards' own install scripts are not run. */
function install() {
  const key = createHash('sha256').update(readFileSync(join(HERE, 'package.json'))).digest('hex').slice(0, 12);
  const cache = join(CACHE, key);
  if (existsSync(join(cache, 'done'))) return join(cache, 'node_modules');
  say(`installing the guards into ${cache}`);
  mkdirSync(cache, { recursive: true });
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) copyFileSync(join(HERE, name), join(cache, name));
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: cache, stdio: ['ignore', 'inherit', 'inherit'] });
  writeFileSync(join(cache, 'done'), '');
  return join(cache, 'node_modules');
}

/** A home and a repository of their own: no guard sees the person's settings. */
function sandbox() {
  const work = mkdtempSync(join(CACHE, 'run-'));
  const [home, project] = [join(work, 'home'), join(work, 'home', 'work', 'repo')];
  mkdirSync(project, { recursive: true });
  execFileSync('git', ['init', '-q', project]);
  return { work, home, project };
}

function environment({ home }, extra = {}) {
  return {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: home, LANG: 'C.UTF-8', PRAETORCTL_HOOK_SYNTHETIC: '1',
    PRAETORCTL_STATE_DIR: join(home, '.praetorctl-state'), PRAETORCTL_CONFIG_DIR: join(home, '.praetorctl-config'), ...extra,
  };
}

function ask(start, box, command, session) {
  return new Promise((done) => {
    const child = spawn(start.argv[0], start.argv.slice(1), { cwd: box.project, env: environment(box, start.env), stdio: ['pipe', 'pipe', 'ignore'], timeout: ANSWER_MS_MAX });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text) => { stdout += text; });
    child.stdin.on('error', () => undefined);
    child.on('error', () => done('error'));
    child.on('close', (code) => done(code === null ? 'error' : start.answer({ code, stdout })));
    child.stdin.end(start.document(command, session, box.project));
  });
}

/** An OpenCode plugin answers in the client's process: the whole line is the one pattern it is asked about. */
async function pluginOf(path) {
  const { build } = await import('esbuild');
  const out = join(mkdtempSync(join(tmpdir(), 'praetorctl-compare-plugin-')), 'plugin.mjs');
  // It warns on the console of its client; here nobody reads that.
  await build({ entryPoints: [path], outfile: out, format: 'esm', platform: 'node', logLevel: 'error', banner: { js: 'const console = { warn() {}, log() {} };' } });
  const { default: plugin } = await import(pathToFileURL(out).href);
  const hooks = await plugin({});
  return async (command) => {
    const output = { status: 'allow' };
    await hooks['permission.ask']({ id: 'p', permission: 'bash', patterns: [command], sessionID: 's', metadata: {} }, output);
    return output.status === 'allow' ? 'pass' : output.status;
  };
}

async function answers(guard, modules, box, cases) {
  const found = [];
  if (guard.plugin !== undefined) {
    const plugin = await pluginOf(guard.plugin(modules));
    for (const one of cases) found.push(await plugin(one.command));
    return found;
  }
  const start = guard.start(modules, box.home);
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < cases.length; i = next++) found[i] = await ask(start, box, cases[i].command, `s-${guard.id}-${i}`);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return found;
}

/** CPU of a batch of processes, children included, by bash' own clock. */
function cpu(argv, box, env, file) {
  const quoted = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const script = `TIMEFORMAT='%U %S'; time { for i in $(seq ${BATCH}); do ${quoted} <'${file}' >/dev/null 2>&1; done; }`;
  const text = execFileSync('bash', ['-c', `{ ${script}; } 2>&1`], { cwd: box.project, env: environment(box, env), encoding: 'utf8' });
  const [user, system] = text.trim().split(' ').map(Number);
  return ((user + system) * 1000) / BATCH;
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

/** Harmless commands that every guard reads to the end: plain words, and shell syntax, for which some start a parser. */
const COST_COMMANDS = { plain: 'npm run build -- --mode production', syntax: 'cd "$PWD" && npm run build 2>&1 | tail -n 20 && git status' };

/** Interleaved, so that a busy machine is busy for all. */
function costs(guards, modules, box, rounds) {
  const empty = join(box.work, 'empty.cjs');
  writeFileSync(empty, '');
  const started = guards.filter((guard) => guard.start !== undefined).map((guard) => ({ id: guard.id, ...guard.start(modules, box.home) }));
  const file = join(box.work, 'input.json');
  const all = [{ id: 'node', argv: [process.execPath, empty], document: started[0]?.document }, ...started].flatMap((one) => Object.entries(COST_COMMANDS).map(([kind, command]) => ({ ...one, kind, command, samples: [] })));
  for (let round = 0; round <= rounds; round++) {
    for (const one of round % 2 === 0 ? all : [...all].reverse()) {
      writeFileSync(file, one.document(one.command, `cost-${round}`, box.project));
      const ms = cpu(one.argv, box, one.env, file);
      // The first round warms caches and does not count.
      if (round > 0) one.samples.push(ms);
    }
  }
  const base = median(all.filter(({ id }) => id === 'node').flatMap(({ samples }) => samples));
  const ratio = (id, kind) => median(all.find((one) => one.id === id && one.kind === kind).samples) / base;
  return new Map(started.map(({ id }) => [id, { plain: ratio(id, 'plain'), syntax: ratio(id, 'syntax') }]));
}

async function main() {
  const rounds = Number(option('--rounds', '9'));
  const only = option('--only', undefined)?.split(',');
  const file = resolve(option('--cases', join(ROOT, 'test/fixtures/policy/commands.jsonl')));
  const rows = readFileSync(file, 'utf8').split('\n').filter((line) => line.trim() !== '').map((line) => JSON.parse(line));
  const guards = GUARDS.filter((guard) => only === undefined || only.includes(guard.id));
  const modules = install();
  const version = (name) => JSON.parse(readFileSync(name === undefined ? join(ROOT, 'package.json') : join(modules, name, 'package.json'), 'utf8')).version;
  const box = sandbox();
  const cases = rows.map((row) => ({ ...row, command: row.command.replaceAll(CORPUS_HOME, box.home) }));
  try {
    const results = [];
    for (const guard of guards) {
      say(`asking ${guard.name} about ${cases.length} commands`);
      results.push({ guard, version: version(guard.package), answers: await answers(guard, modules, box, cases) });
    }
    if (rounds > 0) say('measuring process cost');
    const ratios = rounds > 0 ? costs(guards, modules, box, rounds) : new Map();
    const scored = results.map((result) => ({ ...result, ratio: ratios.get(result.guard.id), ...score(cases, result.answers) }));
    const text = render(scored, cases);
    process.stdout.write(text);
    if (process.argv.includes('--write')) writeFileSync(join(ROOT, 'docs', 'comparison.md'), text);
    const raw = option('--json', undefined);
    if (raw !== undefined) writeFileSync(raw, JSON.stringify(scored.map(({ guard, answers: said }) => ({ id: guard.id, answers: Object.fromEntries(cases.map((one, i) => [one.id, said[i]])) })), null, 1));
  } finally {
    rmSync(box.work, { recursive: true, force: true });
  }
}

await main();
