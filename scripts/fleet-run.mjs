// What receipts of a whole fleet cost: `node scripts/fleet-run.mjs [hosts] [rounds]` (1000 hosts, 2 rounds). Each host has an id, a key, a chain and
// a repository of its own, and pushes with the use case of `receipts push` and real git into one bare repository, a few at once; the hosts
// share one process, so the start of Node and the look at clients are not in the figures. Then an auditor pulls and verifies all.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { build } from 'esbuild';

const ROOT = resolve(fileURLToPath(import.meta.url), '../..');
const WORKERS = 4;

const ENTRY = `
export { realHost } from './src/host.ts';
export { nodeSigner } from './src/fleet/signed-line.ts';
export { newSigningKey, publicLine } from './src/fleet/sshsig.ts';
export { pushReceipt } from './src/fleet/receipt-push.ts';
export { pullReceipts } from './src/fleet/receipt-pull.ts';
export { auditReceipts } from './src/fleet/receipt-audit.ts';
`;

const FACTS = { os: 'linux', settings: 'c'.repeat(64), state: 'current', clients: { claude: 'observed', codex: 'installed', 'copilot-cli': 'installed' } };

/** Pushes the hosts of one worker, one after the other, and answers how long each took and how many pushes it needed. */
async function pushAll({ bundle, root, server, hosts, rounds }) {
  const { realHost, nodeSigner, newSigningKey, publicLine, pushReceipt } = await import(pathToFileURL(bundle));
  const host = realHost({ env: { PATH: process.env.PATH, HOME: root, TMPDIR: root }, cwd: root });
  const made = hosts.map((id) => ({ id, key: newSigningKey('') }));
  const samples = [];
  for (let round = 0; round < rounds; round += 1) {
    // Each round is an update: another version, and what came of it.
    const engine = { id: String(round).padStart(16, 'a'), version: `1.${round}.0` };
    const update = { result: 'updated', from: null, to: engine.id, code: null };
    for (const { id, key } of made) {
      const start = performance.now();
      const { pushes } = await pushReceipt({ host, directory: join(root, 'hosts', id), hostId: id, repository: server, signer: nodeSigner(key), fingerprint: key.fingerprint, facts: { ...FACTS, engine, update }, always: false });
      samples.push({ ms: performance.now() - start, pushes });
    }
  }
  return { samples, allowed: made.map(({ id, key }) => `${id} namespaces="praetor-receipt" ${publicLine(key)}`) };
}

function filesBelow(path) {
  let [bytes, files] = [0, 0];
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    bytes += statSync(join(entry.parentPath, entry.name)).size;
    files += 1;
  }
  return { bytes, files };
}

const size = ({ bytes, files }) => `${(bytes / 1024 / 1024).toFixed(1)} MiB in ${files} files`;
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

async function main() {
  const [hosts, rounds] = [Number(process.argv[2] ?? 1000), Number(process.argv[3] ?? 2)];
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'praetorctl-fleet-')));
  const say = (text) => { console.log(text); };
  try {
    const bundle = join(root, 'fleet.mjs');
    await build({ stdin: { contents: ENTRY, resolveDir: ROOT, loader: 'ts' }, bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile: bundle, define: { __VERSION__: '"0"', __POLICY_DIGEST__: '""' }, banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" }, logLevel: 'error' });
    const server = join(root, 'evidence.git');
    spawnSync('git', ['init', '-q', '--bare', server]);
    say(`${hosts} hosts, ${rounds} receipts each, ${WORKERS} at once; ${cpus().length} cores, load ${loadavg().map((one) => one.toFixed(1)).join(' ')}`);
    const ids = Array.from({ length: hosts }, () => randomUUID());
    const start = performance.now();
    const done = await Promise.all(Array.from({ length: WORKERS }, (_, w) => new Promise((resolveDone, reject) => {
      const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { bundle, root, server, rounds, hosts: ids.filter((__, i) => i % WORKERS === w) } });
      worker.on('message', resolveDone).on('error', reject);
    })));
    const pushed = performance.now() - start;
    const samples = done.flatMap((one) => one.samples);
    const sorted = samples.map(({ ms }) => ms).sort((a, b) => a - b);
    const at = (part) => `${sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))].toFixed(0)} ms`;
    say(`push    ${seconds(pushed)} for ${samples.length} receipts, ${samples.reduce((sum, one) => sum + one.pushes, 0)} pushes; each ${at(0.5)} (median), ${at(0.95)} (95 of 100), ${at(1)} (longest)`);
    say(`server  ${size(filesBelow(server))}`);
    const { realHost, pullReceipts, auditReceipts } = await import(pathToFileURL(bundle));
    const host = realHost({ env: { PATH: process.env.PATH, HOME: root, TMPDIR: root }, cwd: root });
    const audit = join(root, 'audit');
    const timed = (what, run) => { const from = performance.now(); const result = run(); say(`${what} ${seconds(performance.now() - from)}: ${result}`); };
    const verify = () => { const { hosts: seen, receipts, findings } = auditReceipts({ host, directory: audit, allowed: `${done.flatMap((one) => one.allowed).join('\n')}\n`, silenceMs: 172_800_000 }, true); return `${Object.keys(seen).length} hosts, ${receipts} receipts, ${findings.length} findings`; };
    const pull = () => JSON.stringify(pullReceipts(host, audit, server));
    timed('pull   ', pull);
    timed('verify ', verify);
    timed('pull   ', pull);
    timed('verify ', verify);
    say(`auditor ${size(filesBelow(audit))}`);
    timed('git gc ', () => { spawnSync('git', ['gc', '--quiet'], { cwd: server }); return `server ${size(filesBelow(server))}`; });
    say(`load    ${loadavg().map((one) => one.toFixed(1)).join(' ')}`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

if (isMainThread) await main();
else parentPort.postMessage(await pushAll(workerData), []);
