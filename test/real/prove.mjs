// Contract: `clients prove` with the real client: proven as it stands, not proven with the right cause once it is broken in each
// way that the client allows, and the person's own endpoint, which the configuration names, never hears of it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { trustAll } from './codex-trust.mjs';
import { dropWorld, makeWorld, praetorctl, settings } from './world.mjs';

const PROVE_MS_MAX = 100_000;
const script = resolve(import.meta.dirname, '../../bin/praetorctl');

/** Stands for the endpoint that the person's own configuration names. */
async function trap() {
  const seen = { connections: 0 };
  const server = createServer((socket) => { seen.connections += 1; socket.destroy(); });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  return { seen, url: `http://127.0.0.1:${server.address().port}`, close: () => new Promise((done) => { server.close(done); }) };
}

function editJson(world, file, change) {
  const path = join(world.home, file);
  const before = readFileSync(path, 'utf8');
  // The fixture's comment lines are its own.
  writeFileSync(path, JSON.stringify(change(JSON.parse(before.replace(/^\s*\/\/.*$/gm, '')))));
  return () => writeFileSync(path, before);
}

function addText(world, file, text, provider) {
  const path = join(world.home, file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, `${provider === undefined ? before : before.replace(/^model_provider = .*$/m, provider)}${text}`);
  return () => writeFileSync(path, before);
}

function editText(world, file, from, to) {
  const path = join(world.home, file);
  const before = readFileSync(path, 'utf8');
  if (!before.includes(from)) throw new Error(`${file} does not hold ${from}`);
  writeFileSync(path, before.replace(from, to));
  return () => writeFileSync(path, before);
}

/** The file elsewhere, and a link or nothing in its place. */
function moveAway(world, file, link = false) {
  const path = join(world.home, file);
  const away = join(world.base, 'moved-away');
  renameSync(path, away);
  if (link) symlinkSync(away, path);
  return () => renameSync(away, path);
}

/** What a person behind a proxy, or with an own collector, has in the environment of a client. Nothing is exempt from the proxy. */
const proxies = (url) => ({ HTTP_PROXY: url, HTTPS_PROXY: url, http_proxy: url, https_proxy: url, NO_PROXY: '', no_proxy: '' });
const exporters = (url) => ({
  OTEL_METRICS_EXPORTER: 'otlp', OTEL_LOGS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_METRIC_EXPORT_INTERVAL: '300', OTEL_LOGS_EXPORT_INTERVAL: '300',
});

/** Per client: its configuration with an endpoint of the person's own, and how it is silently broken. */
const CASES = {
  claude: {
    own: (world, url) => editJson(world, '.claude/settings.json', (d) => ({ ...d, env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: 'the-persons-token', ...proxies(url), ...exporters(url), CLAUDE_CODE_ENABLE_TELEMETRY: '1' } })),
    breaks: [
      ['disableAllHooks', 'hooks-off', (world) => editJson(world, '.claude/settings.json', (d) => ({ ...d, disableAllHooks: true }))],
      ['a value of the wrong type in the settings', 'file-rejected', (world) => editJson(world, '.claude/settings.json', (d) => ({ ...d, model: 7 }))],
    ],
  },
  codex: {
    own: (world, url) => addText(world, '.codex/config.toml', `\n[model_providers.corporate]\nname = "corporate"\nbase_url = "${url}/v1"\nwire_api = "responses"\n`, 'model_provider = "corporate"'),
    breaks: [
      ['features.hooks = false', 'hooks-off', (world) => addText(world, '.codex/config.toml', '\n[features]\nhooks = false\n')],
      ['an unknown key in hooks.json', 'file-rejected', (world) => editJson(world, '.codex/hooks.json', (d) => ({ ...d, extra: 1 }))],
    ],
  },
  gemini: {
    own: (world) => editJson(world, '.gemini/settings.json', (d) => ({ ...d, security: { auth: { selectedType: 'oauth-personal' } } })),
    breaks: [
      ['hooksConfig.enabled = false', 'hooks-off', (world) => editJson(world, '.gemini/settings.json', (d) => ({ ...d, hooksConfig: { enabled: false } }))],
    ],
  },
  qwen: {
    own: (world, url) => editJson(world, '.qwen/settings.json', (d) => ({ ...d, security: { auth: { selectedType: 'openai', apiKey: 'the-persons-key', baseUrl: `${url}/v1` } }, model: { name: 'mine' }, proxy: url, telemetry: { enabled: true, target: 'local', otlpProtocol: 'http', otlpEndpoint: url } })),
    breaks: [
      ['disableAllHooks', 'hooks-off', (world) => editJson(world, '.qwen/settings.json', (d) => ({ ...d, disableAllHooks: true }))],
    ],
  },
  'copilot-cli': {
    // The client takes an endpoint from its environment alone.
    ownEnv: (url) => ({ COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_API_KEY: 'the-persons-key', COPILOT_GITHUB_TOKEN: 'the-persons-token' }),
    breaks: [
      ['another version of the hooks file', 'file-rejected', (world) => editJson(world, '.copilot/hooks/praetorctl.json', (d) => ({ ...d, version: 2 }))],
    ],
  },
  // Those below have the person's endpoint in their configuration from the start.
  droid: {
    breaks: [
      // hooksDisabled in the settings stops no hook here, so what is broken is the entry.
      ['a matcher that fits no tool', 'hook-changed', (world) => editJson(world, '.factory/hooks.json', (d) => ({ ...d, PreToolUse: d.PreToolUse.map((group) => ({ ...group, matcher: '^Nothing$' })) }))],
    ],
  },
  opencode: {
    breaks: [
      ['a plugin that cannot be loaded', 'hook-changed', (world) => editText(world, '.config/opencode/plugins/praetorctl.js', 'export const Praetorctl', 'export const = Praetorctl')],
    ],
  },
  kilo: {
    breaks: [
      ['a plugin that cannot be loaded', 'hook-changed', (world) => editText(world, '.config/kilo/plugin/praetorctl.js', 'export const Praetorctl', 'export const = Praetorctl')],
    ],
  },
  cline: {
    breaks: [
      ['a link in the place of the hook file', 'file-rejected', (world) => moveAway(world, '.cline/hooks/PreToolUse.js', true)],
      ['a hook file that was changed by hand', 'hook-changed', (world) => editText(world, '.cline/hooks/PreToolUse.js', 'import(', 'false && import(')],
    ],
  },
};

