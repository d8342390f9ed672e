// Contract: Antigravity's set: a plugin directory of its own. Documented and third-party measured only: whether hooks of installed
// plugins run differs by version (no on 1.0.5 and 1.1.26, yes on 1.1.7, 1.4.12 and 1.5.0), so the user's hooks.json stays the first way. PURE.
import type { BundleSurface } from '../../model/bundle.ts';
import { describeBundle, guardedEntry, hooksDocument, jsonFile, pluginName, refusalGuide, subjectEvents } from '../bundle-kit.ts';

// Every MCP call arrives under one name, so the hook tells by ServerName whose it is and has no opinion on the others: `force_ask`
// where a person approves, and never an `allow`, which would approve other tools.
const MCP_CALLS = '^call_mcp_tool$|^mcp_';

export const agyBundle: BundleSurface = {
  files: (client, subject) => {
    const { service } = subject;
    const common = {
      // Other keys than these are not in the published schema; a version is not known here.
      'antigravity/plugin.json': jsonFile({ name: pluginName(subject), description: describeBundle(subject) }),
      'antigravity/hooks.json': jsonFile(hooksDocument(client, subjectEvents(client, subject, () => MCP_CALLS))),
    };
    if (service === undefined) return common;
    return {
      ...common,
      'antigravity/mcp_config.json': jsonFile({ [client.mcp.key]: { [service.id]: guardedEntry(client, service, false) } }),
      [`antigravity/rules/praetor-${service.id}.md`]: `${refusalGuide(service).join('\n')}\n`,
    };
  },
  install: ({ service }) => [
    'Not run by us; documents and third-party reports only. Whether hooks of an installed plugin run differs by version (no on 1.0.5 and 1.1.26, yes on 1.1.7, 1.4.12 and 1.5.0), and `agy plugin install` reports success either way.',
    service === undefined
      ? 'So `praetorctl clients apply --client agy`, which writes `~/.gemini/config/hooks.json`, stays the first way; the plugin is `antigravity/`: `agy plugin install DIR/antigravity`.'
      : 'So register the hook by `praetorctl clients apply --client agy`, or put `antigravity/hooks.json` into `~/.gemini/config/hooks.json`, `antigravity/mcp_config.json` into `~/.gemini/config/mcp_config.json` and the rule into `.agents/rules/` of a workspace. As a plugin: `agy plugin install DIR/antigravity`.',
    '', '`agy -p /hooks --output-format json` lists the hooks that are loaded; only a receipt shows that one ran.',
    ...(service === undefined || service.variables.length === 0 ? [] : ['', `The server is started with ${service.variables.map((name) => `\`${name}\``).join(', ')}: that Antigravity hands its environment on is not known, so give them in \`mcp_config.json\` if it does not.`]),
  ],
};
