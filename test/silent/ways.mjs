// Contract: every known way to be silently off, as it can be built in a home: one list for the fixture test
// (test/silent/silent.test.ts), for the real clients (test/real/silent.mjs) and for the last column of docs/verify.md.
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const HOOK_FILES = {
  claude: '.claude/settings.json', codex: '.codex/hooks.json', gemini: '.gemini/settings.json', qwen: '.qwen/settings.json', agy: '.gemini/config/hooks.json',
  'copilot-cli': '.copilot/hooks/praetorctl.json', droid: '.factory/hooks.json', opencode: '.config/opencode/plugins/praetorctl.js',
  vscode: '.copilot/hooks/praetorctl-vscode.json', kiro: '.kiro/hooks/praetorctl.json', devin: '.config/devin/config.json', windsurf: '.codeium/windsurf/hooks.json',
  cline: '.cline/hooks/PreToolUse.js', cursor: '.cursor/hooks.json', kilo: '.config/kilo/plugin/praetorctl.js', kimi: '.kimi/config.toml',
  amp: '.config/amp/settings.json', auggie: '.augment/settings.json',
};
const PROJECT_FILES = { codex: '.codex/hooks.json', agy: '.agents/hooks.json' };

function keep(world, path) {
  if (!existsSync(path)) {
    world.undo.push(() => rmSync(path, { force: true }));
    return;
  }
  const before = readFileSync(path);
  const { mode } = statSync(path);
  world.undo.push(() => { mkdirSync(dirname(path), { recursive: true }); writeFileSync(path, before); chmodSync(path, mode & 0o777); });
}

