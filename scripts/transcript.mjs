// Puts real output between the transcript marks: of the demonstration in README.md, of a service behind an OpenAPI document in
// docs/openapi.md. With --check: only compares.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** What differs from run to run: the ids of runs. */
export function stable(text) {
  return text.replace(/run \d{8}T\d{9}Z-[0-9a-f]{8}/g, 'run 20261130T120000000Z-1a2b3c4d');
}

export function demonstration() {
  const home = mkdtempSync(join(tmpdir(), 'praetorctl-transcript-'));
  try {
    const run = spawnSync(process.execPath, [join(root, 'bin/praetorctl'), 'start', '--demo', '--client', 'claude,codex'], { env: { PATH: '/usr/bin:/bin', HOME: home }, encoding: 'utf8' });
    if (run.status !== 0) throw new Error(`the demonstration failed: ${run.stderr}`);
    return stable(run.stdout).trimEnd();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const NOTES = {
  openapi: '3.1.0', info: { title: 'Notes', version: '1.2.0' }, servers: [{ url: 'https://notes.example.test/api' }], security: [{ token: [] }],
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/notes/{id}': {
      get: { operationId: 'get_note', summary: 'One note', parameters: [{ in: 'path', name: 'id', required: true, schema: { type: 'string' } }] },
      delete: { operationId: 'delete_note', summary: 'Deletes a note', parameters: [{ in: 'path', name: 'id', required: true, schema: { type: 'string' } }] },
    },
    '/notes': { post: { operationId: 'create_note', summary: 'A new note', parameters: [{ in: 'header', name: 'Idempotency-Key', required: true, schema: { type: 'string' } }], requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } } } } } },
  },
};
const CALLS = [['delete_note', { id: '7' }], ['delete_note', { id: '7', dry_run: true }], ['create_note', { text: 'hello' }], ['create_note', { text: 'hello', idempotency_key: 'k-1', dry_run: true }]];

/** From the document to calls that are refused or planned; nothing is sent. */
export function openapi() {
  const home = mkdtempSync(join(tmpdir(), 'praetorctl-transcript-'));
  try {
    writeFileSync(join(home, 'notes.json'), JSON.stringify(NOTES));
    const env = { PATH: '/usr/bin:/bin', HOME: home, NOTES_AUTHORIZATION: 'Bearer not-a-token' };
    const run = (words, input) => {
      const ran = spawnSync(process.execPath, [join(root, 'bin/praetorctl'), ...words], { env, cwd: home, encoding: 'utf8', input });
      if (ran.status !== 0) throw new Error(`praetorctl ${words.join(' ')}: ${ran.stderr}`);
      return ran.stdout.replaceAll(home, '~').replaceAll(`node ${join(root, 'bin/praetorctl')}`, 'praetorctl').trimEnd();
    };
    const shown = [['import', 'notes', '--openapi', 'notes.json'], ['review', 'notes'], ['approve', 'notes', '--all', '--yes']].map((words) => `$ praetorctl contract ${words.join(' ')}\n${run(['contract', ...words])}`);
    const lines = [['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'transcript', version: '1' } }], ...CALLS.map(([name, given]) => ['tools/call', { name, arguments: given }])];
    const said = run(['mcp', 'notes'], `${lines.map(([method, params], id) => JSON.stringify({ jsonrpc: '2.0', id, method, params })).join('\n')}\n`);
    const texts = new Map(said.split('\n').map((line) => JSON.parse(line)).map(({ id, result }) => [id, result?.content?.[0]?.text]));
    const calls = CALLS.map(([name, given], i) => `> ${name} ${JSON.stringify(given)}\n${texts.get(i + 1)}`);
    return [...shown, `$ praetorctl mcp notes\n${calls.join('\n')}`].join('\n\n');
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

export function between(page, text) {
  const [head, rest] = page.split('<!-- transcript:start -->');
  return `${head}<!-- transcript:start -->\n\`\`\`console\n${text}\n\`\`\`\n<!-- transcript:end -->${rest.split('<!-- transcript:end -->')[1]}`;
}

export function withTranscript(readme, text) {
  const shown = text.slice(text.indexOf('$ '));
  return between(readme, shown.slice(0, shown.indexOf('\nThat was the whole job')).trimEnd());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, made] of [['README.md', (page) => withTranscript(page, demonstration())], ['docs/openapi.md', (page) => between(page, openapi())]]) {
    const path = join(root, name);
    const before = readFileSync(path, 'utf8');
    const after = made(before);
    if (before === after) continue;
    if (process.argv.includes('--check')) {
      console.error(`${name}: the transcript is out of date (npm run docs)`);
      process.exitCode = 1;
    } else writeFileSync(path, after);
  }
}
