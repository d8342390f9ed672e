// Contract: Trae's row. Documented only: the editor could not be run here. PURE.
import type { ClientDefinition } from '../../model/client.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { BUILT_IN_TOOLS, chosenPlace, noHooks, plainServers, serverFiles, STRICT_JSON } from '../mcp-only.ts';
import { appDataDir } from '../vscode-files.ts';

export const trae: ClientDefinition = {
  ...noHooks(documented('Trae has no hooks')),
  id: 'trae', name: 'Trae', aliases: [], vendor: 'ByteDance',
  seenOn: documented('documents and issue reports; not run'),
  binaries: ['trae'],
  installPaths: () => [],
  apps: ['Trae.app'],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, project } = context;
    const dir = joinPath(platform, appDataDir(context), 'Trae');
    const { path: mcp, diagnostics } = chosenPlace(context, trae, [joinPath(platform, dir, 'User', 'mcp.json'), joinPath(platform, dir, 'mcp.json')]);
    return { diagnostics, paths: { dir, mcp, projectMcp: joinPath(platform, project, '.trae', 'mcp.json') } };
  },
  files: serverFiles('json', STRICT_JSON),
  mcp: plainServers({ key: 'mcpServers', refuse: (server) => (server.kind === 'stdio' && server.command.includes(' ') ? 'its command may not contain a space' : undefined) }),
  afterApply: [],
  gaps: [
    BUILT_IN_TOOLS,
    documented('the file of a project counts only once it is switched on in the editor'),
    unknown('whether the file stands in Trae/User or in Trae: the one that exists is taken'),
    unknown('how comments, a BOM or trailing commas are read: strict JSON is assumed'),
  ],
};
