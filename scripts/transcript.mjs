// Puts the real output of the demonstration between the transcript marks of README.md. With --check: only compares.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** What differs from run to run: the ids of runs. */
export function stable(text) {
  return text.replace(/run \d{8}T\d{9}Z-[0-9a-f]{8}/g, 'run 20261130T120000000Z-1a2b3c4d');
}

export function demonstration() {
  const home = mkdtempSync(join(tmpdir(), 'praetorctl-transcript-'));
  try {
    const run = spawnSync(process.execPath, [join(root, 'bin/praetorctl'), 'start', '--demo', '--client', 'claude,codex'], { env: { PATH: '/usr/bin:/bin', HOME: home }, encoding: 'utf8' });
    if (run.status !== 0) throw new Error(`the demonstration failed: ${run.stderr}`);
    return stable(run.stdout).trimEnd();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

export function withTranscript(readme, text) {
  const [head, rest] = readme.split('<!-- transcript:start -->');
  const tail = rest.split('<!-- transcript:end -->')[1];
  const shown = text.slice(text.indexOf('$ '));
  return `${head}<!-- transcript:start -->\n\`\`\`console\n${shown.slice(0, shown.indexOf('\nThat was the whole job')).trimEnd()}\n\`\`\`\n<!-- transcript:end -->${tail}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = join(root, 'README.md');
  const before = readFileSync(path, 'utf8');
  const after = withTranscript(before, demonstration());
  if (before !== after && process.argv.includes('--check')) {
    console.error('README.md: the transcript is out of date (npm run docs)');
    process.exitCode = 1;
  } else if (before !== after) writeFileSync(path, after);
}