function put(world, path, content) {
  keep(world, path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

const textOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
/** The fixtures' comment lines are lines of their own. */
const parse = (text) => (text.trim() === '' ? {} : JSON.parse(text.replace(/^\s*\/\/.*$/gm, '')));

/** Changes a JSON document: `change` may return another one. */
function json(world, path, change) {
  const document = parse(textOf(path));
  put(world, path, JSON.stringify(change(document) ?? document, null, 2));
}

const inHome = (...parts) => (world) => join(world.home, ...parts);
const inProject = (...parts) => (world) => join(world.project, ...parts);
const inSystem = (...parts) => (world) => join(world.system, ...parts);
const merged = (at, more) => (world) => json(world, at(world), (document) => ({ ...document, ...more }));
const added = (at, text) => (world) => put(world, at(world), `${textOf(at(world))}${text}`);
const hooksOf = (client) => (world) => join(world.home, HOOK_FILES[client]);
const changed = (client, change) => (world) => json(world, hooksOf(client)(world), change);
const bytes = (client, make) => (world) => put(world, hooksOf(client)(world), make(textOf(hooksOf(client)(world))));

/** Every object in the document whose command is ours for this event, with the group around it. */
function handlers(document, client, event = 'pre-tool') {
  const found = [];
  const visit = (value, parent) => {
    if (value === null || typeof value !== 'object') return;
    if (value.command === `praetorctl hook ${client} ${event}`) found.push({ handler: value, group: parent });
    for (const inner of Object.values(value)) if (Array.isArray(inner)) inner.forEach((item) => visit(item, value)); else visit(inner, value);
  };
  visit(document, undefined);
  return found;
}

/** Changes our hook for tool calls. */
const hook = (client, change) => changed(client, (document) => { for (const { handler, group } of handlers(document, client)) change(handler, group); });

const SYSTEM_ONLY = 'needs a file below a directory of the system';
const FLAG = 'shows only in a session with a flag of its own';
const SAME = 'the same switch in another layer';
const NOTHING = 'keeps nothing from running';
const NO_PROGRAM = 'the client cannot be had';
const DEPENDS = 'depends on the value';
const VERSION = 'not in the pinned version';

const claudeUser = inHome('.claude', 'settings.json');
const claude = [
  ['claude.disable-all-hooks', 'disableAllHooks of the user', 'off', merged(claudeUser, { disableAllHooks: true }), 'off'],
  ['claude.disable-all-hooks', 'disableAllHooks of the project', 'off', merged(inProject('.claude', 'settings.json'), { disableAllHooks: true }), 'off'],
  ['claude.disable-all-hooks', 'disableAllHooks in the local settings', 'off', merged(inProject('.claude', 'settings.local.json'), { disableAllHooks: true }), 'off'],
  ['claude.disable-all-hooks', 'disableAllHooks in managed settings', 'off', merged(inSystem('etc/claude-code/managed-settings.json'), { disableAllHooks: true }), SYSTEM_ONLY],
  ['claude.disable-all-hooks', 'disableAllHooks in a file of managed-settings.d', 'off', merged(inSystem('etc/claude-code/managed-settings.d/50-x.json'), { disableAllHooks: true }), SYSTEM_ONLY],
  ['claude.managed-hooks-only', 'allowManagedHooksOnly in managed settings', 'off', merged(inSystem('etc/claude-code/managed-settings.json'), { allowManagedHooksOnly: true }), SYSTEM_ONLY],
  ['claude.managed-hooks-only', 'allowManagedHooksOnly in a file of managed-settings.d', 'off', merged(inSystem('etc/claude-code/managed-settings.d/10-x.json'), { allowManagedHooksOnly: true }), SYSTEM_ONLY],
  ['claude.plugin-only', 'strictPluginOnlyCustomization in managed settings', 'off', merged(inSystem('etc/claude-code/managed-settings.json'), { strictPluginOnlyCustomization: ['hooks'] }), SYSTEM_ONLY],
  ['claude.simple-mode', 'CLAUDE_CODE_SIMPLE in the environment', 'off', undefined, 'off', { env: () => ({ CLAUDE_CODE_SIMPLE: '1' }) }],
  ['claude.simple-mode', 'CLAUDE_CODE_SIMPLE through env in the settings', 'off', merged(claudeUser, { env: { CLAUDE_CODE_SIMPLE: '1' } }), 'off'],
  ['claude.safe-mode', 'CLAUDE_CODE_SAFE_MODE in the environment', 'off', undefined, 'off', { env: () => ({ CLAUDE_CODE_SAFE_MODE: '1' }) }],
  ['claude.record-mode', 'record mode through env in the settings', 'off', (world) => json(world, claudeUser(world), (d) => ({ ...d, env: { PRAETORCTL_HOOK_RECORD_DIR: recordDir(world) } })), 'off'],
  ['claude.env-moves-hook', 'another PATH through env in the settings', 'doubt', merged(claudeUser, { env: { PATH: '/usr/bin:/bin' } }), 'closed'],
  ['claude.settings-ignored', 'model of a wrong type', 'drop', merged(claudeUser, { model: 5 }), 'off'],
  ...Object.entries({
    disableAllHooks: ['true', 1], permissions: [{ deny: 'x' }, { defaultMode: 'nope' }], env: ['x'], apiKeyHelper: [1], cleanupPeriodDays: ['x'], statusLine: ['x'],
    enabledPlugins: [[]], includeCoAuthoredBy: ['no'], sandbox: [1], outputStyle: [7], spinnerTipsEnabled: ['yes'], autoUpdatesChannel: ['nightly'],
  }).flatMap(([key, values]) => values.map((value) => ['claude.settings-ignored', `${key}: ${JSON.stringify(value)}`, 'drop', merged(claudeUser, { [key]: value }), 'off'])),
  ...['true', 1, ' YES ', 'on'].map((value) => ['claude.simple-mode', `CLAUDE_CODE_SIMPLE ${JSON.stringify(value)} through env in the settings`, 'off', merged(claudeUser, { env: { CLAUDE_CODE_SIMPLE: value } }), 'off']),
  ['claude.simple-mode', 'CLAUDE_CODE_SIMPLE=yes in the environment', 'off', undefined, 'off', { env: () => ({ CLAUDE_CODE_SIMPLE: 'yes' }) }],
  ['claude.safe-mode', 'CLAUDE_CODE_SAFE_MODE "on" through env in the settings', 'off', merged(claudeUser, { env: { CLAUDE_CODE_SAFE_MODE: 'on' } }), 'off'],
  ['claude.env-moves-hook', 'CLAUDE_CONFIG_DIR through env in the settings', 'doubt', merged(claudeUser, { env: { CLAUDE_CONFIG_DIR: '/nowhere' } }), DEPENDS],
  ['claude.env-moves-hook', 'CLAUDE_CODE_SHELL_PREFIX through env in the settings', 'doubt', merged(claudeUser, { env: { CLAUDE_CODE_SHELL_PREFIX: '/bin/true' } }), DEPENDS],
  ['claude.env-moves-hook', 'NODE_OPTIONS through env in the settings', 'doubt', merged(claudeUser, { env: { NODE_OPTIONS: '--require /nowhere.js' } }), DEPENDS],
  ['claude.settings-ignored', 'permissions of a wrong type', 'drop', merged(claudeUser, { permissions: 'x' }), SAME],
  ['claude.settings-ignored', 'a damaged entry of somebody else under PreToolUse', 'drop', changed('claude', (d) => { d.hooks.PreToolUse.push({ hooks: [{ type: 'zzz' }] }); }), 'off'],
  ['claude.settings-ignored', 'a damaged entry of somebody else under Stop', 'doubt', changed('claude', (d) => { d.hooks.Stop = [{ hooks: [{ type: 'zzz' }] }]; }), VERSION],
  ['file.invalid-document', 'settings that are cut off', 'unread', bytes('claude', (text) => text.slice(0, text.length / 2)), 'off'],
  ['file.client-rejects', 'a comment in the settings', 'unread', bytes('claude', (text) => `// a comment\n${text}`), 'off'],
  ['layer.invalid-document', 'local settings that are cut off', 'unread', (world) => put(world, join(world.project, '.claude/settings.local.json'), '{ "disableAllHooks": tr'), NOTHING],
  ['entry.matcher', 'a matcher that is too narrow', 'drift', hook('claude', (_h, group) => { group.matcher = 'bash'; }), 'off'],
  ['entry.condition', 'an if that never holds', 'drift', hook('claude', (handler) => { handler.if = 'Bash(zzz *)'; }), 'off'],
  ['entry.async', 'async', 'drift', hook('claude', (handler) => { handler.async = true; }), 'off'],
  ['entry.timeout', 'a timeout of next to nothing', 'drift', hook('claude', (handler) => { handler.timeout = 0.001; delete handler.onFailure; }), 'off'],
  ['entry.failure', 'onFailure taken away', 'drift', hook('claude', (handler) => { delete handler.onFailure; }), NOTHING],
  ['entry.missing', 'a command that somebody edited', 'drift', hook('claude', (handler) => { handler.command = 'true'; }), 'off'],
  ['entry.key', 'an exec form made of the command', 'drift', hook('claude', (handler) => { handler.args = []; delete handler.onFailure; }), 'off'],
  ['entry.command', 'the command with a path that leads nowhere', 'drift', hook('claude', (handler) => { handler.command = '/nowhere/praetorctl hook claude pre-tool'; }), 'closed'],
  ['entry.type', 'a type that asks a model instead', 'drift', hook('claude', (handler) => { handler.type = 'prompt'; handler.prompt = 'x'; }), SAME],
  ['entry.twice', 'our hook twice', 'drift', hook('claude', (handler, group) => { group.hooks.push({ ...handler }); }), NOTHING],
  ['entry.surplus', 'a hook of ours at a second event', 'drift', changed('claude', (d) => { d.hooks.Setup = d.hooks.PreToolUse; }), NOTHING],
  ['entry.gone', 'no hooks any more', 'drift', changed('claude', (d) => { delete d.hooks; }), 'off'],
  ['entrypoint.path', 'praetorctl not on PATH', 'missing', undefined, 'closed', { env: (world) => ({ PATH: withoutBin(world) }) }],
  ['entrypoint.not-executable', 'praetorctl may not be executed', 'missing', (world) => { keep(world, join(world.bin, 'praetorctl')); chmodSync(join(world.bin, 'praetorctl'), 0o644); }, 'closed'],
  ['root.moved', 'CLAUDE_CONFIG_DIR elsewhere', 'moved', (world) => mkdirSync(join(world.home, 'elsewhere'), { recursive: true }), 'off', { env: (world) => ({ CLAUDE_CONFIG_DIR: join(world.home, 'elsewhere') }) }],
  ['record.on', 'record mode in the environment', 'off', undefined, 'off', { env: (world) => ({ PRAETORCTL_HOOK_RECORD_DIR: recordDir(world) }) }],
];

/** A hook records only into a private directory; without one it judges. */
function recordDir(world) {
  const directory = join(world.home, 'recorded');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/** A PATH with every program of the world but praetorctl. */
function withoutBin(world) {
  const other = join(world.home, 'other-bin');
  mkdirSync(other, { recursive: true });
  for (const name of readdirSync(world.bin)) if (name !== 'praetorctl' && !existsSync(join(other, name))) symlinkSync(join(world.bin, name), join(other, name));
  return `${other}:/usr/bin:/bin`;
}

const codexConfig = inHome('.codex', 'config.toml');
/** One line or one inline table for each record of trust, as the client writes them. */
const trust = (change) => (world) => put(world, codexConfig(world), textOf(codexConfig(world)).replace(/(\n?)trusted_hash = "(sha256:[0-9a-f]+)"/g, (_all, line, hash) => `${line}${change(hash, line === '' ? ', ' : '\n')}`));
const trustedProject = (world) => `\n[projects."${world.project}"]\ntrust_level = "trusted"\n`;
const codex = [
  ['trust.untrusted', 'no record of trust', 'trust', trust(() => 'enabled = true'), 'off'],
  ['trust.untrusted', 'a group of somebody else before ours', 'trust', changed('codex', (d) => { d.hooks.PreToolUse.unshift({ hooks: [{ type: 'command', command: 'true' }] }); }), 'off'],
  ['trust.modified', 'a hash that is not that of the hook', 'trust', trust((hash) => `trusted_hash = "${hash.replace(/[0-9a-f]{8}$/, '00000000')}"`), 'off'],
  ['trust.disabled', 'disabled in the dialog', 'trust', trust((hash, next) => `trusted_hash = "${hash}"${next}enabled = false`), 'off'],
  ['codex.feature-off', 'features.hooks of the user', 'off', added(codexConfig, '\n[features]\nhooks = false\n'), 'off'],
  ['codex.feature-off', 'features.codex_hooks of the user', 'off', added(codexConfig, '\n[features]\ncodex_hooks = false\n'), 'off'],
  ['codex.feature-off', 'features.hooks of a trusted project', 'off', (world) => {
    put(world, join(world.project, '.codex/config.toml'), '[features]\nhooks = false\n');
    put(world, codexConfig(world), textOf(codexConfig(world)) + trustedProject(world));
  }, 'off'],
  ['codex.feature-off', 'features.hooks of a project that is not trusted', 'doubt', (world) => put(world, join(world.project, '.codex/config.toml'), '[features]\nhooks = false\n'), 'runs'],
  ['codex.feature-off', 'features.hooks of the system', 'off', added(inSystem('etc/codex/config.toml'), '[features]\nhooks = false\n'), SYSTEM_ONLY],
  ['codex.feature-off', 'features.hooks in the managed config', 'off', added(inSystem('etc/codex/managed_config.toml'), '[features]\nhooks = false\n'), SYSTEM_ONLY],
  ['codex.feature-off', 'features.hooks in the requirements', 'off', added(inSystem('etc/codex/requirements.toml'), '[features]\nhooks = false\n'), SYSTEM_ONLY],
  ['codex.managed-hooks-only', 'managed hooks only', 'off', added(inSystem('etc/codex/requirements.toml'), 'allow_managed_hooks_only = true\n'), SYSTEM_ONLY],
  ['codex.profile-feature-off', 'features.hooks of a profile', 'doubt', added(inHome('.codex', 'work.config.toml'), '[features]\nhooks = false\n'), FLAG],
  ['codex.feature-off-above', 'features.hooks of a directory above', 'doubt', (world) => put(world, join(dirname(world.project), '.codex/config.toml'), '[features]\nhooks = false\n'), SAME],
  ['codex.project-untrusted', 'a project that nobody trusted', 'off', (world) => put(world, codexConfig(world), textOf(codexConfig(world)).replace(/trust_level = "trusted"/, 'trust_level = "untrusted"')), 'a project registration', { scope: 'project' }],
  ['codex.hooks-file-dropped', 'an unknown key in hooks.json', 'drop', changed('codex', (d) => ({ ...d, version: 1 })), 'off'],
  ['codex.hooks-file-dropped', 'a handler of an unknown type', 'drop', changed('codex', (d) => { d.hooks.Stop = [{ hooks: [{ type: 'shell' }] }]; }), SAME],
  ['codex.hooks-file-dropped', 'an event that is an object', 'drop', changed('codex', (d) => { d.hooks.Stop = {}; }), 'off'],
  ['codex.hooks-file-dropped', 'an event that is a string', 'doubt', changed('codex', (d) => { d.hooks.Stop = 'x'; }), SAME],
  ['codex.hooks-file-dropped', 'a description that is a number', 'doubt', changed('codex', (d) => ({ ...d, description: 1 })), SAME],
  ['codex.hooks-file-dropped', 'a matcher that is a number', 'doubt', changed('codex', (d) => { d.hooks.Stop = [{ matcher: 1, hooks: [] }]; }), SAME],
  ...[{}, { command: 1 }, { command: 'true', timeout: -1 }, { command: 'true', async: 'no' }].map((more) => (
    ['codex.hooks-file-dropped', `a handler of somebody else with ${JSON.stringify(more)}`, 'doubt', changed('codex', (d) => { d.hooks.Stop = [{ hooks: [{ type: 'command', ...more }] }]; }), SAME])),
  ['codex.two-hook-sources', 'hooks in config.toml too', 'note', added(codexConfig, '\n[[hooks.PreToolUse]]\nmatcher = "Nothing"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "true"\n'), NOTHING],
  ['file.client-rejects', 'a byte order mark', 'unread', bytes('codex', (text) => `\ufeff${text}`), 'off'],
  ['file.invalid-document', 'hooks.json that is cut off', 'unread', bytes('codex', (text) => text.slice(0, text.length / 2)), SAME],
  ['layer.invalid-document', 'config.toml that is cut off', 'unread', added(codexConfig, '\n[features\n'), 'the client does not start'],
  ['entry.matcher', 'a matcher with the model\'s name of the tool', 'drift', hook('codex', (_h, group) => { group.matcher = 'exec_command'; }), 'off'],
  ['entry.async', 'async', 'drift', hook('codex', (handler) => { handler.async = true; }), 'off'],
  ['entrypoint.path', 'praetorctl not on PATH', 'missing', undefined, 'off', { env: (world) => ({ PATH: withoutBin(world) }) }],
  ['root.moved', 'CODEX_HOME elsewhere', 'moved', (world) => {
    mkdirSync(join(world.home, 'elsewhere'), { recursive: true });
    put(world, join(world.home, 'elsewhere/config.toml'), textOf(codexConfig(world)));
  }, 'off', { env: (world) => ({ CODEX_HOME: join(world.home, 'elsewhere') }) }],
  ['record.on', 'record mode in the environment', 'off', undefined, 'off', { env: (world) => ({ PRAETORCTL_HOOK_RECORD_DIR: recordDir(world) }) }],
];

const geminiProject = inProject('.gemini', 'settings.json');
const gemini = [
  ['gemini.hooks-off', 'hooksConfig.enabled of the user', 'off', merged(inHome('.gemini', 'settings.json'), { hooksConfig: { enabled: false } }), 'off'],
  ...['false', 0].map((enabled) => ['gemini.hooks-off', `hooksConfig.enabled of the user as ${JSON.stringify(enabled)}`, 'off', merged(inHome('.gemini', 'settings.json'), { hooksConfig: { enabled } }), 'off']),
  ['gemini.hooks-off', 'hooksConfig.enabled of the workspace', 'off', merged(geminiProject, { hooksConfig: { enabled: false } }), 'off'],
  ['gemini.hooks-off', 'hooksConfig.enabled of the system', 'off', merged(inSystem('etc/gemini-cli/settings.json'), { hooksConfig: { enabled: false } }), SYSTEM_ONLY],
  ['gemini.hooks-off', 'hooksConfig.enabled of the system defaults', 'off', (world) => put(world, join(world.home, 'defaults.json'), '{"hooksConfig": {"enabled": false}}'), 'refused below a directory that others may write', { env: (world) => ({ GEMINI_CLI_SYSTEM_DEFAULTS_PATH: join(world.home, 'defaults.json') }) }],
  ['gemini.hook-disabled', 'our command in a list of the workspace', 'off', merged(geminiProject, { hooksConfig: { disabled: ['praetorctl hook gemini pre-tool'] } }), 'off'],
  ['gemini.hooks-type', 'hooks that are no object', 'drift', merged(inHome('.gemini', 'settings.json'), { hooks: [] }), SAME],
  ['gemini.folder-untrusted', 'a folder that is marked as not trusted', 'off', (world) => put(world, join(world.home, '.gemini/trustedFolders.json'), JSON.stringify({ [world.project]: 'DO_NOT_TRUST' })), 'without a terminal the client stops with exit 55'],
  ['file.client-rejects', 'a byte order mark', 'unread', bytes('gemini', (text) => `\ufeff${text}`), 'the client does not start'],
  ['entry.matcher', 'a matcher that is another client\'s', 'drift', hook('gemini', (_h, group) => { group.matcher = 'Bash'; }), 'off'],
  ['entry.timeout', 'a timeout of one millisecond', 'drift', hook('gemini', (handler) => { handler.timeout = 1; }), 'off'],
  ['entry.missing', 'a command that somebody edited', 'drift', hook('gemini', (handler) => { handler.command = 'true'; }), 'off'],
  ['entrypoint.path', 'praetorctl not on PATH', 'missing', undefined, 'closed', { env: (world) => ({ PATH: withoutBin(world) }) }],
  ['root.moved', 'GEMINI_CLI_HOME elsewhere', 'moved', (world) => put(world, join(world.home, 'elsewhere/.gemini/settings.json'), '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'), 'off', { env: (world) => ({ GEMINI_CLI_HOME: join(world.home, 'elsewhere') }) }],
  ['record.on', 'record mode in the environment', 'off', undefined, 'off', { env: (world) => ({ PRAETORCTL_HOOK_RECORD_DIR: recordDir(world) }) }],
];

const qwen = [
  ['qwen.disable-all-hooks', 'disableAllHooks of the user', 'off', merged(inHome('.qwen', 'settings.json'), { disableAllHooks: true }), 'off'],
  ['qwen.disable-all-hooks', 'disableAllHooks of the user as a string', 'off', merged(inHome('.qwen', 'settings.json'), { disableAllHooks: 'true' }), 'off'],
  ['qwen.disable-all-hooks', 'disableAllHooks of the workspace', 'off', merged(inProject('.qwen', 'settings.json'), { $version: 4, disableAllHooks: true }), 'off'],
  ['qwen.disable-all-hooks', 'disableAllHooks of the system', 'off', (world) => put(world, join(world.home, 'system.json'), '{"$version": 4, "disableAllHooks": true}'), 'off', { env: (world) => ({ QWEN_CODE_SYSTEM_SETTINGS_PATH: join(world.home, 'system.json') }) }],
  ['qwen.disable-all-hooks', 'disableAllHooks of the system defaults', 'off', (world) => put(world, join(world.home, 'defaults.json'), '{"$version": 4, "disableAllHooks": true}'), 'off', { env: (world) => ({ QWEN_CODE_SYSTEM_DEFAULTS_PATH: join(world.home, 'defaults.json') }) }],
  ['qwen.hooks-type', 'hooks that are no object', 'drift', merged(inHome('.qwen', 'settings.json'), { hooks: [] }), SAME],
  ['qwen.folder-untrusted', 'a folder that is marked as not trusted', 'doubt', (world) => {
    json(world, join(world.home, '.qwen/settings.json'), (d) => ({ ...d, security: { ...d.security, folderTrust: { enabled: true } } }));
    put(world, join(world.home, '.qwen/trustedFolders.json'), JSON.stringify({ [world.project]: 'DO_NOT_TRUST' }));
  }, 'without a terminal the client refuses the tool first'],
  ['entry.matcher', 'a matcher in another case', 'drift', hook('qwen', (_h, group) => { group.matcher = '^RUN_SHELL_COMMAND$'; }), 'off'],
  ['entry.async', 'async', 'drift', hook('qwen', (handler) => { handler.async = true; }), 'off'],
  ['entry.timeout', 'a timeout of next to nothing', 'drift', hook('qwen', (handler) => { handler.timeout = 0.001; }), 'off'],
  ['entry.missing', 'a command that somebody edited', 'drift', hook('qwen', (handler) => { handler.command = 'true'; }), 'off'],
  ['layer.invalid-document', 'a workspace file that the client would replace', 'unread', (world) => put(world, join(world.project, '.qwen/settings.json'), '{ "hooks": '), NOTHING],
  ['entrypoint.path', 'praetorctl not on PATH', 'missing', undefined, 'off', { env: (world) => ({ PATH: withoutBin(world) }) }],
  ['root.moved', 'QWEN_HOME elsewhere', 'moved', (world) => put(world, join(world.home, 'elsewhere/settings.json'), '{"$version": 4, "security": {"auth": {"selectedType": "openai"}}}'), 'off', { env: (world) => ({ QWEN_HOME: join(world.home, 'elsewhere') }) }],
  ['record.on', 'record mode in the environment', 'off', undefined, 'off', { env: (world) => ({ PRAETORCTL_HOOK_RECORD_DIR: recordDir(world) }) }],
];

const agy = [
  ['agy.group-disabled', 'our group is disabled', 'off', changed('agy', (d) => { d.praetorctl.enabled = false; }), NO_PROGRAM],
  ['agy.group-disabled', 'our group is disabled in a project', 'off', (world) => json(world, join(world.project, PROJECT_FILES.agy), (d) => { d.praetorctl.enabled = false; }), NO_PROGRAM, { scope: 'project' }],
  ['agy.hooks-file-dropped', 'a named hook of somebody else that is no object', 'drop', changed('agy', (d) => ({ ...d, other: 5 })), NO_PROGRAM],
  ['agy.hooks-file-dropped', 'a top-level enabled', 'drop', changed('agy', (d) => ({ ...d, enabled: true })), NO_PROGRAM],
  ['agy.hooks-file-dropped', 'a group where a flat list belongs', 'drop', changed('agy', (d) => ({ ...d, other: { Stop: [{ hooks: [{ command: 'x' }] }] } })), NO_PROGRAM],
  ['agy.hooks-file-dropped', 'a type in another case', 'drop', changed('agy', (d) => ({ ...d, other: { Stop: [{ type: 'Command', command: 'x' }] } })), NO_PROGRAM],
  ['agy.hooks-file-dropped', 'a timeout that is no whole number', 'drop', changed('agy', (d) => ({ ...d, other: { Stop: [{ command: 'x', timeout: 1.5 }] } })), NO_PROGRAM],
  ['file.client-rejects', 'a comment', 'unread', bytes('agy', (text) => `// a comment\n${text}`), NO_PROGRAM],
  ['entry.matcher', 'a matcher that is another client\'s', 'drift', hook('agy', (_h, group) => { group.matcher = 'Bash'; }), NO_PROGRAM],
  ['root.moved', 'GEMINI_CONFIG_DIR elsewhere', 'moved', (world) => mkdirSync(join(world.home, 'elsewhere'), { recursive: true }), NO_PROGRAM, { env: (world) => ({ GEMINI_CONFIG_DIR: join(world.home, 'elsewhere') }) }],
];

const copilot = [
  ['copilot-cli.hooks-version', 'another version in our hooks file', 'drop', changed('copilot-cli', (d) => ({ ...d, version: 2 })), 'off'],
  ['copilot-cli.hooks-type', 'hooks that are no object', 'drift', changed('copilot-cli', (d) => ({ ...d, hooks: [] })), SAME],
  ['copilot-cli.hooks-file-disables', 'disableAllHooks in our hooks file', 'off', changed('copilot-cli', (d) => ({ ...d, disableAllHooks: true })), 'off'],
  ['copilot-cli.disable-all-hooks', 'disableAllHooks of the repository', 'doubt', merged(inProject('.github', 'copilot', 'settings.json'), { disableAllHooks: true }), 'in a folder that is not trusted the file is not read; with trust it was not tried'],
  ['file.client-rejects', 'a byte order mark', 'unread', bytes('copilot-cli', (text) => `\ufeff${text}`), 'off'],
  ['file.client-rejects', 'a comment', 'unread', bytes('copilot-cli', (text) => `// a comment\n${text}`), 'off'],
  ['entry.matcher', 'a matcher where there was none', 'drift', hook('copilot-cli', (handler) => { handler.matcher = 'nothing'; }), 'off'],
  ['entry.timeout', 'a timeout of next to nothing', 'drift', hook('copilot-cli', (handler) => { handler.timeoutSec = 0.001; }), 'off'],
  ['entry.missing', 'a command that somebody edited', 'drift', hook('copilot-cli', (handler) => { handler.command = 'true'; }), 'off'],
  ['entry.gone', 'our file is gone', 'drift', (world) => { keep(world, hooksOf('copilot-cli')(world)); rmSync(hooksOf('copilot-cli')(world)); }, 'off'],
  ['entrypoint.path', 'praetorctl not on PATH', 'missing', undefined, 'closed', { env: (world) => ({ PATH: withoutBin(world) }) }],
  ['root.moved', 'COPILOT_HOME elsewhere', 'moved', (world) => mkdirSync(join(world.home, 'elsewhere'), { recursive: true }), 'off', { env: (world) => ({ COPILOT_HOME: join(world.home, 'elsewhere') }) }],
  ['record.on', 'record mode in the environment', 'off', undefined, 'off', { env: (world) => ({ PRAETORCTL_HOOK_RECORD_DIR: recordDir(world) }) }],
];

const droid = [
  ['droid.wrapped-hooks', 'our hooks inside a wrapper', 'drift', changed('droid', (d) => ({ hooks: d })), 'off'],
  ['droid.hooks-disabled', 'hooksDisabled in the settings', 'doubt', merged(inHome('.factory', 'settings.json'), { hooksDisabled: true }), 'runs'],
  ['droid.settings-hooks-shadowed', 'the person\'s own hooks in settings.json', 'note', merged(inHome('.factory', 'settings.json'), { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] } }), NOTHING],
  ['file.client-rejects', 'a byte order mark', 'unread', bytes('droid', (text) => `\ufeff${text}`), 'off'],
  ['file.client-rejects', 'a trailing comma', 'unread', bytes('droid', (text) => text.replace(/\}\s*$/, ',}')), 'off'],
  ['entry.matcher', 'the documented matcher for MCP tools', 'drift', hook('droid', (_h, group) => { group.matcher = '^mcp__'; }), 'off'],
  ['entry.timeout', 'a timeout of next to nothing', 'drift', hook('droid', (handler) => { handler.timeout = 0.001; }), 'off'],
  ['entry.missing', 'a command that somebody edited', 'drift', hook('droid', (handler) => { handler.command = 'true'; }), 'off'],
  ['entrypoint.path', 'praetorctl not on PATH', 'missing', undefined, 'off', { env: (world) => ({ PATH: withoutBin(world) }) }],
  ['record.on', 'record mode in the environment', 'off', undefined, 'off', { env: (world) => ({ PRAETORCTL_HOOK_RECORD_DIR: recordDir(world) }) }],
];

