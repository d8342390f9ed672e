// Contract: how each real client is installed, configured, redirected to a model on loopback and started without a person.
// Everything here was measured on the pinned version, on Linux.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

function put(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

const PROMPT = 'Do what the script says.';

const claude = {
  id: 'claude',
  packages: [`@anthropic-ai/claude-code-${process.platform}-${process.arch}@2.1.332`],
  // The platform's package holds the native program itself; the main package would ask for Node 22.
  binary: (modules) => join(modules, '@anthropic-ai', `claude-code-${process.platform}-${process.arch}`, 'claude'),
  api: 'anthropic-messages',
  hooksFile: '.claude/settings.json',
  files: ['.claude/settings.json', '.claude.json'],
  // The client adds its own state to this file, so only our parts of it can be compared.
  rewrites: ['.claude.json'],
  before: (home) => {
    put(join(home, '.claude/settings.json'), '{\n    "theme": "dark",\n    "permissions": {"allow": []}\n}\n');
    put(join(home, '.claude.json'), '{"numStartups": 3}\n');
  },
  environment: (url) => ({
    ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-not-a-key', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }),
  argv: () => ['-p', PROMPT, '--output-format', 'stream-json', '--verbose', '--allowedTools', 'Bash,mcp__lab__echo'],
  shell: (command) => ({ tool: 'Bash', input: { command } }),
  mcp: (text) => ({ tool: 'mcp__lab__echo', input: { text } }),
  mcpTool: 'mcp__lab__echo',
  // Typed into a tool call: the session's own id is there, and still it must not count.
  replay: '{"session_id":"%s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}',
  replaySession: '$CLAUDE_CODE_SESSION_ID',
};

const codex = {
  id: 'codex',
  packages: ['@openai/codex@0.171.0'],
  binary: (modules) => join(modules, '.bin', 'codex'),
  api: 'openai-responses',
  hooksFile: '.codex/hooks.json',
  files: ['.codex/hooks.json', '.codex/config.toml'],
  // The trust that a person gives is written here by the client.
  rewrites: ['.codex/config.toml'],
  before: (home, url) => put(join(home, '.codex/config.toml'), [
    '# the model of this test', 'model = "gpt-5"', 'model_provider = "loopback"', '', '[analytics]', 'enabled = false', '', '[model_providers.loopback]', 'name = "loopback"',
    `base_url = "${url}"`, 'wire_api = "responses"', 'env_key = "LOOPBACK_KEY"', 'request_max_retries = 0', 'stream_max_retries = 0', '',
  ].join('\n')),
  environment: () => ({ LOOPBACK_KEY: 'not-a-key' }),
  argv: ({ bypassTrust = false } = {}) => ['exec', '--dangerously-bypass-approvals-and-sandbox', ...(bypassTrust ? ['--dangerously-bypass-hook-trust'] : []), PROMPT],
  shell: (cmd) => ({ tool: 'exec_command', input: { cmd } }),
  mcp: (text) => ({ tool: 'echo', namespace: 'mcp__lab', input: { text } }),
  mcpTool: 'mcp__lab__echo',
  replay: '{"session_id":"%s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}',
  replaySession: '$CODEX_SESSION_ID',
};

const gemini = {
  id: 'gemini',
  packages: ['@google/gemini-cli@0.61.0'],
  binary: (modules) => join(modules, '.bin', 'gemini'),
  api: 'gemini-generate-content',
  hooksFile: '.gemini/settings.json',
  files: ['.gemini/settings.json'],
  rewrites: [],
  before: (home) => put(join(home, '.gemini/settings.json'), [
    '{', '  // the person\'s own comment', '  "security": { "auth": { "selectedType": "gemini-api-key" } },', '  "privacy": { "usageStatisticsEnabled": false },',
    '  "telemetry": { "enabled": false },', '  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false }', '}', '',
  ].join('\n')),
  environment: (url, { trusted = true } = {}) => ({ GEMINI_API_KEY: 'not-a-key', GOOGLE_GEMINI_BASE_URL: url, ...(trusted ? { GEMINI_CLI_TRUST_WORKSPACE: 'true' } : {}) }),
  argv: () => ['-p', PROMPT, '--yolo'],
  shell: (command) => ({ tool: 'run_shell_command', input: { command } }),
  mcp: (text) => ({ tool: 'mcp_lab_echo', input: { text } }),
  mcpTool: 'mcp_lab_echo',
  replay: '{"session_id":"%s","cwd":"/","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"ls"}}',
  replaySession: '${GEMINI_SESSION_ID:-none}',
};

const qwen = {
  id: 'qwen',
  noMcpProof: true,
  // The client asks for Node 22; this package holds the program itself, without an install script.
  packages: ['@qwen-code/qwen-code@0.24.4', `node-${process.platform}-${process.arch}@22.23.3`],
  binary: (modules) => join(modules, '@qwen-code', 'qwen-code', 'cli-entry.js'),
  node: (binary) => join(binary, '../../..', `node-${process.platform}-${process.arch}`, 'bin', 'node'),
  api: 'openai-chat-completions',
  hooksFile: '.qwen/settings.json',
  files: ['.qwen/settings.json'],
  rewrites: [],
  // Without `$version` the client would migrate the file at its first start.
  before: (home) => put(join(home, '.qwen/settings.json'), [
    '{', '    // the person\'s own comment', '    "$version": 4,', '    "security": {"auth": {"selectedType": "openai"}},', '    "privacy": {"usageStatisticsEnabled": false},',
    '    "telemetry": {"enabled": false},', '    "general": {"enableAutoUpdate": false}', '}', '',
  ].join('\n')),
  environment: (url) => ({ OPENAI_API_KEY: 'not-a-key', OPENAI_BASE_URL: url, OPENAI_MODEL: 'scripted' }),
  argv: () => ['-p', PROMPT, '--yolo'],
  shell: (command) => ({ tool: 'run_shell_command', input: { command, description: 'as the script says', is_background: false } }),
  mcp: (text) => ({ tool: 'mcp__lab__echo', input: { text } }),
  mcpTool: 'mcp__lab__echo',
  replay: '{"session_id":"%s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"run_shell_command","tool_input":{"command":"ls"}}',
  replaySession: '${QWEN_CODE_SESSION_ID:-none}',
};

const copilot = {
  id: 'copilot-cli',
  command: 'copilot',
  packages: ['@github/copilot@1.0.102'],
  binary: (modules) => join(modules, '@github', `copilot-${process.platform}-${process.arch}`, 'copilot'),
  api: 'openai-chat-completions',
  hooksFile: '.copilot/hooks/praetorctl.json',
  files: ['.copilot/hooks/praetorctl.json', '.copilot/mcp-config.json'],
  rewrites: [],
  before: (home) => put(join(home, '.copilot/mcp-config.json'), '{\n  // the person\'s own comment\n  "mcpServers": {}\n}\n'),
  environment: (url) => ({
    COPILOT_PROVIDER_BASE_URL: url, COPILOT_PROVIDER_API_KEY: 'not-a-key', COPILOT_MODEL: 'gpt-4.1', COPILOT_OFFLINE: 'true', COPILOT_AUTO_UPDATE: 'false',
  }),
  argv: () => ['-p', PROMPT, '--allow-all-tools', '--allow-all-paths'],
  shell: (command) => ({ tool: 'bash', input: { command, description: 'as the script says' } }),
  mcp: (text) => ({ tool: 'lab-echo', input: { text } }),
  mcpTool: 'lab-echo',
  replay: '{"sessionId":"%s","cwd":"/","timestamp":1,"toolName":"bash","toolArgs":{"command":"ls"}}',
  replaySession: '$COPILOT_AGENT_SESSION_ID',
};

const droid = {
  id: 'droid',
  packages: ['droid@0.215.0'],
  binary: (modules) => join(modules, '.bin', 'droid'),
  api: 'openai-chat-completions',
  hooksFile: '.factory/hooks.json',
  files: ['.factory/hooks.json', '.factory/mcp.json', '.factory/settings.json'],
  rewrites: [],
  before: (home, url) => put(join(home, '.factory/settings.json'), `${JSON.stringify({
    customModels: [{ model: 'scripted', displayName: 'scripted', baseUrl: url, apiKey: 'not-a-key', provider: 'generic-chat-completion-api', maxOutputTokens: 1024 }],
  }, null, 2)}\n`),
  environment: () => ({ FACTORY_API_KEY: 'not-a-key', FACTORY_AIRGAP_ENABLED: 'true', FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false', FACTORY_DISABLE_SETTINGS_PERSISTENCE: 'true' }),
  argv: () => ['exec', '--skip-permissions-unsafe', '-m', 'custom:scripted-0', PROMPT],
  shell: (command) => ({ tool: 'Execute', input: { command, summary: 'as the script says', riskLevel: 'low', riskLevelReason: 'none', timeout: 30 } }),
  noMcpProof: true,
  // Tools of MCP servers are on offer only after a search for them.
  beforeMcp: { tool: 'ToolSearch', input: { query: 'select:lab___echo', max_results: 5 } },
  mcp: (text) => ({ tool: 'lab___echo', input: { text } }),
  mcpTool: 'lab___echo',
  replay: '{"session_id":"%s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Execute","tool_input":{"command":"ls"}}',
  replaySession: 'known-to-the-model',
};

const opencode = {
  id: 'opencode',
  packages: ['opencode-ai@1.18.33', '@opencode-ai/plugin@1.18.33'],
  binary: (modules) => join(modules, `opencode-${process.platform}-${process.arch}`, 'bin', 'opencode'),
  api: 'openai-chat-completions',
  hooksFile: '.config/opencode/plugins/praetorctl.js',
  files: ['.config/opencode/plugins/praetorctl.js', '.config/opencode/opencode.json'],
  rewrites: [],
  environment: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' }),
  before: (home, url, binary) => {
    // Beside a plugin the client installs this package, and would wait for the network, unless the lock file already names it.
    const declared = { dependencies: { '@opencode-ai/plugin': '1.18.33' } };
    put(join(home, '.config/opencode/package.json'), `${JSON.stringify(declared)}\n`);
    put(join(home, '.config/opencode/package-lock.json'), `${JSON.stringify({ lockfileVersion: 3, packages: { '': declared } })}\n`);
    cpSync(join(binary, '../../../@opencode-ai/plugin'), join(home, '.config/opencode/node_modules/@opencode-ai/plugin'), { recursive: true });
    put(join(home, '.config/opencode/opencode.json'), `${JSON.stringify({
      $schema: 'https://opencode.ai/config.json', model: 'loopback/scripted', small_model: 'loopback/scripted', autoupdate: false, share: 'disabled',
      provider: { loopback: { npm: '@ai-sdk/openai-compatible', name: 'loopback', options: { baseURL: url, apiKey: 'not-a-key' }, models: { scripted: { name: 'scripted', tool_call: true } } } },
    }, null, 2)}\n`);
  },
  argv: () => ['run', PROMPT],
  shell: (command) => ({ tool: 'bash', input: { command, description: 'as the script says' } }),
  mcp: (text) => ({ tool: 'lab_echo', input: { text } }),
  mcpTool: 'lab_echo',
  replay: '{"tool":"bash","sessionID":"%s","callID":"x","args":{"command":"ls"},"directory":"/"}',
  replaySession: 'known-to-the-model',
};

const kilo = {
  id: 'kilo',
  // The main package of this version is not to be had, the platform's is, and holds the program itself.
  packages: [`@kilocode/cli-${process.platform}-${process.arch}@7.7.9`, '@kilocode/plugin@7.3.1'],
  binary: (modules) => join(modules, '@kilocode', `cli-${process.platform}-${process.arch}`, 'bin', 'kilo'),
  api: 'openai-chat-completions',
  hooksFile: '.config/kilo/plugin/praetorctl.js',
  files: ['.config/kilo/plugin/praetorctl.js', '.config/kilo/kilo.jsonc'],
  rewrites: [],
  environment: () => ({ KILO_DISABLE_AUTOUPDATE: '1', KILO_DISABLE_MODELS_FETCH: '1', KILO_DISABLE_LSP_DOWNLOAD: '1', KILO_DISABLE_SHARE: '1', KILO_NO_DAEMON: '1' }),
  before: (home, url, binary) => {
    const declared = { dependencies: { '@kilocode/plugin': '7.7.9' } };
    put(join(home, '.config/kilo/package.json'), `${JSON.stringify(declared)}\n`);
    put(join(home, '.config/kilo/package-lock.json'), `${JSON.stringify({ lockfileVersion: 3, packages: { '': declared } })}\n`);
    cpSync(join(binary, '../../../plugin'), join(home, '.config/kilo/node_modules/@kilocode/plugin'), { recursive: true });
    // Without this mark the first start allows every shell command in kilo.jsonc.
    put(join(home, '.config/kilo/.bash-permission-migrated'), '');
    put(join(home, '.config/kilo/kilo.jsonc'), [
      '{', '  // the person\'s own comment', '  "$schema": "https://app.kilo.ai/config.json",', '  "permission": { "bash": "allow" },',
      '  "model": "loopback/scripted",', '  "small_model": "loopback/scripted",', '  "autoupdate": false,', '  "share": "disabled",',
      `  "provider": ${JSON.stringify({ loopback: { npm: '@ai-sdk/openai-compatible', name: 'loopback', options: { baseURL: url, apiKey: 'not-a-key' }, models: { scripted: { name: 'scripted', tool_call: true } } } })}`,
      '}', '',
    ].join('\n'));
  },
  argv: () => ['run', '--auto', PROMPT],
  shell: (command) => ({ tool: 'bash', input: { command, description: 'as the script says' } }),
  mcp: (text) => ({ tool: 'lab_echo', input: { text } }),
  mcpTool: 'lab_echo',
  replay: '{"tool":"bash","sessionID":"%s","callID":"x","args":{"command":"ls"},"directory":"/"}',
  replaySession: 'known-to-the-model',
};

const cline = {
  id: 'cline',
  // The platform's package holds the program; the main package would bring four hundred megabytes of the client's own parts.
  packages: [`@cline/cli-${process.platform}-${process.arch}@3.0.65`],
  binary: (modules) => join(modules, '@cline', `cli-${process.platform}-${process.arch}`, 'bin', 'cline'),
  api: 'openai-chat-completions',
  hooksFile: '.cline/hooks/PreToolUse.js',
  files: ['.cline/hooks/PreToolUse.js', '.cline/hooks/TaskStart.js', '.cline/data/settings/cline_mcp_settings.json'],
  rewrites: [],
  // A refusal ends the task, so nothing can be asked of the model after it, and the model never hears why.
  endsAtDeny: true,
  noMcpProof: true,
  before: (home, url) => {
    put(join(home, '.cline/data/settings/providers.json'), `${JSON.stringify({
      version: 1, lastUsedProvider: 'openai-compatible', modes: {},
      providers: { 'openai-compatible': { settings: { provider: 'openai-compatible', apiKey: 'not-a-key', model: 'scripted', baseUrl: url }, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' } },
    }, null, 2)}\n`);
    put(join(home, '.cline/data/settings/cline_mcp_settings.json'), '{\n    "mcpServers": {}\n}\n');
  },
  environment: () => ({ CLINE_TELEMETRY_DISABLED: '1', CLINE_NO_AUTO_UPDATE: '1', DO_NOT_TRACK: '1' }),
  argv: () => [PROMPT],
  // The client leaves a hub in the background; its process is named in this file.
  left: '.cline/data/locks/hub/production.json',
  shell: (command) => ({ tool: 'run_commands', input: { commands: [command] } }),
  mcp: (text) => ({ tool: 'lab__echo', input: { text } }),
  mcpTool: 'lab__echo',
  replay: '{"taskId":"%s","workspaceRoots":["/"],"hookName":"tool_call","tool_call":{"id":"x","name":"run_commands","input":{"commands":["ls"]}}}',
  replaySession: 'known-to-the-model',
};

/** Older versions that people have, because npm picks them on Node 20: only their MCP servers are tried. */
const OLDER = [{ ...claude, label: 'claude-2.1.197', packages: [`@anthropic-ai/claude-code-${process.platform}-${process.arch}@2.1.197`] }];
/** Those with which a guarded MCP server is tried. */
export const WITH_SERVER = ['claude', 'codex', 'gemini'];

/** The slow ones first, so that none of them runs alone at the end. */
export const CLIENTS = [kilo, cline, opencode, qwen, claude, codex, gemini, copilot, droid];
export const ALL_VERSIONS = [...CLIENTS, ...OLDER];
