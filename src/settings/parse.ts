// Contract: text of the operator's settings document -> settings, or diagnostics with file:line:column. PURE.
// The schema's rules are checked here; what the guard compiles from it (ids, patterns) in compile.ts.
import type { Diagnostic } from '../model/diagnostic.ts';
import { faultAt, readDocument, type DocumentKind, type ReadDocument } from './document.ts';
import { SERVERS_MAX, SETTINGS_CHARS_MAX, settingsSchema, type Settings } from './schema.ts';

export type ParsedSettings =
  | { readonly ok: true; readonly settings: Settings; readonly document: ReadDocument<Settings> }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

export const SETTINGS_KIND: DocumentKind<Settings> = {
  schema: settingsSchema, charsMax: SETTINGS_CHARS_MAX, name: 'the settings file', fix: 'correct the settings file; its schema is schemas/settings.schema.json',
};

/** Parses and checks one settings document. An empty document means: all defaults. */
export function parseSettings(path: string, text: string): ParsedSettings {
  const read = readDocument(SETTINGS_KIND, path, text);
  if (!read.ok) return read;
  const { document } = read;
  if (Object.keys(document.value.mcpServers).length > SERVERS_MAX) {
    const { message: _whole, ...at } = faultAt(document, { path, fix: SETTINGS_KIND.fix }, ['mcpServers'], '');
    return { ok: false, diagnostics: [{ ...at, message: `more than ${SERVERS_MAX} servers` }] };
  }
  return { ok: true, settings: document.value, document };
}
