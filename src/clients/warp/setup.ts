// Contract: Warp's row. Documented only: the terminal could not be run here. PURE.
import type { ClientDefinition } from '../../model/client.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { BUILT_IN_TOOLS, noHooks, plainServers, serverFiles, STRICT_JSON } from '../mcp-only.ts';

export const warp: ClientDefinition = {
  ...noHooks(documented('Warp has no hooks')),
  id: 'warp', name: 'Warp', aliases: [], vendor: 'Warp',
  seenOn: documented('documents and issue reports; not run'),
  binaries: ['warp-terminal'],
  installPaths: () => [],
  apps: ['Warp.app'],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, home, project } = context;
    const dir = joinPath(platform, home, '.warp');
    return { diagnostics: [], paths: { dir, mcp: joinPath(platform, dir, '.mcp.json'), projectMcp: joinPath(platform, project, '.warp', '.mcp.json') } };
  },
  files: serverFiles('json', STRICT_JSON),
  mcp: plainServers({ key: 'mcpServers' }),
  afterApply: [],
  gaps: [
    BUILT_IN_TOOLS,
    documented('servers that are set up in the app are kept elsewhere'),
    unknown('how comments, a BOM or trailing commas are read: strict JSON is assumed'),
  ],
};
