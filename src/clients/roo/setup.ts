// Contract: Roo Code's row, an extension of VS Code. Documented only: not run. PURE.
import type { ClientDefinition } from '../../model/client.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { BUILT_IN_TOOLS, noHooks, plainServers, serverFiles, STRICT_JSON } from '../mcp-only.ts';
import { codeUserDir } from '../vscode-files.ts';

export const roo: ClientDefinition = {
  ...noHooks(documented('Roo Code has no hooks')),
  id: 'roo', name: 'Roo Code', aliases: ['roo-code'], vendor: 'Roo Code',
  seenOn: documented('documents and issue reports; not run'),
  binaries: [],
  installPaths: () => [],
  extensions: ['rooveterinaryinc.roo-cline'],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, project } = context;
    const dir = joinPath(platform, codeUserDir(context), 'globalStorage', 'rooveterinaryinc.roo-cline');
    return { diagnostics: [], paths: { dir, mcp: joinPath(platform, dir, 'settings', 'mcp_settings.json'), projectMcp: joinPath(platform, project, '.roo', 'mcp.json') } };
  },
  files: serverFiles('json', STRICT_JSON),
  mcp: plainServers({ key: 'mcpServers', http: { type: 'streamable-http' } }),
  afterApply: [],
  gaps: [
    BUILT_IN_TOOLS,
    documented('a server that is disabled in the editor stays so: `disabled` and `alwaysAllow` of an entry are left alone'),
    unknown('how comments, a BOM or trailing commas are read: strict JSON is assumed'),
  ],
};
