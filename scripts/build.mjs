// Contract: builds the hook (dist/hook.cjs starts hook-<digest>.cjs, which loads dialect-<client>-<digest>.cjs of the client that
// it is called for, and policy-<digest>.cjs where a verdict can depend on it; that loads the parser, the rules and the readers
// of other languages, each a bundle, where a line needs them) and the command line (dist/cli.cjs starts cli-<digest>.cjs in the
// same way). `--hook` builds only the hook. Outputs are replaced by rename, so that a hook that starts during a build runs the
// old or the new one, never half of one.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const DIST = join(ROOT, 'dist');

let esbuild;
try {
  esbuild = await import('esbuild');
} catch {
  // An installed package has dist/ and no esbuild.
  if (existsSync(join(DIST, 'hook.cjs'))) process.exit(0);
  throw new Error('esbuild is missing: run npm install');
}

/** First 16 hex digits over the sources below src/policy, sorted by path. */
function policyDigest() {
  const directory = join(ROOT, 'src', 'policy');
  const hash = createHash('sha256');
  const names = readdirSync(directory, { recursive: true }).map((name) => name.replaceAll('\\', '/')).filter((name) => name.endsWith('.ts'));
  for (const name of names.sort()) hash.update(`${name}\0`).update(readFileSync(join(directory, name))).update('\0');
  return hash.digest('hex').slice(0, 16);
}

const version = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
const define = { __VERSION__: JSON.stringify(version), __POLICY_DIGEST__: JSON.stringify(policyDigest()) };
const common = { absWorkingDir: ROOT, bundle: true, platform: 'node', format: 'cjs', target: 'node20', define, write: false, legalComments: 'none', logLevel: 'warning' };

function replace(name, contents) {
  const target = join(DIST, name);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, contents);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

mkdirSync(DIST, { recursive: true });
/** A bundle whose name carries the digest of its content; the stub names both, so that parts of two builds never mix. */
async function part(name, entry, options = {}) {
  const from = typeof entry === 'string' ? { entryPoints: [entry] } : { stdin: entry };
  const built = await esbuild.build({ ...common, ...from, outfile: join(DIST, `${name}.cjs`), minify: true, metafile: true, ...options });
  const contents = built.outputFiles[0].contents;
  const file = `${name}-${createHash('sha256').update(contents).digest('hex').slice(0, 12)}.cjs`;
  if (!existsSync(join(DIST, file))) replace(file, contents);
  replace(`meta-${name}.json`, `${JSON.stringify(built.metafile, null, 1)}\n`);
  return [name, file];
}

/** In the policy bundle the parser, the rules and the other languages are stand-ins that load a bundle of their own: most lines need none. */
const STAND_INS = {
  name: 'stand-ins',
  setup(build) {
    const standIn = (name) => ({ path: join(ROOT, 'src', 'hook', name) });
    build.onResolve({ filter: /^unbash$/ }, () => standIn('load-shell.ts'));
    build.onResolve({ filter: /\/rule-set\.ts$/ }, () => standIn('load-rules.ts'));
    build.onResolve({ filter: /\/langs\.ts$/ }, () => standIn('load-langs.ts'));
  },
};

/** What a module of ours exports. Pure rooms only: it is run here. */
async function exportsOf(entry) {
  const built = await esbuild.build({ ...common, entryPoints: [entry] });
  const module = { exports: {} };
  new Function('module', 'exports', built.outputFiles[0].text)(module, module.exports);
  return module.exports;
}

/** In the hook src/hook/load-dialects.ts stands in for the list of dialects, with what the hook must know of all of them. */
const dialectStandIn = (facts) => ({
  name: 'dialect-stand-in',
  setup(build) {
    const path = join(ROOT, 'src', 'hook', 'load-dialects.ts');
    build.onResolve({ filter: /[\\/]clients[\\/]dialects\.ts$/ }, () => ({ path }));
    build.onLoad({ filter: /[\\/]load-dialects\.ts$/ }, () => ({ contents: readFileSync(path, 'utf8').replace('= __DIALECTS__;', () => `= ${JSON.stringify(facts)};`), loader: 'ts' }));
  },
});

async function dialectFacts() {
  const { DIALECTS, HAND_DIALECTS } = await exportsOf('src/clients/dialects.ts');
  return [...DIALECTS, ...HAND_DIALECTS].map(({ id, aliases, mark, guarded }) => ({ id, aliases, mark, guarded }));
}

/** One client = one folder, so the id says where its dialect is; the constant's name is its own. */
const dialectEntry = (id) => ({
  contents: `import * as all from './src/clients/${id}/dialect.ts';\nexport const dialect = Object.values(all).find((one) => one.id === '${id}');`,
  resolveDir: ROOT, sourcefile: `dialect-${id}.ts`, loader: 'ts',
});

/** A call of each client's own, so that what it needs is in the code cache. */
async function warmRuns() {
  const { CLIENTS } = await exportsOf('src/clients/registry.ts');
  return CLIENTS.map(({ id, sample }) => [id, 'pre-tool', sample('deny', '/w').payload]);
}

/** Loaded only where a call needs them; they start without a code cache. */
const SELDOM = {
  source: 'src/hook/settings-source.ts', settings: 'src/settings/bundle.ts', patterns: 'src/hook/patterns.ts', once: 'src/hook/allow-once.ts', evaluators: 'src/hook/evaluators.ts',
  record: 'src/hook/record.ts', remote: 'src/mcp/runtime/remote.ts', streams: 'src/mcp/runtime/streams.ts',
};

