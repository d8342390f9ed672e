// Contract: the row of JetBrains AI Assistant. Documented only: no IDE could be run here. PURE.
import type { ClientDefinition } from '../../model/client.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { BUILT_IN_TOOLS, noHooks, plainServers, serverFiles, STRICT_JSON } from '../mcp-only.ts';

export const jetbrainsAi: ClientDefinition = {
  ...noHooks(documented('AI Assistant has no hooks')),
  id: 'jetbrains-ai', name: 'JetBrains AI Assistant', aliases: ['ai-assistant'], vendor: 'JetBrains',
  seenOn: documented('documents and issue reports; not run'),
  binaries: [],
  installPaths: () => [],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, home, project } = context;
    const dir = joinPath(platform, home, '.ai');
    return { diagnostics: [], paths: { dir, mcp: joinPath(platform, dir, 'mcp', 'mcp.json'), projectMcp: joinPath(platform, project, '.ai', 'mcp', 'mcp.json') } };
  },
  files: serverFiles('json', STRICT_JSON),
  mcp: plainServers({ key: 'mcpServers' }),
  afterApply: [],
  gaps: [
    BUILT_IN_TOOLS,
    documented('servers are mostly set up in the IDE, which may not take the file as the last word'),
    unknown('how comments, a BOM or trailing commas are read: strict JSON is assumed'),
  ],
};
