// Contract: what the bundles of several clients share: the same entries that `clients apply` registers, in files of their own. PURE.
import type { ClientDefinition, HookEvent } from '../model/client.ts';
import type { BundledService, BundleSubject } from '../model/bundle.ts';
import type { JsonObject, JsonValue, Path } from '../model/json.ts';
import { hookEntry } from './registration.ts';

/** The version of the bundles' form. The program's own would change every installed copy with every release. */
export const BUNDLE_VERSION = '1.0.0';

export const PLUGIN = 'praetor';

/** Names of plugins are lower-case words with hyphens. */
export function pluginName(subject: BundleSubject): string {
  return subject.service === undefined ? PLUGIN : `${PLUGIN}-${subject.service.id.replace(/_/g, '-')}`;
}

export function describeBundle(subject: BundleSubject): string {
  return subject.service === undefined ? 'praetorctl judges tool calls before they run.' : `${oneLine(subject.service.title)}, behind the guarding runtime of praetorctl.`;
}

export function jsonFile(value: JsonValue): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function withAppended(document: JsonObject, [step, ...rest]: Path, entry: JsonObject): JsonObject {
  const key = String(step);
  const inner = document[key];
  if (rest.length === 0) return { ...document, [key]: [...(Array.isArray(inner) ? inner : []), entry] };
  return { ...document, [key]: withAppended((inner ?? {}) as JsonObject, rest, entry) };
}

/** A hooks document as the client reads it, with our entries only. */
export function hooksDocument({ id, hooks }: ClientDefinition, events: readonly HookEvent[]): JsonObject {
  return events.reduce<JsonObject>((document, event) => withAppended(document, hooks.arrayPath(event.native), hookEntry(hooks, id, event)), hooks.preamble ?? {});
}

/** The events of a subject; for a service only its calls, which `matcher` names. */
export function subjectEvents({ hooks }: ClientDefinition, subject: BundleSubject, matcher: (service: string) => string): readonly HookEvent[] {
  const { service } = subject;
  if (service === undefined) return hooks.events.filter(({ canonical }) => subject.events.has(canonical));
  return hooks.events.filter(({ canonical }) => canonical === 'pre-tool').map((event) => ({ ...event, matcher: matcher(service.id) }));
}

/** A server's name in a pattern: some clients write `_` where it has another sign. */
export function namePattern(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '[_-]');
}

/** The guarding runtime as an entry of this client. `passed`: the client starts servers without its own environment, so variables are named. */
export function guardedEntry({ mcp }: ClientDefinition, { id, variables }: BundledService, passed: boolean): JsonObject {
  const env = passed ? Object.fromEntries(variables.map((name) => [name, `\${${name}}`])) : {};
  const result = mcp.entry({ kind: 'stdio', command: 'praetorctl', args: ['mcp', id], env });
  // Every name of a variable is a reference to itself, which a client that is told by name takes.
  if (!result.ok) throw new Error(`the runtime cannot be registered: ${result.why}`);
  return result.entry;
}

/** What a model has to know of a guarded server: how a refusal reads. The same for every operation. */
export function refusalGuide({ id, title }: BundledService): readonly string[] {
  return [
    `The tools of the MCP server \`${id}\` (${oneLine(title)}) run behind praetorctl: a person approved what each may do. Read the refusal before you try again.`, '',
    '- `confirmation_required`: the call changes something. It names what is missing: repeat it with that argument only if the person wants exactly this call. Where a person has to approve, tell the person what you are about to do, and wait.',
    '- `idempotency_required`: give the named key argument one fresh value for each intended change, and the same value again for a retry of it.',
    '- `unsupported_operation`: it is not approved. Do not look for another way to the same effect; tell the person.',
    '- `policy_denied`: the workstation forbids it, or the tool changed since its approval. Tell the person.',
    '- `validation_error`: an argument is wrong. Correct it by the message.', '',
    `A person sees and approves operations with \`praetorctl contract review ${id}\`.`,
  ];
}

/** Nothing of a title ends a line or opens markup. */
export function oneLine(text: string): string {
  return text.replace(/[`<>[\]*_#|\\\u0000-\u001f\u007f]|[^\P{C}]/gu, ' ').trim();
}
