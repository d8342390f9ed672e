// Contract: tools that the guarding runtime refuses because their server changed them after a person approved them, as reasons of the
// clients that have the server. Through Host; names of approved operations only.
import { normalName } from '../contract/catalogue.ts';
import { QUARANTINE_DIRECTORY } from '../contract/contract-index.ts';
import type { Host } from '../host.ts';
import { catalogueOf, type StorePlace } from '../mcp/store.ts';
import { joinPath } from '../roots/paths.ts';
import type { Reason } from './state.ts';

const QUARANTINE_BYTES_MAX = 1024 * 1024;
const NAMED_MAX = 10;

export interface ChangedTools { readonly service: string; readonly bindings: readonly string[]; readonly tools: readonly string[] }

/** What the runtime noted for each service; a list that cannot be read names no tool, and its calls are refused all the same. */
export function changedTools(host: Host, place: StorePlace): readonly ChangedTools[] {
  const directory = joinPath(host.platform, place.state, QUARANTINE_DIRECTORY);
  if (host.stat(directory)?.kind !== 'dir') return [];
  return host.readDir(directory).filter((name) => name.endsWith('.json')).sort().flatMap((name) => {
    try {
      const { catalogue } = catalogueOf(host, place, name.slice(0, -'.json'.length));
      const noted: unknown = JSON.parse(new TextDecoder().decode(host.readFile(joinPath(host.platform, directory, name), QUARANTINE_BYTES_MAX)));
      const tools = catalogue.operations.map(({ mcpTool }) => mcpTool).filter((tool) => Array.isArray(noted) && noted.includes(tool));
      return tools.length === 0 ? [] : [{ service: catalogue.service.id, bindings: catalogue.bindings.map(normalName), tools }];
    } catch {
      return [];
    }
  });
}

/** `servers`: the names under which the client has servers. */
export function changedToolReasons(changed: readonly ChangedTools[], servers: readonly string[]): Reason[] {
  const own = servers.map(normalName);
  return changed.filter(({ bindings }) => bindings.some((name) => own.includes(name))).map(({ service, tools }) => {
    const more = tools.length > NAMED_MAX ? ` and ${tools.length - NAMED_MAX} more` : '';
    return { code: 'tools-changed', text: `the MCP server ${service} changed tools after they were approved; they are refused: ${tools.slice(0, NAMED_MAX).join(', ')}${more}`, fix: `praetorctl contract diff ${service} --live` };
  });
}