const plugin = hooksOf('opencode');
const opencode = [
  ['opencode.pure', 'OPENCODE_PURE', 'off', undefined, 'off', { env: () => ({ OPENCODE_PURE: '1' }) }],
  ['opencode.project-config-off', 'OPENCODE_DISABLE_PROJECT_CONFIG', 'off', undefined, 'a project registration', { scope: 'project', env: () => ({ OPENCODE_DISABLE_PROJECT_CONFIG: '1' }) }],
  ['opencode.test-home', 'OPENCODE_TEST_HOME', 'doubt', undefined, 'a variable of the client\'s own tests', { env: (world) => ({ OPENCODE_TEST_HOME: join(world.home, 'elsewhere') }) }],
  ['entry.body', 'a plugin that cannot be loaded any more', 'drift', bytes('opencode', (text) => `${text}\nthis is no program;\n`), 'off'],
  ['entry.body', 'a plugin that lets everything pass', 'drift', bytes('opencode', (text) => text.replace('const reason = refusal(', 'const reason = undefined && refusal(')), 'off'],
  ['file.foreign-entry', 'somebody else\'s file in place of the plugin', 'unread', (world) => put(world, plugin(world), 'export const Other = async () => ({});\n'), 'off'],
  ['entry.gone', 'the plugin is gone', 'drift', (world) => { keep(world, plugin(world)); renameSync(plugin(world), `${plugin(world)}.off`); world.undo.push(() => rmSync(`${plugin(world)}.off`, { force: true })); }, 'off'],
  ['entrypoint.path', 'praetorctl not on PATH', 'missing', undefined, 'closed', { env: (world) => ({ PATH: withoutBin(world) }) }],
  ['root.moved', 'XDG_CONFIG_HOME elsewhere', 'moved', (world) => mkdirSync(join(world.home, 'elsewhere'), { recursive: true }), 'the model of the test stands in that directory', { env: (world) => ({ XDG_CONFIG_HOME: join(world.home, 'elsewhere') }) }],
  ['record.on', 'record mode in the environment', 'off', undefined, 'off', { env: (world) => ({ PRAETORCTL_HOOK_RECORD_DIR: recordDir(world) }) }],
];

