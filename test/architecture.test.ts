// Replays every machine-checkable clause of docs/adr/*.md against the tree, and holds the size limits.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve, dirname } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { CLIENTS } from '../src/clients/registry.ts';

const root = resolve(__dirname, '..');

function filesBelow(dir: string): string[] {
  return readdirSync(join(root, dir), { withFileTypes: true }).flatMap((entry) => {
    const path = `${dir}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const sources = filesBelow('src').filter((path) => path.endsWith('.ts'));
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

function importsOf(path: string): string[] {
  return [...textOf(path).matchAll(/^\s*(?:import|export)\s[^'"]*?from\s+'([^']+)'|^\s*import\s+'([^']+)'|import\('([^']+)'\)/gm)].map((m) => m[1] ?? m[2] ?? m[3] ?? '');
}

/** The room of a source file: its directory below src, or the file's own name. */
function roomOf(path: string): string {
  const parts = path.split('/');
  return parts.length === 2 ? (parts[1] ?? '').replace(/\.ts$/, '') : (parts[1] ?? '');
}

function localTarget(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? relative(root, resolve(root, dirname(from), specifier)) : undefined;
}

/** `code` is also a kind of text in the policy. */
const NAMES = CLIENTS.flatMap(({ id, aliases }) => [id, ...aliases]).filter((name) => name !== 'code');

interface Clause {
  id: string; kind: string; in?: string; except?: string[]; modules?: string[]; pattern?: string; order?: string[];
  paths?: string[]; metafile?: string; packages?: string[]; builtins?: string[]; 'max-bytes'?: number;
}

const clauses: { adr: string; clause: Clause }[] = readdirSync(join(root, 'docs/adr')).filter((n) => n.endsWith('.md')).flatMap((adr) =>
  [...textOf(`docs/adr/${adr}`).matchAll(/```adr-clause\n([\s\S]*?)```/g)].map((m) => ({ adr, clause: parse(m[1] ?? '') as Clause })));

const scope = (clause: Clause): string[] => sources.filter((path) => path.startsWith(clause.in ?? 'src/') && !(clause.except ?? []).some((e) => path.startsWith(e)));

function violations(clause: Clause): string[] {
  switch (clause.kind) {
    case 'forbidden-import':
      return scope(clause).flatMap((path) => importsOf(path).filter((s) => (clause.modules ?? []).some((m) => s === m || (/[:/]$/.test(m) && s.startsWith(m)))).map((s) => `${path} imports ${s}`));
    case 'forbidden-text': {
      const pattern = new RegExp((clause.pattern ?? '').replace('<client>', `(?:${NAMES.join('|')})`));
      return scope(clause).flatMap((path) => textOf(path).split('\n').flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1}`] : [])));
    }
    case 'forbidden-path':
      return (clause.paths ?? []).filter((path) => existsSync(join(root, path)));
    case 'floors': {
      const floor = (path: string): number => (clause.order ?? []).indexOf(roomOf(path));
      return sources.flatMap((path) => {
        if (floor(path) < 0) return [`${path} is in no room of the list`];
        return importsOf(path).flatMap((s) => {
          const target = localTarget(path, s);
          return target !== undefined && floor(target) > floor(path) ? [`${path} imports upwards: ${target}`] : [];
        });
      });
    }
    case 'bundle': {
      const meta = JSON.parse(textOf(clause.metafile ?? '')) as { inputs: Record<string, { imports: { path: string; external?: boolean }[] }>; outputs: Record<string, { bytes: number }> };
      const inputs = Object.keys(meta.inputs);
      const packages = inputs.filter((p) => p.includes('node_modules'));
      const builtins = Object.values(meta.inputs).flatMap((i) => i.imports.filter((x) => x.external === true).map((x) => x.path)).filter((p) => !(clause.builtins ?? []).includes(p) && !p.startsWith('.'));
      const big = Object.entries(meta.outputs).filter(([name, o]) => name.endsWith('.cjs') && o.bytes > (clause['max-bytes'] ?? Infinity)).map(([name]) => `${name} is too large`);
      return [...packages, ...builtins, ...big, ...(inputs.length === 0 ? ['the metafile is empty'] : [])];
    }
    default:
      return [`unknown kind ${clause.kind}`];
  }
}

describe('decisions hold', () => {
  it('finds clauses and sources at all', () => {
    expect(clauses.length).toBeGreaterThan(7);
    expect(sources.length).toBeGreaterThan(30);
  });
  it.each(clauses.map(({ adr, clause }) => [adr, clause.id, clause] as const))('%s %s', (_adr, _id, clause) => {
    expect(violations(clause)).toEqual([]);
  });
  it('notices a violation of each textual kind', () => {
    expect(violations({ id: 'x', kind: 'forbidden-text', in: 'src/clients/', pattern: "id: '<client>'" }).length).toBeGreaterThan(15);
    expect(violations({ id: 'x', kind: 'forbidden-import', in: 'src/', modules: ['node:'], except: [] }).length).toBeGreaterThan(0);
    expect(violations({ id: 'x', kind: 'forbidden-text', in: 'src/', pattern: 'export function', except: [] }).length).toBeGreaterThan(0);
    expect(violations({ id: 'x', kind: 'forbidden-path', paths: ['package.json'] })).toEqual(['package.json']);
    expect(violations({ id: 'x', kind: 'floors', order: ['main', 'cli', 'model'] }).length).toBeGreaterThan(0);
  });
});

describe('sizes and manners', () => {
  it('no source file is longer than 400 lines', () => {
    expect(sources.filter((path) => textOf(path).split('\n').length > 401)).toEqual([]);
  });
  it('no file of the project names an absolute path of a developer machine or a download host', () => {
    const all = [...sources, ...filesBelow('test').filter((p) => /\.(ts|mjs)$/.test(p)), ...filesBelow('docs'), 'README.md', 'AGENTS.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'package.json', '.npmrc'].filter((p) => existsSync(join(root, p)));
    expect(all.filter((path) => textOf(path).includes(root + '/'))).toEqual([]);
    expect(textOf('package-lock.json')).not.toMatch(/"resolved": "http/);
  });
  it('every source file opens with its contract', () => {
    expect(sources.filter((path) => !/^\/\/ \S/.test(textOf(path)))).toEqual([]);
  });
});
