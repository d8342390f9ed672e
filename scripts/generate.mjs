// Writes everything that is generated from the sources: JSON schemas, the client table, the command reference, the state table.
// With --check: writes nothing, fails if a committed file differs.
import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), '..');
const check = process.argv.includes('--check');
const temp = mkdtempSync(join(tmpdir(), 'praetorctl-generate-'));
try {
  const outfile = join(temp, 'generated.cjs');
  await build({ entryPoints: [join(root, 'scripts/generated.ts')], bundle: true, platform: 'node', format: 'cjs', target: 'node20', outfile, logLevel: 'error' });
  const { default: loaded } = await import(pathToFileURL(outfile).href);
  const files = loaded.generatedFiles((path) => { try { return readFileSync(join(root, path), 'utf8'); } catch { return ''; } });
  const stale = [];
  for (const [path, text] of Object.entries(files)) {
    const full = join(root, path);
    let before = null;
    try { before = readFileSync(full, 'utf8'); } catch { /* a new file */ }
    if (before === text) continue;
    stale.push(path);
    if (!check) { mkdirSync(dirname(full), { recursive: true }); writeFileSync(full, text); }
  }
  if (check && stale.length > 0) {
    console.error(`out of date (npm run docs): ${stale.join(', ')}`);
    process.exitCode = 1;
  } else console.log(`${Object.keys(files).length} generated files ${check ? 'are up to date' : `written, ${stale.length} changed`}`);
} finally {
  rmSync(temp, { recursive: true, force: true });
}
