// Contract: which settings document is in force, read through the Host. An explicit file must exist; the default one may not.
import type { Host } from '../host.ts';
import { PraetorError, type Diagnostic } from '../model/diagnostic.ts';
import { joinPath } from '../roots/paths.ts';
import { parseSettings } from './parse.ts';
import { DEFAULT_SETTINGS, SETTINGS_BYTES_MAX, type Settings } from './schema.ts';

export type LoadedSettings =
  | { readonly ok: true; readonly settings: Settings; /** null: built-in defaults. */ readonly path: string | null }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Loads `explicit` or `<config>/settings.yaml`. A broken document is an error, never the defaults. */
export function loadSettings(host: Host, configDir: string, explicit: string | undefined): LoadedSettings {
  const path = explicit ?? joinPath(host.platform, configDir, 'settings.yaml');
  if (host.stat(path) === undefined) {
    if (explicit === undefined && host.lstat(path) === undefined) return { ok: true, settings: DEFAULT_SETTINGS, path: null };
    throw new PraetorError({ code: 'settings-unreadable', where: { path }, message: 'the settings file does not exist', fix: 'name an existing file with --settings, or leave the option out' });
  }
  let bytes: Uint8Array;
  try {
    bytes = host.readFile(path, SETTINGS_BYTES_MAX);
  } catch (error) {
    throw new PraetorError({ code: 'settings-unreadable', where: { path }, message: 'the settings file cannot be read', fix: 'check that it is a regular file of at most 4 MiB and that you may read it' }, error);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new PraetorError({ code: 'settings-invalid', where: { path }, message: 'the settings file is not UTF-8', fix: 'save it as UTF-8' }, error);
  }
  const parsed = parseSettings(path, text);
  return parsed.ok ? { ok: true, settings: parsed.settings, path } : parsed;
}
