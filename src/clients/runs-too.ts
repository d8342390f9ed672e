// Contract: clients that execute hooks out of other clients' files. What is registered there is judged a second time. PURE.
import type { Finding } from '../model/client.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { ownClient, wrappedArrays } from './registration.ts';

function commandsIn(document: JsonObject): string[] {
  return wrappedArrays(document).flatMap(({ items }) => items).filter(isObject)
    .flatMap((item) => (Array.isArray(item['hooks']) ? item['hooks'].filter(isObject) : [item]))
    .flatMap(({ command }) => (typeof command === 'string' ? [command] : []));
}

/** `files`: names of evidence files, each with how it is called in words. */
export function runsToo(client: { readonly id: string; readonly name: string }, documents: ReadonlyMap<string, JsonObject>, files: Readonly<Record<string, string>>): Finding[] {
  return Object.entries(files).flatMap(([name, words]): Finding[] => {
    const ids = new Set(commandsIn(documents.get(name) ?? {}).map(ownClient).filter((id) => id !== undefined && id !== client.id));
    if (ids.size === 0) return [];
    return [{
      id: `${client.id}.runs-too`, effect: 'note', certain: false,
      message: `${client.name} also runs the hooks in ${words} (documented), which are registered for ${[...ids].join(', ')}: it may have each call judged twice`,
      fix: 'nothing needs to be done; the refusals add up, and each receipt names who called',
    }];
  });
}
