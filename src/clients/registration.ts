// Contract: the one command string that a registration contains, and the grammar by which we know our own (also retired
// and path-prefixed forms). Clients strip marker keys and comments, so ownership is event + matcher + this grammar. PURE.
import { CANONICAL_EVENTS, type CanonicalEvent } from '../model/events.ts';
import { isObject, type JsonObject, type JsonValue, type Path } from '../model/json.ts';
import type { EventArray, FileSpec, HandlerForm, HookEvent, HookSurface } from '../model/client.ts';

/** Bare words only: the single form that is valid in sh, cmd and PowerShell alike. */
export function commandFor(client: string, event: CanonicalEvent): string {
  return `praetorctl hook ${client} ${event}`;
}

// A path in front may hold spaces only inside double quotes: `rm -rf /x/praetorctl hook ...` is somebody else's command.
const PROGRAM = String.raw`praetorctl(?:\.cmd|\.exe|\.js|\.cjs)?`;
const OWN = new RegExp(String.raw`^(?:"(?:[^"$\`|;&<>\n]*[\\/])?${PROGRAM}"|(?:[^\s"'$\`|;&<>()]*[\\/])?${PROGRAM}) hook ([a-z][a-z0-9-]*) ([a-z][a-z-]*)$`);

/** The client for which a command string of ours is, whichever it is. */
export function ownClient(command: string): string | undefined {
  return OWN.exec(command)?.[1];
}

/** The event of a command string of ours for one of the given client ids (its id and aliases), else undefined. */
export function ownEvent(command: string, ids: readonly string[]): string | undefined {
  const match = OWN.exec(command);
  if (match === null || match[1] === undefined || match[2] === undefined) return undefined;
  return ids.includes(match[1]) ? match[2] : undefined;
}

/** One handler of ours in a document. `whole`: the group around it holds nothing else, so it goes with it. */
export interface OwnedHook {
  readonly event: string;
  readonly native: string;
  readonly array: Path;
  readonly index: number;
  readonly handlerIndex: number | undefined;
  readonly whole: boolean;
  readonly item: JsonValue;
  readonly handler: JsonObject;
  readonly command: string;
}

/** `{type: "command", command: <line>}` with the client's other keys: the form that most clients share. */
export function commandHandler(extras: (event: HookEvent) => JsonObject): HandlerForm {
  return { make: (command, event) => ({ type: 'command', command, ...extras(event) }), commandOf: (handler) => handler['command'] };
}

function ownHandler(form: HandlerForm, value: JsonValue | undefined, ids: readonly string[]): Pick<OwnedHook, 'event' | 'handler' | 'command'> | undefined {
  const command = isObject(value) ? form.commandOf(value) : undefined;
  if (!isObject(value) || typeof command !== 'string') return undefined;
  const event = ownEvent(command, ids);
  return event === undefined ? undefined : { event, handler: value, command };
}

function ownedInArray(form: HandlerForm, array: EventArray, ids: readonly string[]): OwnedHook[] {
  const found: OwnedHook[] = [];
  array.items.forEach((item, index) => {
    const flat = ownHandler(form, item, ids);
    if (flat !== undefined) {
      const named = form.nativeOf?.(flat.handler);
      found.push({ ...flat, native: typeof named === 'string' ? named : array.native, array: array.path, index, handlerIndex: undefined, whole: true, item });
      return;
    }
    if (!isObject(item) || !Array.isArray(item['hooks'])) return;
    const handlers = item['hooks'];
    handlers.forEach((value, handlerIndex) => {
      const own = ownHandler(form, value, ids);
      if (own !== undefined) {
        found.push({ ...own, native: array.native, array: array.path, index, handlerIndex, whole: handlers.length === 1, item });
      }
    });
  });
  return found;
}

/** Every handler of ours in a document, in document order. */
export function ownedHooks(surface: HookSurface, document: JsonObject, ids: readonly string[]): OwnedHook[] {
  return surface.arrays(document).flatMap((array) => ownedInArray(surface.handler, array, ids));
}

/** How many handlers in a document are not ours. */
export function foreignHooks(surface: HookSurface, document: JsonObject, ids: readonly string[]): number {
  let total = 0;
  for (const array of surface.arrays(document)) {
    for (const item of array.items) total += isObject(item) && Array.isArray(item['hooks']) ? item['hooks'].length : 1;
  }
  return total - ownedHooks(surface, document, ids).length;
}

/** The array of a native event in a file. */
export function arrayPathIn(surface: HookSurface, spec: FileSpec, native: string): Path {
  return spec.eventsAt === undefined ? surface.arrayPath(native) : [...spec.eventsAt, native];
}

/** The entry that belongs into a native event's array. */
export function hookEntry(surface: HookSurface, client: string, event: HookEvent): JsonObject {
  const handler = surface.handler.make(commandFor(client, event.canonical), event);
  if (event.flat === true) return handler;
  return event.matcher === undefined ? { hooks: [handler] } : { matcher: event.matcher, hooks: [handler] };
}

/** `{hooks: {Event: [...]}}`: Claude Code, Codex, Gemini CLI and those that copied them. */
export function wrappedArrays(document: JsonObject): EventArray[] {
  const hooks = document['hooks'];
  if (!isObject(hooks)) return [];
  return Object.keys(hooks).flatMap((native) => {
    const items = hooks[native];
    return Array.isArray(items) ? [{ path: ['hooks', native], native, items }] : [];
  });
}

/** `{Event: [...]}`: the document is the map itself. Keys that hold no list are somebody else's. */
export function topLevelArrays(document: JsonObject): EventArray[] {
  return Object.keys(document).flatMap((native) => {
    const items = document[native];
    return Array.isArray(items) ? [{ path: [native], native, items }] : [];
  });
}

export function isKnownEvent(word: string): boolean {
  return (CANONICAL_EVENTS as readonly string[]).includes(word);
}
