// Contract: everything by which Kimi leaves our hooks out, as far as files show it. From documents and sources; nothing was run. PURE.
import type { Fact, Finding, SilentWay } from '../../model/client.ts';
import { isObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { documented, unknown } from '../facts.ts';
import { doubtful } from '../silent-kit.ts';

const FORM = { id: 'kimi.hook-form', looks: 'a hook of anybody in config.toml with another key than event, command, matcher and timeout', fix: 'correct that [[hooks]] table', basis: 'documented' } as const satisfies SilentWay;

export const KIMI_SILENT: readonly SilentWay[] = [FORM];

export const KIMI_UNSEEN: readonly Fact[] = [
  documented('the older Kimi CLI beside Kimi Code CLI: hooks go to one of them, and the plan says to which'),
  unknown('flags of one session, such as another file of configuration'),
];

const KEYS = ['event', 'command', 'matcher', 'timeout'];

function isHook(value: JsonValue): boolean {
  return isObject(value) && typeof value['event'] === 'string' && typeof value['command'] === 'string' && Object.keys(value).every((key) => KEYS.includes(key));
}

export function lintConfig(document: JsonObject): Finding[] {
  const hooks = document['hooks'];
  const wrong = Array.isArray(hooks) ? hooks.findIndex((hook) => !isHook(hook)) : -1;
  if (wrong === -1) return [];
  const message = 'a hook has other keys than event, command, matcher and timeout; Kimi Code CLI then does not read the file';
  return [{ ...doubtful(FORM, message, { path: ['hooks', wrong] }), effect: 'file' }];
}
