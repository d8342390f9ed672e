// Contract: servers of the settings that a catalogue governs are registered as the guarding runtime, `praetorctl mcp <server>`, in
// every client; what is started behind it stands in the catalogue. Through Host, reads the names in the catalogues only.
import { CONTRACTS_DIRECTORY, normalName } from '../contract/catalogue.ts';
import type { Host } from '../host.ts';
import { isObject } from '../model/json.ts';
import { joinPath } from '../roots/paths.ts';
import type { Settings } from './schema.ts';

const CATALOGUE_BYTES_MAX = 256 * 1024 * 1024;

/** The names under which clients see governed servers, in normal form. What cannot be read governs the server of its file's name. */
function governedNames(host: Host, configDir: string): ReadonlySet<string> {
  const directory = joinPath(host.platform, configDir, CONTRACTS_DIRECTORY);
  if (host.stat(directory)?.kind !== 'dir') return new Set();
  return new Set(host.readDir(directory).filter((name) => name.endsWith('.json')).flatMap((name) => {
    try {
      const value: unknown = JSON.parse(new TextDecoder().decode(host.readFile(joinPath(host.platform, directory, name), CATALOGUE_BYTES_MAX)));
      return isObject(value) && Array.isArray(value['bindings']) ? value['bindings'].map((binding) => normalName(String(binding))) : [];
    } catch {
      return [normalName(name.slice(0, -'.json'.length))];
    }
  }));
}

export function withGuardedServers(host: Host, configDir: string, settings: Settings): Settings {
  const names = Object.keys(settings.mcpServers);
  const governed = names.length === 0 ? new Set<string>() : governedNames(host, configDir);
  if (!names.some((name) => governed.has(normalName(name)))) return settings;
  const mcpServers = Object.fromEntries(Object.entries(settings.mcpServers).map(([name, server]) =>
    // The variables stay with the client's entry: the runtime hands its environment on.
    [name, governed.has(normalName(name)) ? { command: 'praetorctl', args: ['mcp', name], env: 'command' in server ? server.env : {} } : server]));
  return { ...settings, mcpServers };
}
