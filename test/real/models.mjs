// Contract: the product's scripted model servers, bundled from their sources, so that these scripts run on a Node that does
// not read TypeScript.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../..');
const MODELS = `
export { startModelServer } from './src/verify/models/server.ts';
export { anthropicMessages } from './src/verify/models/anthropic.ts';
export { openaiResponses } from './src/verify/models/responses.ts';
export { openaiChat } from './src/verify/models/chat.ts';
export { geminiGenerateContent } from './src/verify/models/generate-content.ts';
`;

async function load() {
  const temporary = mkdtempSync(join(tmpdir(), 'praetorctl-models-'));
  try {
    const outfile = join(temporary, 'models.mjs');
    await build({ stdin: { contents: MODELS, resolveDir: root, loader: 'ts' }, bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile, logLevel: 'error' });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

const models = await load();
const APIS = [models.anthropicMessages, models.openaiResponses, models.openaiChat, models.geminiGenerateContent];

/** Starts a model that plays `steps` ({tool, namespace?, input}) over the API of that id. */
export function startModel(api, steps) {
  const found = APIS.find(({ id }) => id === api);
  if (found === undefined) throw new Error(`no API ${api}`);
  return models.startModelServer({ api: found, script: { steps, ending: 'done' }, token: randomBytes(16).toString('hex') });
}
