// Contract: the real client with our hooks in its managed channel alone: what `clients render --managed` makes is put below an /etc of
// its own (a mount namespace with an overlay), nothing of ours is in the home, and `clients prove` starts the client. A person's
// switch must not stop it. `skipped:` where the system gives no such namespace. Usage: managed.mjs <client> <binary>
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CLIENTS } from './clients.mjs';
import { dropWorld, makeWorld, praetorctl } from './world.mjs';

const RUN_MS_MAX = 150_000;
/** umask 022: a client refuses the file where group or others may write above it. */
const PREPARE = 'set -e; umask 022; mount -t tmpfs tmpfs "$OVER"; mkdir "$OVER/up" "$OVER/work"; mount -t overlay overlay -o "lowerdir=/etc,upperdir=$OVER/up,workdir=$OVER/work" /etc; while IFS="\t" read -r from to; do mkdir -p "$(dirname "$to")"; cp "$from" "$to"; done <"$LIST"; exec "$@"';

/** The switch of a person that stops hooks of people, and that the channel must survive. */
const SWITCHES = {
  claude: ['.claude/settings.json', '{"disableAllHooks": true}\n', 'disableAllHooks of the person'],
  codex: ['.codex/config.toml', '\n[features]\nhooks = false\n', 'features.hooks = false of the person'],
};

const [id, binary] = process.argv.slice(2);
const client = CLIENTS.find((one) => one.id === id);
const say = (right, what, why = '') => process.stdout.write(`${right ? 'ok' : 'FAILED'} ${id} managed: ${what}${right || why === '' ? '' : `: ${why}`}\n`);

function within(world, rows, set, args) {
  const over = join(world.base, `over-${Math.random().toString(16).slice(2)}`);
  mkdirSync(over);
  writeFileSync(join(world.base, 'list'), rows.map(({ source, dest }) => `${join(set, source)}\t${dest}\n`).join(''));
  const flags = process.getuid?.() === 0 ? ['-m', '--propagation', 'private'] : ['-r', '-m', '--propagation', 'private'];
  const run = spawnSync('unshare', [...flags, 'sh', '-c', PREPARE, 'sh', join(world.bin, 'praetorctl'), ...args], {
    cwd: world.project, env: { ...world.env, OVER: over, LIST: join(world.base, 'list') }, encoding: 'utf8', timeout: RUN_MS_MAX, input: '',
  });
  try {
    return JSON.parse(run.stdout);
  } catch {
    return { stderr: run.stderr };
  }
}

function main() {
  const probe = spawnSync('unshare', [...(process.getuid?.() === 0 ? [] : ['-r']), '-m', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt && mkdir /mnt/u /mnt/w && mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/u,workdir=/mnt/w /etc'], { stdio: 'ignore', timeout: 10_000 });
  if (probe.status !== 0) return process.stdout.write(`skipped: ${id} managed: no mount namespace with an overlay here\n`);
  const world = makeWorld(client, binary);
  try {
    client.before?.(world.home, 'http://127.0.0.1:9', binary);
    const set = join(world.base, 'set');
    const rendered = praetorctl(world, 'clients', 'render', '--managed', '--os', 'linux', '--client', id, '--launcher', join(world.bin, 'praetorctl'), '--out', set, '--json').json;
    const rows = rendered?.files ?? [];
    const [row] = rows;
    if (row === undefined) return say(false, 'rendered');
    const [seen] = within(world, rows, set, ['clients', 'verify', '--client', id, '--json']).clients ?? [];
    say(seen?.states.installed === true && seen.hooks.every(({ origin }) => origin === 'managed'), 'verify sees the hooks of the channel and no others', JSON.stringify(seen?.states));
    const prove = () => within(world, rows, set, ['clients', 'prove', '--yes', '--json', '--client', id]);
    const first = prove();
    say(first.clients?.[0]?.proven === true, `proven with ${row.dest} alone (${first.clients?.[0]?.version ?? '?'})`, JSON.stringify(first.clients?.[0] ?? first).slice(0, 400));
    const spoil = SWITCHES[id];
    if (spoil !== undefined) {
      const [file, text, what] = spoil;
      mkdirSync(dirname(join(world.home, file)), { recursive: true });
      writeFileSync(join(world.home, file), file.endsWith('.toml') ? readFileSync(join(world.home, file), 'utf8') + text : text);
      const again = prove().clients?.[0];
      say(again?.proven === true, `proven against ${what}`, JSON.stringify(again).slice(0, 400));
    }
  } finally {
    dropWorld(world);
  }
}

main();
