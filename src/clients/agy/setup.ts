// Contract: Antigravity's row (CLI `agy`, IDE, app). Documented and third-party measured only (1.0.x to 1.5.x): nothing here
// was run by us, so every fact is marked documented. PURE.
import type { ClientDefinition, HookEvent } from '../../model/client.ts';
import type { Tolerance } from '../../model/edit.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { joinPath } from '../../roots/paths.ts';
import { overrideDir } from '../../roots/overrides.ts';
import { documentedFor, unknown } from '../facts.ts';
import { hasReference, httpEntry, stdioEntry } from '../mcp-kit.ts';
import { commandHandler } from '../registration.ts';
import { sampleCommand } from '../sample.ts';
import { agyBundle } from './bundle.ts';
import { agyProbe } from './probe.ts';
import { AGY_SILENT, AGY_UNSEEN, arrays, GROUP, lint, switches } from './silent.ts';

// Strict JSON. For mcp_config.json a syntax error ends the client with exit 1; hooks.json is dropped in silence.
const STRICT: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };

// manage_task can type into a running command, so it needs the command policy too; MCP calls arrive as call_mcp_tool.
const GUARDED_TOOLS = '^(run_command|manage_task|write_to_file|replace_file_content|multi_replace_file_content|call_mcp_tool)$|^mcp_';
const TIMEOUT_SECONDS = 30;

const EVENTS: readonly HookEvent[] = [
  { canonical: 'pre-tool', native: 'PreToolUse', matcher: GUARDED_TOOLS, timeout: TIMEOUT_SECONDS },
  { canonical: 'post-tool', native: 'PostToolUse', matcher: GUARDED_TOOLS, timeout: TIMEOUT_SECONDS },
  {
    canonical: 'session-start', native: 'PreInvocation', timeout: TIMEOUT_SECONDS, flat: true,
    note: 'there is no reliable session event; PreInvocation fires before every model call and cannot block',
  },
  { canonical: 'stop', native: 'Stop', timeout: TIMEOUT_SECONDS, flat: true },
];

function unverified(client: string, variable: string): Diagnostic {
  return {
    code: 'unverified-root', severity: 'warning', client, message: `${variable} is honoured here, but no version of Antigravity was seen to honour it`,
    fix: `unset ${variable} if Antigravity does not find its hooks (agy -p /hooks --output-format json)`,
  };
}

const documented = documentedFor('1.0.x to 1.5.x, third-party reports');

export const agy: ClientDefinition = {
  id: 'agy', name: 'Antigravity', aliases: ['antigravity'], vendor: 'Google',
  seenOn: documented('documents and third-party measurements only'),
  binaries: ['agy'],
  installPaths: ({ platform, home, env }) => (platform === 'win32'
    ? [joinPath(platform, env['LOCALAPPDATA'] ?? joinPath(platform, home, 'AppData', 'Local'), 'agy', 'bin', 'agy.exe')]
    : [joinPath(platform, home, '.local', 'bin', 'agy')]),
  configMarks: ({ paths }) => [paths['config'] ?? '', paths['cli'] ?? '', paths['ide'] ?? '', paths['app'] ?? ''],
  roots: (context) => {
    const { platform, home, project } = context;
    const tree = overrideDir(context, 'agy', 'GEMINI_CONFIG_DIR');
    const own = overrideDir(context, 'agy', 'ANTIGRAVITY_CONFIG_DIR');
    const root = tree ?? joinPath(platform, home, '.gemini');
    const config = own ?? joinPath(platform, root, 'config');
    return {
      diagnostics: [...(tree === undefined ? [] : [unverified('agy', 'GEMINI_CONFIG_DIR')]), ...(own === undefined ? [] : [unverified('agy', 'ANTIGRAVITY_CONFIG_DIR')])],
      paths: {
        config, hooks: joinPath(platform, config, 'hooks.json'), mcp: joinPath(platform, config, 'mcp_config.json'),
        cli: joinPath(platform, root, 'antigravity-cli'), ide: joinPath(platform, root, 'antigravity-ide'), app: joinPath(platform, root, 'antigravity'),
        projectHooks: joinPath(platform, project, '.agents', 'hooks.json'), projectMcp: joinPath(platform, project, '.agents', 'mcp_config.json'),
      },
    };
  },
  files: ({ paths }, scope) => [
    { role: 'hooks', scope, path: (scope === 'user' ? paths['hooks'] : paths['projectHooks']) ?? '', format: 'json', tolerance: STRICT, secret: scope === 'user' },
    { role: 'mcp', scope, path: (scope === 'user' ? paths['mcp'] : paths['projectMcp']) ?? '', format: 'json', tolerance: STRICT, secret: scope === 'user' },
  ],
  hooks: {
    shape: 'named-groups', timeoutUnit: 's', events: EVENTS, positional: false,
    // Documented in the binary's own text.
    shells: { posix: ['sh'], win32: ['cmd'] },
    arrayPath: (native) => [GROUP, native],
    arrays,
    handler: commandHandler((event) => ({ timeout: event.timeout })),
  },
  mcp: {
    key: 'mcpServers', ownedKeys: ['command', 'args', 'env', 'serverUrl', 'headers'], toolNaming: 'call_mcp_tool with ServerName and ToolName',
    validName: (name) => /^[A-Za-z0-9_.-]+$/.test(name),
    entry: (server) => {
      if (server.kind === 'http') return { ok: true, entry: httpEntry(server, 'serverUrl') };
      if (Object.values(server.env).some(hasReference)) return { ok: false, why: 'Antigravity is not known to expand variables in env' };
      return { ok: true, entry: stdioEntry(server) };
    },
  },
  lint: (role, document) => (role === 'mcp' ? [] : lint(document)),
  evidenceFiles: () => [],
  switches, silent: AGY_SILENT, unseen: AGY_UNSEEN,
  managed: { none: unknown('its admin_settings.json comes through MDM for the enterprise gateway from 1.2.15 on, and whether hooks in it count is not known: register in each user\'s scope') },
  afterApply: [],
  sample: (kind, workspace) => {
    const command = sampleCommand(kind);
    return { command, payload: { conversationId: 'praetorctl-sample', workspacePaths: [workspace], stepIdx: 0, toolCall: { name: 'run_command', args: { CommandLine: command, Cwd: workspace, WaitMsBeforeAsync: 0 } } } };
  },
  verdicts: {
    deny: documented('one JSON document on exit 0 blocks the call; the turn goes on'),
    ask: documented('force_ask always prompts; without a terminal the call is refused'),
    neutral: documented('exit 0 and empty stdout on PreToolUse ({} would deny), {} on other events'),
    crash: documented('blocks the call from 1.2.3 on; older reports disagree'),
    timeout: documented('blocks the call from 1.2.3 on'),
    missingBinary: documented('blocks every guarded call'),
    denyEffect: 'call',
  },
  probe: agyProbe,
  bundle: agyBundle,
  prove: { unsupported: 'Antigravity documents no way to point it at another model endpoint' },
  gaps: [
    documented('tool calls of subagents pass no hook (1.2.16)'),
    documented('ask_question passes no hook'),
    documented('whether the IDE reads ~/.gemini/config/hooks.json or ~/.gemini/antigravity-ide/hooks.json is contradictory; only the former is written'),
  ],
};
