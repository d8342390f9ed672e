// Contract: the Codex CLI's own lists: `hooks/list` of its app server, and `mcp list --json`. Measured on 0.171.0, Linux. PURE.
import { isObject, type JsonValue } from '../../model/json.ts';
import type { Listing, ListedHook, ProbeSurface } from '../../model/probe.ts';
import { measuredOn } from '../facts.ts';
import { LISTED_MAX, parsedJson } from '../probe-kit.ts';
import { ownEvent } from '../registration.ts';

const HOOKS_ID = 2;
const line = (message: Record<string, JsonValue>): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

/** All at once: the server answers in order, and needs no more than to see the messages in this one. */
const asked = (cwd: string): string => [
  line({ id: 1, method: 'initialize', params: { clientInfo: { name: 'praetorctl', title: 'praetorctl', version: '1' } } }),
  line({ method: 'initialized' }), line({ id: HOOKS_ID, method: 'hooks/list', params: { cwds: [cwd] } }),
].join('');

function answerIn(stdout: string): JsonValue | undefined {
  for (const one of stdout.split('\n')) {
    const message = one.startsWith('{') ? parsedJson(one) : undefined;
    if (isObject(message) && message['id'] === HOOKS_ID && message['method'] === undefined) return message;
  }
  return undefined;
}

/** Trust is per hook; a managed one needs none. */
function listedHook(value: JsonValue): ListedHook[] {
  if (!isObject(value) || typeof value['command'] !== 'string') return [];
  const event = ownEvent(value['command'].trim(), ['codex']);
  if (event === undefined) return [];
  const trust = value['trustStatus'];
  return [{ event, source: typeof value['sourcePath'] === 'string' ? value['sourcePath'] : undefined, enabled: value['enabled'] === true, trusted: trust === 'trusted' || trust === 'managed' }];
}

export function readHooks(stdout: string): Listing | undefined {
  const message = answerIn(stdout);
  const result = isObject(message) ? message['result'] ?? message : undefined;
  const data = isObject(result) ? result['data'] : undefined;
  if (!Array.isArray(data)) return undefined;
  return { hooks: data.flatMap((one) => (isObject(one) && Array.isArray(one['hooks']) ? one['hooks'].slice(0, LISTED_MAX).flatMap(listedHook) : [])) };
}

/** It prints the values of env in clear: only names and states leave this function. */
export function readServers(stdout: string): Listing | undefined {
  const list = parsedJson(stdout);
  if (!Array.isArray(list)) return undefined;
  return { servers: list.slice(0, LISTED_MAX).flatMap((one) => (isObject(one) && typeof one['name'] === 'string' ? [{ name: one['name'], state: one['enabled'] === false ? 'disabled' as const : 'listed' as const }] : [])) };
}

const measured = measuredOn('0.171.0');

export const codexProbe: ProbeSurface = {
  keptEnv: ['CODEX_HOME'],
  steps: [
    { asks: 'hooks', argv: () => ['app-server'], input: asked, until: (stdout) => answerIn(stdout) !== undefined, read: readHooks },
    { asks: 'servers', argv: () => ['mcp', 'list', '--json'], read: readServers },
  ],
  source: measured('app-server hooks/list (with the trust of each hook) and mcp list --json; an empty list comes without a warning where the feature is off'),
  cost: measured('about 1 s each; no model, no tokens'),
  effects: measured('starts no server and changes no configuration; the app server makes sqlite and skills files in CODEX_HOME'),
};
