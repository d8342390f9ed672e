// Contract: Claude Desktop's row. Documented only: the app could not be run here. PURE.
// The app writes its file from a store of its own and may drop entries; verify then says `drifted`, and nobody fights it.
import type { ClientDefinition, RootContext } from '../../model/client.ts';
import { isAbsolutePath, joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { hasReference, stdioEntry } from '../mcp-kit.ts';
import { noHooks, STRICT_JSON } from '../mcp-only.ts';
import { appDataDir } from '../vscode-files.ts';

/** The package of the official Windows installer; the app in it sees a directory of its own in place of %APPDATA%. */
const MSIX_PACKAGE = 'Claude_pzs8sxrjxfjjc';

function directory(context: RootContext): string {
  const { platform, env, home, dirExists } = context;
  const named = env['LOCALAPPDATA'] ?? '';
  const local = isAbsolutePath(platform, named) ? named : joinPath(platform, home, 'AppData', 'Local');
  const packaged = joinPath(platform, local, 'Packages', MSIX_PACKAGE);
  if (platform === 'win32' && dirExists(packaged)) return joinPath(platform, packaged, 'LocalCache', 'Roaming', 'Claude');
  return joinPath(platform, appDataDir(context), 'Claude');
}

export const claudeDesktop: ClientDefinition = {
  ...noHooks(documented('Claude Desktop has no hooks')),
  id: 'claude-desktop', name: 'Claude Desktop', aliases: [], vendor: 'Anthropic',
  seenOn: documented('the vendor\'s documents and issue reports; not run'),
  binaries: [],
  installPaths: () => [], apps: ['Claude.app'],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: (context) => {
    const dir = directory(context);
    return { diagnostics: [], paths: { dir, mcp: joinPath(context.platform, dir, 'claude_desktop_config.json') } };
  },
  files: ({ paths }, scope) => (scope === 'project' ? [] : [
    { role: 'mcp', scope, path: paths['mcp'] ?? '', format: 'json', tolerance: STRICT_JSON, secret: true },
  ]),
  mcp: {
    key: 'mcpServers', ownedKeys: ['command', 'args', 'env'], toolNaming: 'no hook names a tool',
    validName: (name) => /^[A-Za-z0-9_-]+$/.test(name),
    entry: (server) => {
      if (server.kind === 'http') return { ok: false, why: 'its file takes no remote server; connectors are set up in the app' };
      if (Object.values(server.env).some(hasReference)) return { ok: false, why: 'it is not documented that ${NAME} is replaced' };
      return { ok: true, entry: stdioEntry(server) };
    },
  },
  afterApply: ['quit Claude Desktop and start it again'],
  gaps: [
    documented('connectors that are set up in the vendor\'s cloud and extensions never pass a registered server'),
    documented('the app rewrites its file from a store of its own at start, login and update, and drops servers that it does not know: verify says drifted, and it is not written again without being asked'),
    documented('the Windows package reads a file below Packages\\Claude_pzs8sxrjxfjjc, which is used where that directory exists; "Edit config" of the app may open the other one'),
    unknown('how it behaves with comments, a BOM or trailing commas: strict JSON is assumed'),
  ],
};
