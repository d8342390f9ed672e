// Contract: Kilo's dialect: the documents and answers of our plugin (opencode-form.ts). PURE. Measured on 7.7.9.
import { pluginDialect } from '../opencode-form.ts';

export const kiloDialect = pluginDialect({
  id: 'kilo',
  aliases: ['kilocode'],
  // Its actions `start` and `monitor` run a command, `list`, `status`, `logs`, `stop` and `restart` have none.
  sometimesShell: ['background_process'],
  guarded: [
    { path: '.config/kilo/plugin/praetorctl.js', level: 'hooks' },
    { path: '.kilo/plugin/praetorctl.js', level: 'hooks' },
    { path: '.config/kilo/kilo.jsonc', level: 'shared' },
  ],
});
