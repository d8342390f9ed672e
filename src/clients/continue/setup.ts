// Contract: Continue's row (`cn` and the editors' extension share the file). Its servers: measured on 1.5.47, Linux, where its hook engine
// never fired. The file is YAML that people write by hand; servers are a list. PURE.
import type { ClientDefinition } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import { overrideDir } from '../../roots/overrides.ts';
import { joinPath } from '../../roots/paths.ts';
import { documented, measuredOn, unknown } from '../facts.ts';
import { BUILT_IN_TOOLS, noHooks, plainServers, serverFiles } from '../mcp-only.ts';

// Comments are read; a file without keys is no configuration.
const YAML: Tolerance = { comments: true, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };

const measured = measuredOn('1.5.47');

export const continueCli: ClientDefinition = {
  ...noHooks(measured('the hook engine of cn is shipped, but no hook ran')),
  id: 'continue', name: 'Continue', aliases: ['cn'], vendor: 'Continue',
  seenOn: measured('cn 1.5.47 on Linux'),
  binaries: ['cn'],
  installPaths: () => [],
  extensions: ['continue.continue'],
  configMarks: ({ paths }) => [paths['dir'] ?? ''],
  roots: (context) => {
    const { platform, home, project } = context;
    const dir = overrideDir(context, 'continue', 'CONTINUE_GLOBAL_DIR') ?? joinPath(platform, home, '.continue');
    return { diagnostics: [], paths: { dir, mcp: joinPath(platform, dir, 'config.yaml'), projectMcp: joinPath(platform, project, '.continue', 'mcpServers', 'praetorctl.yaml') } };
  },
  files: serverFiles('yaml', YAML),
  mcp: {
    ...plainServers({ key: 'mcpServers', http: { type: 'streamable-http' }, refuse: (server) => (server.kind === 'http' && Object.keys(server.headers).length > 0 ? 'how its file says headers is not known' : undefined) }),
    list: true, preamble: { name: 'Local', version: '1.0.0', schema: 'v1' },
  },
  afterApply: [],
  launch: {
    pin: { option: '--config', path: 'mcp' },
    bypass: [
      { word: '--auto', does: measured('every tool runs without a question') },
      { word: '--config', does: documented('another configuration, with other servers') },
      { word: '--mcp', does: documented('a server more, which nobody guards') },
      { word: '--agent', does: documented('an agent file, which brings servers of its own') },
    ],
    open: 'its own tools (shell, files); a configuration that is chosen within the session',
  },
  gaps: [
    BUILT_IN_TOOLS,
    measured('the hook engine loads ~/.claude/settings.json and settings of its own, but no call fires it: 0 hook runs in cn -p --auto'),
    measured('it has no command that lists servers: that one of ours is read and called was seen in a session of cn -p'),
    measured('names of MCP tools reach the model without the server, so a call cannot be told from a call of another server by its name'),
    documented('its own permissions stand in ~/.continue/permissions.yaml and in --allow, --ask and --exclude, which are not written'),
    unknown('how the client writes its file when it changes it'),
  ],
};
