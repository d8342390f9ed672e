// Contract: what Claude Code can be asked: it lists no hooks, but `--init-only` runs the hooks of a session's start and end, so a
// receipt of ours says that it has taken the registration; the init event of a print run lists the servers. Measured on 2.1.332. PURE.
import { isObject } from '../../model/json.ts';
import type { Listing, ListedServer, ProbeSurface } from '../../model/probe.ts';
import { measuredOn } from '../facts.ts';
import { LISTED_MAX, parsedJson, stateIn } from '../probe-kit.ts';

/** Nothing listens there: `/context` is answered without the model. */
const NOWHERE = 'http://127.0.0.1:9';

export function readInit(stdout: string): Listing | undefined {
  for (const one of stdout.split('\n')) {
    const event = one.startsWith('{') ? parsedJson(one) : undefined;
    if (!isObject(event) || event['type'] !== 'system' || event['subtype'] !== 'init') continue;
    const servers = event['mcp_servers'];
    if (!Array.isArray(servers)) return undefined;
    return { servers: servers.slice(0, LISTED_MAX).flatMap((server): ListedServer[] => (isObject(server) && typeof server['name'] === 'string' ? [{ name: server['name'], state: stateIn(String(server['status'] ?? '')) }] : [])) };
  }
  return undefined;
}

const QUIET = { DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1', DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ANTHROPIC_BASE_URL: NOWHERE, ANTHROPIC_API_KEY: 'praetorctl-probe' };

const measured = measuredOn('2.1.332');

export const claudeProbe: ProbeSurface = {
  keptEnv: ['CLAUDE_CONFIG_DIR'],
  steps: [
    { asks: 'session', argv: () => ['--init-only'], env: QUIET },
    { asks: 'servers', argv: () => ['-p', '/context', '--output-format', 'stream-json', '--verbose'], env: QUIET, until: (stdout) => readInit(stdout) !== undefined, read: readInit },
  ],
  source: measured('--init-only runs the session hooks, and the receipt of ours answers; the init event lists servers; no list of hooks exists outside its dialog'),
  cost: measured('0.4 to 0.9 s, then 2 to 4 s for the init event; no model, no tokens, no login'),
  effects: measured("runs every session hook of the person's and starts the MCP servers; writes its own state and session files"),
};
