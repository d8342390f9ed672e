// Contract: CPU milliseconds (user + system, children included) of commands, as medians of interleaved batches: what is the same in
// every benchmark that compares starts of processes. Needs bash.
import { spawnSync } from 'node:child_process';

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

/** Of one start of `argv`, taken over `size` of them. */
function batch({ argv, env }, size) {
  const words = argv.map((word) => `'${word}'`).join(' ');
  const ran = spawnSync('bash', ['-c', `TIMEFORMAT='%U %S'; time { for i in {1..${size}}; do ${words} >/dev/null 2>/dev/null </dev/null || exit 1; done; }`], { encoding: 'utf8', env });
  const [user, system] = ran.stderr.trim().split(' ').map(Number);
  if (ran.status !== 0 || !Number.isFinite(user + system)) throw new Error(`it did not run: ${argv.join(' ')} ${ran.stderr}`);
  return ((user + system) * 1000) / size;
}

/** The median of each candidate `{ argv, env }`; the order turns around in every other round. */
export function medianCpu(candidates, rounds, size) {
  const samples = candidates.map(() => []);
  for (const candidate of candidates) batch(candidate, size);
  for (let round = 0; round < rounds; round += 1) {
    const order = candidates.map((_, i) => i);
    for (const i of round % 2 === 0 ? order : order.reverse()) samples[i].push(batch(candidates[i], size));
  }
  return samples.map(median);
}
