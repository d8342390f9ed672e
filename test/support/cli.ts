// Drives the real command line on real files in a temporary home; only the process border is in memory.
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll } from 'vitest';
import { realHost, type Host } from '../../src/host.ts';
import { runCli } from '../../src/cli/program.ts';
import type { CliIo } from '../../src/cli/output.ts';

export const repo = resolve(import.meta.dirname, '../..');
const homes: string[] = [];
afterAll(() => { for (const dir of homes.splice(0)) rmSync(dir, { recursive: true, force: true }); });

export interface World {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly env: Record<string, string>;
}

export interface WorldOptions {
  readonly fixture?: string;
  /** false: praetorctl does not resolve on PATH, so a launcher is planned. */
  readonly onPath?: boolean;
  readonly env?: Record<string, string>;
}

export function world(options: WorldOptions = {}): World {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'praetorctl-test-')));
  homes.push(root);
  const home = join(root, 'home');
  const project = join(root, 'project');
  const bin = join(root, 'bin');
  for (const dir of [home, project, bin]) mkdirSync(dir);
  if (options.fixture !== undefined) cpSync(join(repo, 'test/fixtures/homes', options.fixture), home, { recursive: true });
  if (options.onPath !== false) {
    writeFileSync(join(bin, 'praetorctl'), `#!/bin/sh\nexec '${process.execPath}' '${join(repo, 'bin/praetorctl')}' "$@"\n`);
    chmodSync(join(bin, 'praetorctl'), 0o755);
  }
  const env = {
    HOME: home, PATH: `${bin}:/usr/bin:/bin`, LANG: 'C.UTF-8',
    PRAETORCTL_STATE_DIR: join(root, 'state'), PRAETORCTL_CONFIG_DIR: join(root, 'config'), ...options.env,
  };
  return { root, home, project, env };
}

export interface Answer { readonly code: number; readonly out: string; readonly err: string; readonly json: Record<string, unknown> }

export interface CliOptions { readonly tty?: boolean; readonly outIsTty?: boolean; readonly columns?: number; readonly answer?: string; readonly host?: Host }

export async function cli(where: World, argv: readonly string[], options: CliOptions = {}): Promise<Answer> {
  let out = '';
  let err = '';
  const io: CliIo = {
    host: options.host ?? realHost({ env: where.env, cwd: where.project }),
    out: (text) => { out += text; }, err: (text) => { err += text; },
    outIsTty: options.outIsTty === true, columns: options.columns, errIsTty: options.tty === true, inIsTty: options.tty === true,
    ask: (question) => { err += question; return Promise.resolve(options.answer); },
    program: { node: process.execPath, script: join(repo, 'bin/praetorctl') },
  };
  const code = await runCli(argv, io);
  const json = argv.includes('--json') ? JSON.parse(out) as Record<string, unknown> : {};
  return { code, out, err, json };
}

/** Every path below a directory with kind, mode and content, for byte-exact comparison. */
export function tree(dir: string, prefix = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(dir).sort()) {
    const path = join(dir, name);
    const stat = lstatSync(path);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isDirectory()) {
      found[`${prefix}${name}/`] = `dir ${mode}`;
      Object.assign(found, tree(path, `${prefix}${name}/`));
    } else if (stat.isSymbolicLink()) found[prefix + name] = `link ${readlinkSync(path)}`;
    else found[prefix + name] = stat.isFile() ? `${mode} ${readFileSync(path).toString('base64')}` : 'special';
  }
  return found;
}

/** The names in a directory, as a root context lists them. */
export function dirNames(path: string): readonly string[] {
  return existsSync(path) ? readdirSync(path).sort() : [];
}

export function put(where: World, path: string, content: string | Uint8Array): string {
  const full = join(where.home, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
  return full;
}

export function get(where: World, path: string): string {
  return readFileSync(join(where.home, path), 'utf8');
}

export function settings(where: World, text: string): void {
  mkdirSync(join(where.root, 'config'), { recursive: true });
  writeFileSync(join(where.root, 'config', 'settings.yaml'), text);
}
