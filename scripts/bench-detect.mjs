// Contract: what it costs to look for every client on a machine that has none, beside a bare Node start in the same run:
// `node scripts/bench-detect.mjs [--gate] [--rounds N]`; scripts/bench.mjs runs it too. Two runs of one bundle differ in nothing but the
// look, and that difference on top of a bare start is what the limit is about; what loading the rows and `clients list` as a person
// runs it cost stands beside it for information. CPU time (user + system) of batches of ten processes, medians of interleaved runs.
// --gate fails only when three tries in a row are over the limit.
import { build } from 'esbuild';
import { medianCpu } from './cpu.mjs';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const BATCH = 10;
const LIMIT = 1.5;
const at = process.argv.indexOf('--rounds');
const rounds = at === -1 ? 9 : Number(process.argv[at + 1]);
const gate = process.argv.includes('--gate');
const work = mkdtempSync(join(tmpdir(), 'praetorctl-bench-detect-'));
const [empty, detect] = [join(work, 'empty.cjs'), join(work, 'detect.cjs')];

const ENTRY = `
import { CLIENTS } from './src/clients/registry.ts';
import { realHost } from './src/host.ts';
import { detect, rootContext } from './src/roots/context.ts';
const host = realHost();
const context = rootContext(host);
const here = process.env.LOOK !== '1' ? [] : CLIENTS.filter((client) => detect(host, client, context, client.roots(context)).how !== 'none');
if (here.length > 0) throw new Error('there is a client here: ' + here.map(({ id }) => id).join(', '));
`;

const CANDIDATES = [
  { name: 'node empty.cjs', argv: [empty] },
  { name: 'rows and host loaded', argv: [detect] },
  { name: 'the same, every client looked for', argv: [detect], env: { LOOK: '1' } },
  { name: 'clients list', argv: [join(ROOT, 'bin', 'praetorctl'), 'clients', 'list'] },
];

const measure = () => medianCpu(CANDIDATES.map(({ argv, env = {} }) => ({
    argv: [process.execPath, ...argv],
    env: { PATH: '/usr/bin:/bin', HOME: join(work, 'home'), PRAETORCTL_STATE_DIR: join(work, 'state'), PRAETORCTL_CONFIG_DIR: join(work, 'config'), ...env },
  })), rounds, BATCH);

/** Does the look alone stay within the limit? */
function report([bare, loaded, looked, list]) {
  const ratio = (bare + Math.max(0, looked - loaded)) / bare;
  [bare, loaded, looked, list].forEach((ms, i) => process.stdout.write(`${CANDIDATES[i].name.padEnd(36)} ${ms.toFixed(1).padStart(6)} ms CPU\n`));
  process.stdout.write(`${'a bare start and the look'.padEnd(36)} ${' '.repeat(14)}x${ratio.toFixed(3)}  ${ratio <= LIMIT ? 'ok' : `OVER THE LIMIT ${LIMIT}`}\n`);
  return ratio <= LIMIT;
}

if (process.platform === 'win32') {
  process.stderr.write('bench-detect: needs bash; not measured on Windows\n');
  process.exit(0);
}
try {
  mkdirSync(join(work, 'home'));
  writeFileSync(empty, '');
  await build({ absWorkingDir: ROOT, stdin: { contents: ENTRY, resolveDir: ROOT, loader: 'ts' }, bundle: true, minify: true, platform: 'node', format: 'cjs', target: 'node20', outfile: detect, logLevel: 'error' });
  let ok = false;
  for (let attempt = 1; !ok && attempt <= (gate ? 3 : 1); attempt += 1) ok = report(measure());
  if (gate && !ok) process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