const shim = hooksOf('cline');
/** Seen: a session after the first can reach the model of the one before, or none. */
const HUB = 'a background process of the session before keeps its own PATH and its own model';
const cline = [
  ['cline.link-ignored', 'a link in the place of the hook file', 'drop', (world) => {
    keep(world, shim(world));
    renameSync(shim(world), join(world.home, 'moved.js'));
    symlinkSync(join(world.home, 'moved.js'), shim(world));
    world.undo.push(() => rmSync(shim(world)));
  }, HUB],
  ['cline.runner-missing', 'node not on PATH', 'off', undefined, 'the PATH of the test holds node', { env: (world) => ({ PATH: world.bin }) }],
  ['entrypoint.path', 'praetorctl not on PATH', 'missing', undefined, HUB, { env: (world) => ({ PATH: withoutBin(world) }) }],
  ['entry.body', 'a hook file that lets everything pass', 'drift', bytes('cline', (text) => text.replace('cancel: true', 'cancel: false')), HUB],
  ['file.foreign-entry', 'somebody else\'s file in place of the hook file', 'unread', (world) => put(world, shim(world), 'process.exit(0);\n'), HUB],
];

const CLAUDE_TOO = merged(inHome('.claude', 'settings.json'), { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'praetorctl hook claude pre-tool' }] }] } });

