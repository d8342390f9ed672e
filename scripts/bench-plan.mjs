// Contract: what `clients plan` costs for four clients when one settings file has 20 MB: `node scripts/bench-plan.mjs`.
// CPU time (user + system) of whole processes, taken by bash' `time`, medians of interleaved runs beside the same plan on small files.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const rounds = Number(process.argv[2] ?? '7');
const work = mkdtempSync(join(tmpdir(), 'praetorctl-bench-plan-'));

function home(name, bytes) {
  const path = join(work, name);
  cpSync(join(root, 'test/fixtures/homes/four-clients'), path, { recursive: true });
  if (bytes > 0) {
    const file = join(path, '.claude/settings.json');
    const rows = [];
    for (let size = 0, i = 0; size < bytes; i += 1) {
      const row = `    "Bash(tool-${i} --flag \\"some value\\" ./path/to/file-${i}.txt)"`;
      rows.push(row);
      size += row.length + 2;
    }
    writeFileSync(file, readFileSync(file, 'utf8').replace('"model"', `"big": [\n${rows.join(',\n')}\n    ],\n    "model"`));
  }
  mkdirSync(join(path, 'bin'));
  writeFileSync(join(path, 'bin/praetorctl'), '#!/bin/sh\n', { mode: 0o755 });
  return path;
}

/** Seconds of CPU time of one process and its exit code. */
function cpu(command, env) {
  const run = spawnSync('bash', ['-c', `TIMEFORMAT='%U %S'; time ${command} >/dev/null 2>&1; exit 0`], { env, encoding: 'utf8' });
  const [user, system] = run.stderr.trim().split('\n').at(-1).split(' ').map(Number);
  return user + system;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

try {
  const homes = { small: home('small', 0), big: home('big', 20 * 1024 * 1024) };
  const plan = `node ${join(root, 'bin/praetorctl')} clients plan`;
  const envOf = (path) => ({ PATH: `${join(path, 'bin')}:${process.env.PATH}`, HOME: path, PRAETORCTL_STATE_DIR: join(path, 'state') });
  const seconds = { bare: [], small: [], big: [] };
  for (let i = 0; i < rounds; i += 1) {
    seconds.bare.push(cpu('node -e 0', envOf(homes.small)));
    for (const name of ['small', 'big']) seconds[name].push(cpu(plan, envOf(homes[name])));
  }
  const check = spawnSync('bash', ['-c', plan], { env: envOf(homes.big), encoding: 'utf8' });
  if (check.status !== 3 || !check.stdout.includes('plan: 8 to add')) throw new Error(`the plan went wrong: ${check.stderr}`);
  for (const [name, values] of Object.entries(seconds)) console.log(`${name.padEnd(6)} ${(median(values) * 1000).toFixed(0)} ms CPU`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
