// Contract: Visual Studio's row (2022 17.14 and later). Documented only: it runs on Windows alone. PURE.
import type { ClientDefinition } from '../../model/client.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { BUILT_IN_TOOLS, noHooks, plainServers, serverFiles, STRICT_JSON } from '../mcp-only.ts';

export const visualStudio: ClientDefinition = {
  ...noHooks(documented('Visual Studio has no hooks')),
  id: 'visual-studio', name: 'Visual Studio', aliases: ['visualstudio'], vendor: 'Microsoft',
  seenOn: documented('documents and issue reports; not run'),
  binaries: [],
  installPaths: () => [],
  configMarks: ({ paths }) => [paths['mark'] ?? ''],
  roots: (context) => {
    const { platform, home } = context;
    const mcp = joinPath(platform, home, '.mcp.json');
    // Elsewhere a file of that name is somebody else's.
    return { diagnostics: [], paths: { mcp, mark: platform === 'win32' ? mcp : '' } };
  },
  files: serverFiles('json', STRICT_JSON),
  mcp: plainServers({ key: 'servers', stdio: { type: 'stdio' }, http: { type: 'http' } }),
  afterApply: [],
  gaps: [
    BUILT_IN_TOOLS,
    documented('it also reads .mcp.json and .vs/mcp.json of a solution, .vscode/mcp.json and .cursor/mcp.json, which are not written for it: other clients read some of them with another key'),
    unknown('how comments, a BOM or trailing commas are read: strict JSON is assumed'),
  ],
};