const vscode = [
  ['vscode.hooks-type', 'hooks that are no object', 'drift', changed('vscode', (d) => ({ ...d, hooks: [] })), NO_PROGRAM],
  ['vscode.hooks-version', 'another version in our hooks file', 'doubt', changed('vscode', (d) => ({ ...d, version: 2 })), NO_PROGRAM],
  ['vscode.hooks-off', 'chat.useHooks of the user', 'doubt', merged(inHome('.config', 'Code', 'User', 'settings.json'), { 'chat.useHooks': false }), NO_PROGRAM],
  ['vscode.policy-hooks-off', 'ChatHooks false in the policies', 'doubt', merged(inSystem('etc/vscode/policy.json'), { ChatHooks: false }), NO_PROGRAM],
  ['vscode.hooks-off', 'our directory left out of the workspace', 'doubt', merged(inProject('.vscode', 'settings.json'), { 'chat.hookFilesLocations': { '~/.copilot/hooks': false } }), NO_PROGRAM],
  ['double.other-client', 'a registration for Claude Code that it runs too', 'note', CLAUDE_TOO, NO_PROGRAM],
];

const kiro = [['kiro.file-dropped', 'another version in our hooks file', 'doubt', changed('kiro', (d) => ({ ...d, version: 2 })), NO_PROGRAM]];
const devin = [
  ['devin.hooks-type', 'hooks that are no object', 'drift', changed('devin', (d) => ({ ...d, hooks: [] })), NO_PROGRAM],
  ['double.other-client', 'a registration for Claude Code that it runs too', 'note', CLAUDE_TOO, NO_PROGRAM],
];
const windsurf = [['windsurf.hooks-type', 'hooks that are no object', 'drift', changed('windsurf', (d) => ({ ...d, hooks: [] })), NO_PROGRAM]];