/** Parts of earlier builds stay for a while: a hook that has just started may still load one. */
function sweep(parts) {
  const files = parts.map(([, file]) => file);
  // What this build did not make is not its to remove: a build of the hook alone leaves the command line as it is.
  const made = new Set(parts.map(([name]) => name));
  const old = Date.now() - 10 * 60_000;
  for (const name of readdirSync(DIST)) {
    const path = join(DIST, name);
    const [, bundleName] = /^([a-z0-9-]+)-[0-9a-f]{12}\.cjs/.exec(name) ?? [];
    if (bundleName === undefined || !made.has(bundleName) || files.some((file) => name.startsWith(file))) continue;
    if (statSync(path).mtimeMs < old) rmSync(path, { force: true });
  }
}

async function hook() {
  const facts = await dialectFacts();
  const often = await Promise.all([
    part('hook', 'src/hook/entry.ts', { plugins: [dialectStandIn(facts)] }),
    ...facts.map(({ id }) => part(`dialect-${id}`, dialectEntry(id))),
    part('policy', 'src/policy/evaluate.ts', { plugins: [STAND_INS] }), part('shell', 'src/hook/shell-entry.ts'),
    part('rules', 'src/policy/rules-all.ts', { plugins: [STAND_INS] }), part('langs', 'src/policy/shell/langs-entry.ts'), part('contract', 'src/hook/contract.ts'),
    part('mcp', 'src/mcp/runtime/entry.ts', { mainFields: ['module', 'main'], plugins: [dialectStandIn(facts)] }),
    part('guard', 'src/mcp/runtime/guard.ts', { mainFields: ['module', 'main'], plugins: [dialectStandIn(facts)] }),
  ]);
  const seldom = await Promise.all(Object.entries(SELDOM).map(([name, entry]) => part(name, entry, { mainFields: ['module', 'main'], plugins: [dialectStandIn(facts)] })));
  const parts = [...often, ...seldom];
  await stub('hook', parts);
  await stub('mcp', parts);
  return parts;
}

/** dist/<entry>.cjs names the parts by the digests of their contents. */
async function stub(entry, parts) {
  const text = readFileSync(join(ROOT, 'scripts', 'hook-stub.cjs'), 'utf8');
  const { code } = await esbuild.transform(text, { define: { FILES: JSON.stringify(Object.fromEntries(parts)), ENTRY: JSON.stringify(entry) }, minify: true, target: 'node20' });
  replace(`${entry}.cjs`, code);
}

/** Names stay as they are, so that a fault can be reported. The bundle is CommonJS: `import.meta.url` becomes the file's own URL. */
async function commandLine() {
  const parts = [await part('cli', 'src/main.ts', {
    minify: false, minifyWhitespace: true, minifySyntax: true, mainFields: ['module', 'main'],
    define: { ...define, 'import.meta.url': '__file_url' },
    banner: { js: "const __file_url = require('node:url').pathToFileURL(__dirname + '/cli.cjs').href;" },
  })];
  await stub('cli', parts);
  const brief = [await part('brief', 'src/brief.ts')];
  await stub('brief', brief);
  return [...parts, ...brief];
}

/** What needs nothing of the machine is answered once, here: dist/answer.cjs prints it without starting the command line. */
function answers() {
  for (const [name, words] of [['capabilities.txt', []], ['capabilities.json', ['--json']]]) {
    const said = spawnSync(process.execPath, [join(DIST, 'cli.cjs'), 'capabilities', ...words], { env: { HOME: DIST }, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    if (said.status !== 0) throw new Error(`capabilities: ${said.stderr}`);
    replace(name, said.stdout);
  }
}

/** The demonstration's home as relative path -> base64, from the same fixtures that the tests use. */
function packHome(directory, prefix = '') {
  return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? packHome(path, `${prefix}${entry.name}/`) : [[prefix + entry.name, readFileSync(path).toString('base64')]];
  });
}
const demoHome = join(ROOT, 'test', 'fixtures', 'homes', 'four-clients');
if (existsSync(demoHome)) replace('demo-home.json', `${JSON.stringify(Object.fromEntries(packHome(demoHome)), null, 1)}\n`);
const samples = JSON.stringify(await warmRuns());
replace('warm.cjs', readFileSync(join(ROOT, 'scripts', 'warm.cjs'), 'utf8').replace('...SAMPLES', () => `...${samples}`));
replace('answer.cjs', readFileSync(join(ROOT, 'scripts', 'answer.cjs')));
const jobs = [hook()];
if (!process.argv.includes('--hook') && existsSync(join(ROOT, 'src', 'main.ts'))) jobs.push(commandLine());
// The hook is written even where the command line does not build.
const settled = await Promise.allSettled(jobs);
const parts = settled.flatMap((job) => (job.status === 'fulfilled' ? job.value : []));
const suffix = `.${process.version}-${process.arch}.cache`;
// These two are warmed by what the command line prepares.
const warmable = (name) => !(name in SELDOM) && (existsSync(join(DIST, 'cli.cjs')) || !['contract', 'mcp', 'guard', 'brief'].includes(name));
if (parts.some(([name, file]) => warmable(name) && !existsSync(join(DIST, file + suffix)))) {
  const warmed = spawnSync(process.execPath, [join(DIST, 'warm.cjs')], { stdio: 'inherit' });
  if (warmed.status !== 0) process.stderr.write('build: no code cache was written; praetorctl works without it, a little slower\n');
}
const failed = settled.find((job) => job.status === 'rejected');
if (failed !== undefined) throw failed.reason;
sweep(parts);
if (jobs.length > 1) answers();
