// Contract: Antigravity's own list of hooks: `-p /hooks --output-format json`. Only documented: its form was taken from reports. PURE.
import { isObject, type JsonValue } from '../../model/json.ts';
import type { Listing, ListedHook, ProbeSurface } from '../../model/probe.ts';
import { documented } from '../facts.ts';
import { LISTED_MAX, parsedJson } from '../probe-kit.ts';
import { ownEvent } from '../registration.ts';

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value.slice(0, LISTED_MAX) : []);

export function readHooks(stdout: string): Listing | undefined {
  const document = parsedJson(stdout);
  const command = isObject(document) ? document['command'] : undefined;
  const data = isObject(command) ? command['data'] : undefined;
  if (!isObject(data) || !Array.isArray(data['hooks'])) return undefined;
  return {
    hooks: listOf(data['hooks']).flatMap((hook) => (isObject(hook) ? listOf(hook['actions']).flatMap((action): ListedHook[] => {
      const event = isObject(action) && typeof action['command'] === 'string' ? ownEvent(action['command'].trim(), ['agy', 'antigravity']) : undefined;
      return event === undefined ? [] : [{ event, source: typeof hook['source'] === 'string' ? hook['source'] : undefined, enabled: hook['enabled'] !== false, trusted: true }];
    }) : [])),
  };
}

export const agyProbe: ProbeSurface = {
  keptEnv: ['GEMINI_API_KEY'],
  steps: [{ asks: 'hooks', argv: () => ['-p', '/hooks', '--output-format', 'json'], env: { AGY_CLI_DISABLE_AUTO_UPDATE: 'true' }, read: readHooks }],
  source: documented('-p /hooks --output-format json: name, file, events and whether enabled'),
  cost: documented('no quota and no model; needs a login or GEMINI_API_KEY'),
  effects: documented('starts the program; without a login it waits and is ended'),
};
