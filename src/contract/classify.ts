// Contract: a tool that nobody has reviewed -> a draft of its posture. PURE. Annotations and verbs fill a draft, they approve nothing:
// measured on 416 tools of 20 servers, a third has no hint at all (21 of those delete or execute), and hints err both ways.
// Every draft is `review_required`; a name never lowers a posture, it only suggests (`suggests`) what a person may choose.
import type { JsonObject } from '../model/json.ts';
import { isObject } from '../model/json.ts';
import type { Action, Basis } from './catalogue.ts';
import type { Operation, Posture } from './catalogue-schema.ts';
import { toolPin, type ToolDefinition } from './pins.ts';

export interface Draft {
  readonly operation: Operation;
  /** Shown before the others: the safest ones, which one act may approve. */
  readonly preTicked: boolean;
  /** What a person should look at. */
  readonly flags: readonly string[];
  readonly suggests?: 'read';
}

const READ_VERBS: readonly string[] = ['get', 'list', 'search', 'read', 'find', 'query', 'describe', 'fetch', 'show', 'lookup', 'count', 'view', 'check', 'inspect', 'status', 'resolve', 'browse', 'info', 'explain', 'directory', 'tree'];
const WRITE_VERBS: readonly string[] = [
  'create', 'add', 'update', 'set', 'write', 'edit', 'delete', 'remove', 'drop', 'destroy', 'send', 'post', 'put', 'patch', 'move', 'rename', 'run', 'execute', 'exec', 'start', 'stop', 'kill', 'install',
  'apply', 'merge', 'push', 'publish', 'deploy', 'cancel', 'approve', 'close', 'open', 'upload', 'insert', 'replace', 'restart', 'scale', 'rollback', 'pay', 'charge', 'refund', 'transfer', 'purge', 'clear', 'reset',
  'click', 'type', 'fill', 'press', 'navigate', 'evaluate', 'invoke', 'trigger', 'wait', 'fork', 'archive', 'terminate',
];
const GRAVE_VERBS: Readonly<Record<string, Posture['risk']>> = {
  delete: 'destructive', remove: 'destructive', drop: 'destructive', destroy: 'destructive', purge: 'destructive', clear: 'destructive', kill: 'destructive', terminate: 'destructive', reset: 'destructive',
  pay: 'financial', charge: 'financial', refund: 'financial', transfer: 'financial', payout: 'financial', payment: 'financial', send: 'high', execute: 'high', exec: 'high', run: 'high', evaluate: 'high', deploy: 'high', publish: 'high',
};
const MANY_VERBS: readonly string[] = ['action', 'operation', 'command', 'sql', 'code', 'script', 'query', 'expression', 'verb', 'method'];
const ACTIONS_OF: Readonly<Record<string, Action>> = {
  get: 'get', read: 'get', fetch: 'get', describe: 'get', show: 'get', list: 'list', search: 'search', find: 'search', query: 'search', create: 'create', add: 'create', insert: 'create', update: 'update', edit: 'update',
  set: 'update', patch: 'update', replace: 'replace', put: 'replace', delete: 'delete', remove: 'delete', drop: 'delete', send: 'send', post: 'send', execute: 'execute', run: 'execute', exec: 'execute', cancel: 'cancel', approve: 'approve',
};

/** Words of a name: `kubectl_get`, `listFiles`, `browser.click`. */
export function wordsOf(name: string): string[] {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[^A-Za-z0-9]+/).map((word) => word.toLowerCase()).filter((word) => word !== '');
}

export function operationId(service: string, tool: string): string {
  return `${service}.${wordsOf(tool).join('.') || 'tool'}`;
}

/** The tool's own top-level arguments. */
export function argumentsOf(schema: JsonObject): string[] {
  return isObject(schema['properties']) ? Object.keys(schema['properties']).slice(0, 1000) : [];
}

/** What comes from outside in the place of a text may be none. */
export const wordsOfServer = (value: unknown): string => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value));

/** Does a description begin with a verb of destruction or of money, such as "Deletes everything"? */
function saysGrave(description: string): Posture['risk'] | undefined {
  const word = /[A-Za-z]+/.exec(description)?.[0].toLowerCase() ?? '';
  const risks = [word, word.replace(/s$/, ''), word.replace(/es$/, '')].map((verb) => (Object.hasOwn(GRAVE_VERBS, verb) ? GRAVE_VERBS[verb] : undefined));
  return risks.find((risk) => risk === 'destructive' || risk === 'financial');
}

interface Guess { readonly posture: Posture; readonly basis: Basis; readonly flags: readonly string[]; readonly preTicked: boolean; readonly suggests?: 'read' }

