// Contract: Claude Code's bundle: a plugin whose root is the bundle's. Measured on 2.1.332: `plugin validate` passes and the hook
// fires from --plugin-dir and from a local marketplace (test/real/bundle.mjs). PURE.
import type { BundleSurface } from '../../model/bundle.ts';
import { BUNDLE_VERSION, describeBundle, guardedEntry, hooksDocument, jsonFile, namePattern, oneLine, pluginName, refusalGuide, subjectEvents } from '../bundle-kit.ts';

const pluginServer = (service: string): string => `plugin_${pluginName({ service: { id: service, title: '', variables: [] } })}_${service}`;

/** The client drops the plugin's server where one with the same command line is configured: then its tools have the server's own name. */
const ownCalls = (service: string): string => `^mcp__(${namePattern(pluginServer(service))}|${namePattern(service)})__`;

export const claudeBundle: BundleSurface = {
  files: (client, subject) => {
    const { service } = subject;
    const name = pluginName(subject);
    const common = {
      '.claude-plugin/plugin.json': jsonFile({ name, version: BUNDLE_VERSION, description: describeBundle(subject), author: { name: 'praetorctl' }, license: 'MIT' }),
      'hooks/hooks.json': jsonFile({ description: describeBundle(subject), ...hooksDocument(client, subjectEvents(client, subject, ownCalls)) }),
    };
    if (service === undefined) return common;
    return {
      ...common,
      // Servers of this client inherit its environment (measured).
      '.mcp.json': jsonFile({ [client.mcp.key]: { [service.id]: guardedEntry(client, service, false) } }),
      [`skills/${service.id}/SKILL.md`]: [
        '---', `name: ${service.id}`, `description: ${JSON.stringify(`How to use the tools of ${oneLine(service.title)}, and what to do when praetorctl refuses one of their calls.`)}`, '---', '',
        ...refusalGuide(service), '',
      ].join('\n'),
    };
  },
  bindings: (service) => [pluginServer(service)],
  install: (subject) => [
    '`claude plugin validate DIR` checks it. For one session: `claude --plugin-dir DIR`. To keep it, put it into a marketplace of yours and run `claude plugin install`.', '',
    `The directory itself is the plugin \`${pluginName(subject)}\`. A hook that is registered both here and by \`praetorctl clients apply\` runs once: the command is the same.`,
    '`praetorctl clients verify` looks at settings files only, so it does not call a plugin installed.',
  ],
};
