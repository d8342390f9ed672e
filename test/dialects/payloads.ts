// Contract: every captured hook document with its client and canonical event, for tests.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CLIENTS as ROWS } from '../../src/clients/registry.ts';
import type { ClientDefinition } from '../../src/model/client.ts';
import type { CanonicalEvent } from '../../src/model/events.ts';
import type { JsonObject } from '../../src/model/json.ts';

export const PAYLOADS_DIR = fileURLToPath(new URL('../fixtures/payloads', import.meta.url));

/** Documents of programs of ours, whose files are named after what the client gave them, and natives that no row registers. */
const NAMED: Readonly<Record<string, Readonly<Record<string, CanonicalEvent>>>> = {
  opencode: { before: 'pre-tool', after: 'post-tool', created: 'session-start' },
  kilo: { before: 'pre-tool', after: 'post-tool', created: 'session-start' },
  amp: { Bash: 'pre-tool', mcp: 'pre-tool', shell_command: 'pre-tool', apply_patch: 'pre-tool' },
};

/** Native event -> canonical event, from the client's row. */
function eventOf(client: ClientDefinition, native: string): CanonicalEvent | undefined {
  return NAMED[client.id]?.[native] ?? client.hooks.events.find((event) => event.native === native)?.canonical;
}

const GUARDED = ROWS.filter((client) => client.hooks.events.length > 0);

export interface Captured {
  readonly client: string;
  readonly name: string;
  readonly event: CanonicalEvent;
  readonly text: string;
  readonly document: JsonObject;
}

export const CLIENTS = GUARDED.map(({ id }) => id);

export function captured(client: string): Captured[] {
  const row = GUARDED.find(({ id }) => id === client);
  return readdirSync(`${PAYLOADS_DIR}/${client}`).sort().map((name) => {
    const native = name.replace(/^(?:\d+\.\d+\.\d+|documented)\./, '').split(/[.-]/)[0] ?? '';
    const event = row === undefined ? undefined : eventOf(row, native);
    if (event === undefined) throw new Error(`${client}/${name}: no canonical event`);
    const text = readFileSync(`${PAYLOADS_DIR}/${client}/${name}`, 'utf8');
    return { client, name, event, text, document: JSON.parse(text) as JsonObject };
  });
}
