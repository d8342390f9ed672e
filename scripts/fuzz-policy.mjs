// Contract: fuzzes the evaluator: `node scripts/fuzz-policy.mjs [--minutes N] [--seed N]`. Mutates known commands, keeps inputs
// that reach a new combination of rules and verdicts, and stops at the first fault: an exception inside, more steps than the
// bound, a span outside the line, another answer to the same line, or a case that takes longer than CASE_MS_MAX of CPU time.
import { readFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const CASE_MS_MAX = 5_000;
const POOL_MAX = 20_000;
const option = (name, fallback) => (process.argv.includes(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : fallback);
const minutes = option('--minutes', 1);
let state = option('--seed', 20_261_130) >>> 0;

const work = mkdtempSync(join(tmpdir(), 'praetorctl-fuzz-'));
const bundle = join(work, 'evaluate.mjs');
await build({ entryPoints: [join(ROOT, 'src/policy/evaluate.ts')], bundle: true, platform: 'node', format: 'esm', outfile: bundle, logLevel: 'error' });
const { evaluate, STEPS_MAX, COMMAND_CHARS_MAX } = await import(pathToFileURL(bundle).href);

/** xorshift32: the same seed gives the same run. */
function random(below) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % below;
}
const pick = (list) => list[random(list.length)];

const corpus = readFileSync(join(ROOT, 'test/fixtures/policy/commands.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line).command);
const PIECES = [' ', '\n', ';', '&&', '||', '|', '&', '(', ')', '{', '}', '<<EOF\n', '\nEOF\n', "<<'E'\n", '<', '>', '"', "'", '`', '$(', '${', '$((', '))', '$', '\\', '#', '*', '?', '[', ']', '~', '/', '..', 'case x in ', ') ', ';;', ' esac', 'for x in ', '; do ', '; done', 'if ', '; then ', '; fi', 'f() { ', '; }', 'A=1 ', 'X=', '$X', '${X:-', '"$@"', 'sh -c ', 'eval ', 'env -S ', 'xargs ', 'sudo ', 'find . -exec ', ' \\;', 'alias x=', 'set -- ', 'read X', '$IFS', 'base64 -d', '| sh', 'python3 -c ', 'perl -e ', 'awk ', 'powershell -c ', 'cmd /c ', 'ssh h ', 'docker run ', 'git -c alias.x=', '{a,b}', '{1..9}', '$\'\\x', '<(', '>(', '<<<', '2>&1', '&>', '\0', '\uE000', '\uE001', '\uFFFD', '\u{1F600}', '\r', '\t', '\u00a0', 'Remove-Item ', '$env:', '@\'\n', '`n', '%X%', '^', 'printf -v c ', 'trap ', 'source ', 'mapfile ', 'declare -n ', '${!X}', '${X//a/', '${#X}', '[[ ', ' ]]', 'coproc ', 'time ', '! ', 'function f ', 'select x in '];

function mutate(text) {
  let out = text;
  for (let n = 1 + random(4); n > 0; n--) {
    const at = random(out.length + 1);
    const to = Math.min(out.length, at + random(12));
    switch (random(9)) {
      case 0: out = out.slice(0, at) + out.slice(to); break;
      case 1: out = out.slice(0, at) + pick(PIECES) + out.slice(at); break;
      case 2: out = out.slice(0, at) + pick(PIECES) + out.slice(to); break;
      case 3: out = out.slice(0, at) + pick(pool) + out.slice(at); break;
      case 4: out = out + pick(PIECES) + pick(pool); break;
      case 5: out = out.slice(0, at) + out.slice(at, to).repeat(1 + random(20)) + out.slice(to); break;
      case 6: out = `sh -c '${out.replaceAll("'", "'\\''")}'`; break;
      case 7: out = `echo ${Buffer.from(out).toString('base64')} | base64 -d | bash`; break;
      default: out = out.slice(0, at) + String.fromCharCode(random(random(4) === 0 ? 0xffff : 128)) + out.slice(at);
    }
    if (out.length > 20_000) out = out.slice(0, 20_000);
  }
  return out;
}

const GUARDED = [{ path: '.codex/hooks.json', level: 'hooks' }, { path: '.claude/settings.json', level: 'shared' }];
const facts = (platform) => ({ platform, home: platform === 'win32' ? 'C:\\Users\\dev' : '/home/dev', workspace: platform === 'win32' ? 'C:\\Users\\dev\\repo' : '/home/dev/work/repo', ownPaths: ['/home/dev/.config/praetorctl'], guarded: GUARDED });
const run = (command, shell, platform) => evaluate({ client: 'x', event: 'pre-tool', stopActive: false, subagent: false, caller: 'x', tool: { name: 'Bash', kind: 'shell', command, input: {}, ...(shell ? { shell: 'powershell' } : {}) } }, facts(platform));

const pool = [...corpus];
const seen = new Set();
const verdicts = { deny: 0, ask: 0, neutral: 0, allow: 0 };
let cases = 0;
let worstSteps = 0;
let worstMs = 0;

function fault(command, why) {
  const file = join(tmpdir(), `praetorctl-fuzz-${process.pid}.txt`);
  writeFileSync(file, command);
  rmSync(work, { recursive: true, force: true });
  process.stdout.write(`fault after ${cases} cases: ${why}\ninput: ${file}\n`);
  process.exit(1);
}

const end = Date.now() + minutes * 60_000;
while (Date.now() < end) {
  const command = mutate(pick(pool));
  const powershell = random(12) === 0;
  const platform = pick(['linux', 'linux', 'darwin', 'win32']);
  const cpu = process.cpuUsage();
  let result;
  try { result = run(command, powershell, platform); } catch (error) { fault(command, `exception: ${error?.stack}`); }
  const used = process.cpuUsage(cpu);
  const ms = (used.user + used.system) / 1000;
  cases++;
  worstSteps = Math.max(worstSteps, result.steps);
  worstMs = Math.max(worstMs, ms);
  verdicts[result.verdict.decision]++;
  if (result.steps > STEPS_MAX + COMMAND_CHARS_MAX) fault(command, `${result.steps} steps`);
  if (ms > CASE_MS_MAX) fault(command, `${ms} ms of CPU time`);
  if (result.verdict.decision === 'allow') fault(command, 'allowed');
  const broken = result.trail.find(({ note, span }) => note?.startsWith('fault:') || (span !== undefined && (span[0] < 0 || span[0] > span[1] || span[1] > command.length)));
  if (broken !== undefined) fault(command, JSON.stringify(broken));
  if (cases % 16 === 0 && JSON.stringify(run(command, powershell, platform)) !== JSON.stringify(result)) fault(command, 'another answer to the same line');
  const key = `${result.verdict.rule ?? ''}|${result.trail.filter(({ result: r }) => r !== 'none').map(({ rule, result: r }) => rule + r).slice(0, 6).join()}|${Math.min(12, result.commands.length)}|${[...new Set(result.commands.map(({ within }) => within))].slice(0, 4).join()}`;
  if (!seen.has(key)) {
    seen.add(key);
    if (pool.length < POOL_MAX) pool.push(command);
    else pool[random(pool.length)] = command;
  }
}
rmSync(work, { recursive: true, force: true });
process.stdout.write(`fuzz: ${minutes} min, ${cases} cases, ${seen.size} kinds of answers, deny ${verdicts.deny}, ask ${verdicts.ask}, neutral ${verdicts.neutral}; worst ${worstSteps} of ${STEPS_MAX} steps, ${worstMs.toFixed(0)} ms CPU; no fault\n`);