function guess({ name, description }: ToolDefinition, hints: JsonObject, manyVerbs: readonly string[]): Guess {
  const words = wordsOf(name);
  const writes = words.some((word) => WRITE_VERBS.includes(word));
  const reads = words.some((word) => READ_VERBS.includes(word)) && !writes;
  const hint = (key: string): boolean | undefined => (typeof hints[key] === 'boolean' ? hints[key] : undefined);
  const flags = manyVerbs.map((argument) => `takes its verb from the argument ${argument}: the posture is that of the worst case`);
  const mutation = (risk: Posture['risk'], reversible: boolean): Posture => {
    const idempotency = hint('idempotentHint') === true ? 'natural' : 'none';
    return { effect: 'mutation', risk, reversible, idempotency, retrySafe: idempotency === 'natural', confirmationRequired: true };
  };
  const graveText = saysGrave(wordsOfServer(description));
  if (hint('readOnlyHint') === true && hint('destructiveHint') === true) {
    return { posture: mutation('destructive', false), basis: 'annotation', preTicked: false, flags: [...flags, 'says that it only reads and that it destroys'] };
  }
  if (hint('readOnlyHint') === true && graveText !== undefined) {
    return { posture: mutation(graveText, false), basis: 'default', preTicked: false, flags: [...flags, 'says that it only reads, but its description does not'] };
  }
  if (hint('readOnlyHint') === true) {
    const safe = !writes && manyVerbs.length === 0;
    const posture: Posture = { effect: 'read', risk: safe ? 'none' : 'low', reversible: true, idempotency: 'natural', retrySafe: true, confirmationRequired: false };
    return { posture, basis: 'annotation', preTicked: safe, flags: writes ? [...flags, 'says that it only reads, but its name does not'] : flags };
  }
  const grave = words.map((word) => (Object.hasOwn(GRAVE_VERBS, word) ? GRAVE_VERBS[word] : undefined)).find((risk) => risk !== undefined);
  if (manyVerbs.length > 0) return { posture: mutation('high', false), basis: 'default', preTicked: false, flags };
  if (hint('destructiveHint') === false) {
    // A hint may lower the draft to medium, but not below what the name says.
    return { posture: mutation(grave ?? 'medium', grave === undefined), basis: 'annotation', preTicked: false, flags: grave === undefined ? flags : [...flags, 'says that it destroys nothing, but its name does not'] };
  }
  if (hint('destructiveHint') === true || hint('readOnlyHint') === false) return { posture: mutation('destructive', false), basis: 'annotation', preTicked: false, flags };
  if (reads) return { posture: mutation('medium', true), basis: 'name_hint', preTicked: false, flags, suggests: 'read' };
  return { posture: mutation(grave ?? 'high', false), basis: 'default', preTicked: false, flags };
}

/** The first of the names that the tool does not have itself. */
export function freeName(taken: readonly string[], name: string): string {
  if (!taken.includes(name)) return name;
  let candidate = `praetor_${name}`;
  for (let n = 2; taken.includes(candidate); n++) candidate = `praetor_${name}_${n}`;
  return candidate;
}

const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

/** A letter of Latin beside one of an alphabet that has letters of the same look. */
export function hasMixedLetters(name: string): boolean {
  return /\p{Script=Latin}/u.test(name) && /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u.test(name);
}

export function draftOperation(service: string, tool: ToolDefinition, sha256: (text: string) => string): Draft {
  const names = argumentsOf(tool.inputSchema);
  const manyVerbs = names.filter((name) => MANY_VERBS.includes(name.toLowerCase()));
  const { posture, basis, flags, preTicked, suggests } = guess(tool, isObject(tool.annotations) ? tool.annotations : {}, manyVerbs);
  // The layout of a longer text hides nothing.
  const hidden = CONTROL_CHARACTERS.test(`${tool.name}${wordsOfServer(tool.title)}${wordsOfServer(tool.description).replace(/[\t\n\r]/g, ' ')}`);
  const mixed = hasMixedLetters(tool.name);
  const seen = [...(hidden ? ['its texts hold invisible or control characters'] : []), ...(mixed ? ['its name mixes letters that look alike in two alphabets'] : [])];
  const action = wordsOf(tool.name).map((word) => (Object.hasOwn(ACTIONS_OF, word) ? ACTIONS_OF[word] : undefined)).find((one) => one !== undefined);
  const operation: Operation = {
    ...posture, id: operationId(service, tool.name), mcpTool: tool.name, state: 'review_required', ...(action === undefined ? {} : { action }),
    confirmationInput: freeName(names, 'confirm'), output: 'strip', arguments: names, variants: [], pin: toolPin(tool, sha256),
    basis: { effect: basis, risk: basis, reversible: basis },
  };
  return { operation, preTicked: preTicked && seen.length === 0, flags: [...flags, ...seen], ...(suggests === undefined ? {} : { suggests }) };
}
