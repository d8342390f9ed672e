// Contract: OpenCode's dialect: the documents and answers of our plugin (opencode-form.ts). PURE. Measured on 1.18.33.
import { pluginDialect } from '../opencode-form.ts';

export const opencodeDialect = pluginDialect({
  id: 'opencode',
  aliases: [],
  guarded: [
    { path: '.config/opencode/plugins/praetorctl.js', level: 'hooks' },
    { path: '.opencode/plugins/praetorctl.js', level: 'hooks' },
    { path: '.config/opencode/opencode.json', level: 'shared' },
    { path: '.config/opencode/opencode.jsonc', level: 'shared' },
  ],
});
