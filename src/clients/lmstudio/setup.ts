// Contract: LM Studio's row. Documented only: the app could not be run here. PURE.
import type { ClientDefinition } from '../../model/client.ts';
import { dirOf, joinPath } from '../../roots/paths.ts';
import { documented, unknown } from '../facts.ts';
import { BUILT_IN_TOOLS, chosenPlace, noHooks, plainServers, serverFiles, STRICT_JSON } from '../mcp-only.ts';

export const lmstudio: ClientDefinition = {
  ...noHooks(documented('LM Studio has no hooks')),
  id: 'lmstudio', name: 'LM Studio', aliases: ['lm-studio'], vendor: 'Element Labs',
  seenOn: documented('documents and issue reports; not run'),
  binaries: ['lms'],
  installPaths: () => [],
  apps: ['LM Studio.app'],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, home } = context;
    const places = [joinPath(platform, home, '.lmstudio', 'mcp.json'), joinPath(platform, home, '.cache', 'lm-studio', 'mcp.json')];
    const { path: mcp, diagnostics } = chosenPlace(context, lmstudio, places);
    return { diagnostics, paths: { dir: dirOf(platform, mcp), mcp } };
  },
  files: serverFiles('json', STRICT_JSON),
  mcp: plainServers({ key: 'mcpServers' }),
  afterApply: [],
  gaps: [
    BUILT_IN_TOOLS,
    documented('an issue report names ~/.cache/lm-studio instead of ~/.lmstudio: the one that exists is taken'),
    unknown('how comments, a BOM or trailing commas are read: strict JSON is assumed'),
  ],
};