function prove(world, id, env = {}) {
  const run = spawnSync(process.execPath, [script, 'clients', 'prove', '--yes', '--json', '--client', id], { cwd: world.project, env: { ...world.env, ...env }, encoding: 'utf8', timeout: PROVE_MS_MAX, input: '' });
  try {
    const [row] = JSON.parse(run.stdout).clients;
    return { code: run.status, ...row };
  } catch {
    return { code: run.status, cause: `no document: ${run.stderr}` };
  }
}

const verified = (world, id) => praetorctl(world, 'clients', 'verify', '--client', id, '--json').json?.clients?.[0];

/** A PATH with the client and Node and without praetorctl. */
function withoutPraetorctl(world, command) {
  const bin = join(world.base, 'other-bin');
  mkdirSync(bin);
  symlinkSync(join(world.bin, 'node'), join(bin, 'node'));
  symlinkSync(world.binary, join(bin, command));
  return { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` };
}

export async function proofs(client, binary, check) {
  const cases = CASES[client.id];
  if (cases === undefined) return;
  const { id } = client;
  const world = makeWorld(client, binary);
  const own = await trap();
  try {
    client.before(world.home, own.url, binary);
    settings(world, { mcpServers: { lab: { command: process.execPath, args: [resolve(import.meta.dirname, 'mcp-server.mjs'), world.mcpLog] } } });
    praetorctl(world, 'clients', 'apply', '--yes', '--client', id);
    if (id === 'codex') {
      const untrusted = prove(world, id);
      check('prove without trust: not proven, hook-not-trusted, and the canary ran', untrusted.code === 3 && untrusted.cause === 'hook-not-trusted' && untrusted.canary === 'ran', untrusted);
      await trustAll(world, client.environment(own.url));
    }
    const first = prove(world, id);
    check(`prove: proven (version ${first.version}, ${first.seconds} s)`, first.code === 0 && first.proven === true && first.control === 'ran' && first.canary === 'refused', first);
    check(`prove: an MCP call was judged, or why not (${first.mcp})`, client.noMcpProof === true ? first.mcp?.startsWith('not tried: ') : first.mcp?.includes(client.mcpTool) === true && first.mcp.startsWith('refused: '), first);
    const row = verified(world, id);
    check('verify says since when it is proven', row?.proven === first.time && row.observed === true, row);
    await brokenAndOwn(world, client, cases, own, check);
    check('no call of a proof reached the MCP server', !existsSync(world.mcpLog));
    check("the endpoint, the proxy and the collector of the person's configuration were never asked", own.seen.connections === 0, own.seen);
    const left = readdirSync(join(world.base, 'tmp')).filter((name) => name.startsWith('praetorctl-prove-'));
    check('no workspace of a proof is left', left.length === 0, left);
  } finally {
    await own.close();
    dropWorld(world);
  }
}

async function brokenAndOwn(world, client, cases, own, check) {
  const { id } = client;
  for (const [what, cause, act] of cases.breaks) {
    const undo = act(world);
    const seen = prove(world, id);
    check(`prove with ${what}: not proven, ${cause}`, seen.code === 3 && seen.proven === false && seen.cause === cause && seen.canary !== 'refused', seen);
    check(`verify with ${what} does not call it proven`, verified(world, id)?.proven === null);
    undo();
  }
  const back = moveAway(world, client.hooksFile);
  const removed = prove(world, id);
  check('prove without the hook: not-registered, and nothing is started', removed.code === 3 && removed.cause === 'not-registered' && removed.control === null, removed);
  back();
  const missing = prove(world, id, withoutPraetorctl(world, client.command ?? id));
  check('prove without praetorctl on PATH: not proven, program-missing', missing.code === 3 && missing.cause === 'program-missing', missing);
  if (cases.own === undefined && cases.ownEnv === undefined) return;
  const undo = cases.own?.(world, own.url);
  const redirected = prove(world, id, cases.ownEnv?.(own.url));
  check("prove past an endpoint, a login or a profile of the person's own: proven", redirected.proven === true, redirected);
  undo?.();
}
