// Contract: the row of Cline's extension in VS Code: its servers. Documented only: not run. The row of Cline CLI holds the hooks. PURE.
import type { ClientDefinition } from '../../model/client.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented } from '../facts.ts';
import { BUILT_IN_TOOLS, noHooks, plainServers, serverFiles, STRICT_JSON } from '../mcp-only.ts';
import { codeUserDir } from '../vscode-files.ts';

export const clineVscode: ClientDefinition = {
  ...noHooks(documented('the hook files of the extension must be switched on in its settings, and nothing of them was measured: none is registered')),
  id: 'cline-vscode', name: 'Cline in VS Code', aliases: ['cline-extension'], vendor: 'Cline Bot',
  seenOn: documented('documents and issue reports; not run'),
  binaries: [],
  installPaths: () => [],
  extensions: ['saoudrizwan.claude-dev'],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: (context) => {
    const { platform } = context;
    const dir = joinPath(platform, codeUserDir(context), 'globalStorage', 'saoudrizwan.claude-dev');
    return { diagnostics: [], paths: { dir, mcp: joinPath(platform, dir, 'settings', 'cline_mcp_settings.json') } };
  },
  files: serverFiles('json', STRICT_JSON),
  mcp: plainServers({ key: 'mcpServers', http: { type: 'streamableHttp' } }),
  afterApply: [],
  gaps: [
    BUILT_IN_TOOLS,
    documented('the extension runs hook files in Documents/Cline/Hooks once they are switched on; a crash and a timeout of 30 s run the tool'),
    documented('the file is strict JSON'),
  ],
};