const cursor = [
  ['cursor.file-dropped', 'an event that is not documented', 'doubt', changed('cursor', (d) => { d.hooks.beforeZzz = [{ command: 'true' }]; }), NO_PROGRAM],
  ['cursor.file-dropped', 'another version in the hooks file', 'doubt', changed('cursor', (d) => ({ ...d, version: 2 })), NO_PROGRAM],
  ['cursor.file-dropped', 'hooks that are no object', 'drift', changed('cursor', (d) => ({ ...d, hooks: [] })), NO_PROGRAM],
  ['double.other-client', 'a registration for Claude Code that it runs too', 'note', CLAUDE_TOO, NO_PROGRAM],
  ['file.client-rejects', 'a comment', 'unread', bytes('cursor', (text) => `// a comment\n${text}`), NO_PROGRAM],
  ['entry.key', 'failClosed taken away', 'drift', changed('cursor', (d) => { delete d.hooks.beforeShellExecution[0].failClosed; }), NO_PROGRAM],
];

const kilo = [
  ['kilo.pure', 'KILO_PURE', 'off', undefined, 'off', { env: () => ({ KILO_PURE: '1' }) }],
  ['entrypoint.path', 'praetorctl not on PATH', 'missing', undefined, 'closed', { env: (world) => ({ PATH: withoutBin(world) }) }],
  ['entry.body', 'a plugin that lets everything pass', 'drift', bytes('kilo', (text) => text.replace('const reason = refusal(', 'const reason = undefined && refusal(')), 'off'],
  ['file.foreign-entry', 'somebody else\'s file in place of the plugin', 'unread', (world) => put(world, hooksOf('kilo')(world), 'export const Other = async () => ({});\n'), 'off'],
];

