// Contract: Zed's row. Documented only: the editor could not be run here. Its servers stand in the person's settings, with comments. PURE.
import type { ClientDefinition } from '../../model/client.ts';
import { dirOf, joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { BUILT_IN_TOOLS, chosenPlace, JSONC, noHooks, plainServers, serverFiles } from '../mcp-only.ts';
import { appDataDir } from '../vscode-files.ts';

export const zed: ClientDefinition = {
  ...noHooks(documented('Zed has no hooks')),
  id: 'zed', name: 'Zed', aliases: [], vendor: 'Zed Industries',
  seenOn: documented('documents and issue reports; not run'),
  binaries: ['zed', 'zeditor'],
  installPaths: () => [],
  apps: ['Zed.app'],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, home, project } = context;
    const plain = joinPath(platform, home, '.config', 'zed', 'settings.json');
    const places = platform === 'darwin' ? [plain, joinPath(platform, appDataDir(context), 'Zed', 'settings.json')] : [joinPath(platform, appDataDir(context), platform === 'win32' ? 'Zed' : 'zed', 'settings.json')];
    const { path: mcp, diagnostics } = chosenPlace(context, zed, places);
    return { diagnostics: places.length > 1 ? diagnostics : [], paths: { dir: dirOf(platform, mcp), mcp, projectMcp: joinPath(platform, project, '.zed', 'settings.json') } };
  },
  files: serverFiles('json', JSONC),
  mcp: plainServers({ key: 'context_servers' }),
  afterApply: [],
  gaps: [
    BUILT_IN_TOOLS,
    documented('older versions want "source": "custom" in an entry'),
    unknown('whether the settings on macOS stand in ~/.config/zed or in ~/Library/Application Support/Zed: the one that exists is taken'),
    unknown('how a BOM is read: it is refused'),
  ],
};
