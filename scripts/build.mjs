// Contract: builds dist/hook.cjs and dist/policy.cjs (small files without packages; a hook loads the second
// only where a verdict can depend on it) and dist/cli.cjs. `--hook` builds only the first two. Outputs are replaced by rename, so that
// a hook that starts during a build reads the old or the new file, never half of one.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/** First 16 hex digits over the sources of src/policy, sorted by name. */
function policyDigest() {
  const directory = join(ROOT, 'src', 'policy');
  const hash = createHash('sha256');
  for (const name of readdirSync(directory).filter((n) => n.endsWith('.ts')).sort()) {
    hash.update(`${name}\0`).update(readFileSync(join(directory, name))).update('\0');
  }
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

async function bundle(entry, output, options) {
  const built = await esbuild.build({ ...common, ...options, entryPoints: [entry], outfile: join(DIST, output) });
  replace(output, built.outputFiles[0].contents);
  return built.metafile;
}

mkdirSync(DIST, { recursive: true });
// The policy first: a hook that starts in between finds an evaluator with the same interface.
await bundle('src/policy/evaluate.ts', 'policy.cjs', { minify: true, metafile: true })
  .then((metafile) => replace('meta-policy.json', `${JSON.stringify(metafile, null, 1)}\n`));
const jobs = [
  bundle('src/hook/entry.ts', 'hook.cjs', { minify: true, metafile: true, external: ['./policy.cjs'] })
    .then((metafile) => replace('meta-hook.json', `${JSON.stringify(metafile, null, 1)}\n`)),
];
// The bundle is CommonJS: `import.meta.url` of bundled ES modules becomes the file's own URL.
if (!process.argv.includes('--hook') && existsSync(join(ROOT, 'src', 'main.ts'))) {
  jobs.push(bundle('src/main.ts', 'cli.cjs', {
    mainFields: ['module', 'main'],
    define: { ...define, 'import.meta.url': '__filename_url' },
    banner: { js: "const __filename_url = require('node:url').pathToFileURL(__filename).href;" },
  }));
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
// The hook is written even where the command line does not build.
const failed = (await Promise.allSettled(jobs)).find((job) => job.status === 'rejected');
if (failed !== undefined) throw failed.reason;