const kimi = [['kimi.hook-form', 'a hook of somebody else with another key', 'doubt', bytes('kimi', (text) => `${text}\n[[hooks]]\nevent = "Stop"\ncommand = "true"\nname = "x"\n`), NO_PROGRAM]];

const OFFLINE_ONLY = 'runs no session without a login';
const ruleFirst = (rule) => changed('amp', (d) => { d['amp.permissions'].unshift(rule); });
const amp = [
  ['amp.rules-invalid', 'an entry of somebody else that is no rule', 'off', changed('amp', (d) => { d['amp.permissions'].push({ tool: 'Bash', action: 'zzz' }); }), OFFLINE_ONLY],
  ['amp.rule-before-ours', 'a rule that allows everything before ours', 'off', ruleFirst({ tool: '*', action: 'allow' }), OFFLINE_ONLY],
  ['amp.rule-before-ours', 'a rule that allows some commands before ours', 'note', ruleFirst({ tool: 'Bash', matches: { cmd: 'ls*' }, action: 'allow' }), OFFLINE_ONLY],
  ['file.client-rejects', 'a byte order mark', 'unread', bytes('amp', (text) => `\ufeff${text}`), OFFLINE_ONLY],
];

const auggie = [
  ['auggie.hooks-ignored', 'a handler of somebody else of another type', 'off', changed('auggie', (d) => { d.hooks.PreToolUse.push({ hooks: [{ type: 'zzz' }] }); }), OFFLINE_ONLY],
  ['auggie.hooks-ignored', 'an event of another client\'s form', 'off', changed('auggie', (d) => { d.hooks.beforeShellExecution = [{ command: 'true' }]; }), OFFLINE_ONLY],
  ['auggie.hooks-ignored', 'hooks that are no object', 'drift', changed('auggie', (d) => ({ ...d, hooks: [] })), OFFLINE_ONLY],
  ['file.client-rejects', 'a byte order mark', 'unread', bytes('auggie', (text) => `\ufeff${text}`), OFFLINE_ONLY],
];

const LISTS = { claude, codex, gemini, qwen, agy, 'copilot-cli': copilot, droid, opencode, vscode, kiro, devin, windsurf, cline, cursor, kilo, kimi, amp, auggie };

export const WAYS = Object.entries(LISTS).flatMap(([client, ways]) => ways.map(([check, what, says, spoil, real, more = {}]) => ({ check, client, what, says, spoil, real, ...more })));
