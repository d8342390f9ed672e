// The merge of several documents: every key of the table, with every rule, in every order of layers; what a loosening says;
// digests that do not change; where each value comes from; and that a document alone means what it always meant.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toJSONSchema } from 'zod';
import { describe, expect, it } from 'vitest';
import { valueAt, type JsonObject, type JsonValue } from '../../src/model/json.ts';
import { WORKSPACE_KIND } from '../../src/settings/compile.ts';
import { PATTERNS_MAX, RULES_MAX } from '../../src/settings/command-policy.ts';
import { readDocument } from '../../src/settings/document.ts';
import { layerDocument, whereOf, type LayerDocument } from '../../src/settings/effective.ts';
import { digestOf, mergeLayers, type Merged } from '../../src/settings/layers.ts';
import { KEY_RULES, LAYERS, type KeyRule, type LayerName } from '../../src/settings/merge-rules.ts';
import { parseSettings, SETTINGS_KIND } from '../../src/settings/parse.ts';
import { settingsSchema } from '../../src/settings/schema.ts';
import { layerSchemas } from '../../scripts/settings-doc.ts';
import { repo } from '../support/cli.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Doc { readonly layer: LayerName; readonly text: string; readonly isOwn?: boolean; readonly path?: string }

function read({ layer, text, isOwn = false, path = `/op/${layer}.yaml` }: Doc): LayerDocument {
  const result = readDocument<unknown>(layer === 'workspace' ? WORKSPACE_KIND : SETTINGS_KIND, path, text);
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return layerDocument(path, result.document, layer, isOwn);
}

function merge(...docs: Doc[]): Merged {
  const result = mergeLayers(docs.map(read));
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics, null, 1));
  return result.merged;
}

const faults = (...docs: Doc[]): { code: string; at: string; message: string }[] => {
  const result = mergeLayers(docs.map(read));
  return result.ok ? [] : result.diagnostics.map(({ code, where, message }) => ({ code, at: `${where?.path ?? ''}:${where?.line ?? ''}`, message }));
};

/** One key in a document of its own, on lines that are not the first. */
function holding(key: readonly string[], value: JsonValue): string {
  return JSON.stringify(key.reduceRight<JsonValue>((inner, step) => ({ [step]: inner }), value), null, 1);
}

const NAMES: Readonly<Record<string, string>> = { '<client>': 'claude', '<pack>': 'infra', '<rule>': 'git.push.force', '<server>': 'notes' };
const concrete = (rule: KeyRule): string[] => rule.key.split('.').map((step) => NAMES[step] ?? step);

/** Values of keys whose rule has no steps. For `shorter` and `fewer` the weaker one first. */
const SAMPLES: Readonly<Record<string, readonly [JsonValue, JsonValue]>> = {
  'clients.selected': [{ claude: {} }, { codex: {} }],
  'clients.places.<client>': ['/a', '/b'],
  'clients.verified_max_age': ['7d', '36h'],
  'hooks.events': [['pre-tool'], ['stop', 'pre-tool']],
  'hooks.command_policy.deny': [['one'], [{ id: 'x', program: 'two' }, 'one']],
  'hooks.command_policy.ask': [['one'], ['two', 'one']],
  'hooks.command_policy.allow': [[{ program: 'a', reason: 'r' }], [{ program: 'b', reason: 'r' }]],
  'hooks.evaluators': [[{ id: 'a', events: ['stop'], run: { script: 'a' } }], [{ id: 'b', events: ['stop'], run: { script: 'b' } }]],
  'hooks.evidence.endpoint': ['https://a.test/v1', 'https://b.test/v1'],
  'hooks.evidence.repository': ['https://a.test/e.git', 'https://b.test/e.git'], 'hooks.evidence.key_file': ['/a', '/b'],
  'contract.human_evidence': [['hook', 'grant'], ['grant']],
  'update.channel': ['promoted', 'manual'], 'update.remote': ['https://a.test/x.git', 'https://b.test/x.git'], 'update.branch': ['main', 'next'],
  'update.interval': ['15m', '1h'], 'update.soak': ['0d', '3d'], 'update.auto_promote': ['off', 'verified'], 'update.pin': ['a'.repeat(40), 'b'.repeat(40)], 'update.max_age': ['7d', '2d'],
  'mcpServers.<server>': [{ command: 'a' }, { command: 'b' }],
};

/** Pairs of values: [weaker, stricter] where the rule is `tighten`. */
function pairs(rule: KeyRule): [JsonValue, JsonValue][] {
  const steps = rule.stricter;
  if (!Array.isArray(steps)) return [[...(SAMPLES[rule.key] ?? [])] as [JsonValue, JsonValue]];
  return (steps as JsonValue[][]).flatMap((weak, i) => (steps as JsonValue[][]).slice(i + 1).flatMap((strict) => weak.flatMap((a) => strict.map((b): [JsonValue, JsonValue] => [a, b]))));
}

/** The documents that can stand one behind the other: of the workstation there may be the operator's and the person's. */
const DOCUMENTS: readonly Omit<Doc, 'text'>[] = [
  { layer: 'fleet' }, { layer: 'organisation' }, { layer: 'workstation', path: '/op/host.yaml' }, { layer: 'workstation', isOwn: true, path: '/home/settings.yaml' }, { layer: 'workspace', path: '/w/.praetorctl/settings.yaml' },
];
const ordered = DOCUMENTS.flatMap((first, i) => DOCUMENTS.slice(i + 1).map((second) => [first, second] as const));
const named = (doc: Omit<Doc, 'text'>): string => doc.path ?? `/op/${doc.layer}.yaml`;

describe('the table', () => {
  const keyOf = (rule: KeyRule): string => rule.key.replace(/<[^>]*>/g, '<>');

  it('has exactly one rule for every key of the schema, and none for a key that does not exist', () => {
    const table = KEY_RULES.map(keyOf);
    expect(new Set(table).size).toBe(table.length);
    const met = new Set<string>();
    const missing: string[] = [];
    const walk = (node: JsonObject, path: string): void => {
      const at = path === '' ? '' : `${path}.`;
      if (table.includes(path)) met.add(path);
      if (table.includes(path) && !table.some((key) => key.startsWith(at))) return;
      const options = Array.isArray(node['anyOf']) ? node['anyOf'] as JsonObject[] : [node];
      const inner = options.flatMap((one): [string, JsonObject][] => [
        ...Object.entries((one['properties'] ?? {}) as Record<string, JsonObject>),
        ...(typeof one['additionalProperties'] === 'object' ? [['<>', one['additionalProperties'] as JsonObject] as [string, JsonObject]] : []),
      ]);
      if (inner.length === 0 && !table.includes(path) && node['type'] !== 'null') missing.push(path);
      for (const [name, one] of inner) walk(one, at + name);
    };
    walk(toJSONSchema(settingsSchema, { io: 'input' }) as JsonObject, '');
    expect(missing).toEqual([]);
    expect(table.filter((key) => !met.has(key))).toEqual([]);
  });

  it.each(KEY_RULES.map((rule) => [rule.key, rule] as const))('%s has two values to try', (_key, rule) => {
    expect(pairs(rule).length).toBeGreaterThan(0);
    for (const pair of pairs(rule)) for (const value of pair) expect(() => settingsSchema.parse(JSON.parse(holding(concrete(rule), value)))).not.toThrow();
  });
});

const cases = KEY_RULES.flatMap((rule) => pairs(rule).flatMap(([weak, strict]) => ordered.flatMap(([first, second]) => ([[weak, strict], [strict, weak], [strict, strict]] as const).map(([a, b]) => ({ rule, first, second, a, b, kind: a === b ? 'equal' : a === weak ? 'up' : 'down' })))));

describe('every key, every rule, every order of layers', () => {
  it('is enough to be worth its name', () => expect(cases.length).toBeGreaterThan(900));

  const holds = (rule: KeyRule, doc: Omit<Doc, 'text'>): boolean => rule.layers.includes(doc.layer);

  it.each(KEY_RULES.map((rule) => [rule.key, rule.merge, rule] as const))('%s: %s', (_key, _merge, rule) => {
    const key = concrete(rule);
    for (const { first, second, a, b, kind } of cases.filter((one) => one.rule === rule)) {
      const docs = [{ ...first, text: holding(key, a) }, { ...second, text: second.layer === 'workspace' && !holds(rule, second) ? '{}' : holding(key, b) }] as const;
      const label = `${named(first)} ${JSON.stringify(a)}, ${named(second)} ${JSON.stringify(b)}`;
      if (!holds(rule, first) || (!holds(rule, second) && docs[1].text !== '{}')) {
        // A layer that may not hold the key: the fault stands at its line and says whose it is.
        const alone = rule.aloneToo === true && second.layer === 'workspace' && first.isOwn === true;
        expect(faults(...docs).some(({ code, message }) => code === 'settings-invalid' && message.includes('belongs into')), label).toBe(!alone);
        continue;
      }
      if (docs[1].text === '{}') { expect(valueAt(merge(...docs).written, key), label).toEqual(a); continue; }
      const found = faults(...docs);
      const loosened = rule.merge === 'tighten' && kind === 'down';
      const differs = rule.merge === 'conflict' && kind !== 'equal';
      if (loosened || differs) {
        const [one] = found;
        expect(found.length, label).toBe(1);
        expect(one?.code, label).toBe(loosened ? 'settings-loosened' : 'settings-conflict');
        expect(one?.at, label).toMatch(new RegExp(`^${named(second)}:\\d+$`));
        expect(one?.message, label).toMatch(new RegExp(`the ${second.layer} settings .*the ${first.layer} settings \\(${named(first)}:\\d+\\)`));
        continue;
      }
      expect(found, label).toEqual([]);
      const merged = merge(...docs);
      const value = valueAt(merged.written, key);
      const from = merged.values.find((one) => one.rule === rule)?.from.map(({ document }) => document.path);
      const overruled = merged.values.find((one) => one.rule === rule)?.overruled.map(({ document }) => document.path);
      if (rule.merge === 'append') {
        const union = Array.isArray(a) ? [...a, ...(b as JsonValue[]).filter((item) => !a.some((old) => JSON.stringify(old) === JSON.stringify(item)))] : { ...(a as JsonObject), ...(b as JsonObject) };
        expect(value, label).toEqual(union);
        expect(from, label).toEqual([named(first), named(second)]);
      } else {
        expect(value, label).toEqual(b);
        expect(from, label).toEqual(kind === 'equal' ? [named(first), named(second)] : [named(second)]);
        expect(overruled, label).toEqual(kind === 'equal' ? [] : [named(first)]);
      }
    }
  });

  it('of three documents too: strictness only ever grows', () => {
    const three = DOCUMENTS.slice(0, 4).filter((_, i) => i !== 2);
    for (const rule of KEY_RULES.filter(({ merge: kind }) => kind === 'tighten')) {
      for (const [weak, strict] of pairs(rule)) {
        for (let n = 0; n < 27; n++) {
          const values = [n % 3, Math.floor(n / 3) % 3, Math.floor(n / 9)].map((digit) => [undefined, weak, strict][digit]);
          const given = values.flatMap((value, i) => (value === undefined ? [] : [{ ...three[i], text: holding(concrete(rule), value) } as Doc]));
          const seen = values.filter((value) => value !== undefined);
          const down = seen.some((value, i) => value === weak && seen.slice(0, i).includes(strict));
          const label = `${rule.key} ${JSON.stringify(values)}`;
          expect(faults(...given).map(({ code }) => code).filter((code, i, all) => all.indexOf(code) === i), label).toEqual(down ? ['settings-loosened'] : []);
          if (!down && seen.length > 0) expect(valueAt(merge(...given).written, concrete(rule)), label).toEqual(seen.includes(strict) ? strict : weak);
        }
      }
    }
  });
});

describe('the schemas for editors', () => {
  it('hold a key of the table exactly where a document of that layer may hold it', () => {
    for (const layer of LAYERS) {
      const schema = layerSchemas()[`schemas/${layer === 'workstation' ? 'settings' : `settings-${layer}`}.schema.json`] ?? {};
      for (const rule of KEY_RULES) {
        const steps = rule.key.split('.');
        const any = steps.findIndex((step) => step.startsWith('<'));
        const at = (any < 0 ? steps : steps.slice(0, any)).reduce<JsonValue | undefined>((node, step) => valueAt(node, ['properties', step]), schema);
        expect([layer, rule.key, at !== undefined]).toEqual([layer, rule.key, rule.layers.includes(layer) || (rule.aloneToo === true && layer === 'workstation')]);
      }
    }
  });
});

describe('a rule and its pack', () => {
  const policy = (text: string): string => `hooks:\n  command_policy: ${text}\n`;
  it('a later document cannot set a rule below its pack; the earlier document itself may', () => {
    const [one] = faults({ layer: 'fleet', text: policy('{ packs: { git-destructive: deny } }') }, { layer: 'workstation', isOwn: true, text: policy('{ rules: { git.push.force: ask } }') });
    expect(one).toMatchObject({ code: 'settings-loosened', at: '/op/workstation.yaml:2', message: expect.stringContaining('the pack git-destructive') });
    expect(one?.message).toContain('/op/fleet.yaml:2');
    expect(faults({ layer: 'fleet', text: policy('{ packs: { git-destructive: deny }, rules: { git.push.force: ask } }') }, { layer: 'workstation', text: policy('{ rules: { git.push.force: ask } }') })).toEqual([]);
    expect(faults({ layer: 'fleet', text: policy('{ packs: { git-destructive: ask } }') }, { layer: 'workstation', text: policy('{ rules: { git.push.force: deny } }') })).toEqual([]);
  });
  it('a built-in level is no layer: the first document may choose either way', () => {
    expect(faults({ layer: 'fleet', text: policy('{ rules: { git.push.force: off } }') })).toEqual([]);
    expect(faults({ layer: 'fleet', text: 'update: {}' }, { layer: 'workstation', isOwn: true, text: policy('{ rules: { git.push.force: off } }') })).toEqual([]);
  });
});

describe('what a layer may not say', () => {
  it.each<[string, LayerName, string, string]>([
    ['a place of one machine', 'fleet', 'clients:\n  places: { trae: /x }\n', 'clients.places.trae: belongs into the workstation settings, not into the fleet settings'],
    ['an exception outside the fleet', 'organisation', 'hooks:\n  command_policy:\n    allow: [{ program: a, reason: r }]\n', 'belongs into the fleet settings'],
    ['an absolute script', 'fleet', 'hooks:\n  evaluators: [{ id: a, events: [stop], run: { script: /opt/x } }]\n', 'hooks.evaluators[0].run.script: names a place of one machine'],
    ['an absolute interpreter of Windows', 'fleet', 'hooks:\n  evaluators: [{ id: a, events: [stop], run: { script: x, interpreter: ["C:\\\\py.exe"] } }]\n', 'run.interpreter[0]: names a place of one machine'],
    ['a variable', 'organisation', 'mcpServers:\n  a: { command: x, args: ["$HOME/x"] }\n', 'mcpServers.a.args[0]: must be literal'],
    ['a backtick', 'fleet', 'update: { branch: "a`b" }\n', 'update.branch: must be literal'],
    ['what a client expands', 'fleet', 'mcpServers:\n  a: { url: "https://x.test/{env:TOKEN}" }\n', 'mcpServers.a.url: must be literal'],
    ['a lower level of the protection of the guard', 'fleet', 'hooks:\n  command_policy:\n    packs: { self-protection: ask }\n', 'cannot lower what protects the guard itself'],
    ['a rule of that protection', 'fleet', 'hooks:\n  command_policy:\n    rules: { self.files: off }\n', 'cannot lower what protects the guard itself'],
  ])('%s', (_what, layer, text, expected) => {
    expect(faults({ layer, text }).map(({ message }) => message).join('\n')).toContain(expected);
  });

  it('the person may say all of it in a document that stands alone, and nothing else has changed for them', () => {
    const text = 'clients:\n  places: { trae: /x }\nhooks:\n  command_policy:\n    packs: { self-protection: ask }\n    allow: [{ program: a, reason: r }]\n  evaluators: [{ id: a, events: [stop], run: { script: /opt/x } }]\nmcpServers:\n  a: { command: /x, args: ["$HOME"] }\n';
    expect(faults({ layer: 'workstation', isOwn: true, text })).toEqual([]);
    expect(faults({ layer: 'fleet', text: 'update: {}' }, { layer: 'workstation', isOwn: true, text }).map(({ message }) => message.split(':')[0])).toEqual(['hooks.command_policy.allow']);
  });

  it('a variable in env stays possible: the client expands it, and nothing else does', () => {
    expect(faults({ layer: 'fleet', text: 'mcpServers:\n  a: { command: x, env: { T: "${T}" } }\n' })).toEqual([]);
  });
});

describe('lists', () => {
  it('the bound holds for all documents together, at the limit and one past it', () => {
    const rules = (n: number, at: number): string => JSON.stringify({ hooks: { command_policy: { deny: Array.from({ length: n }, (_, i) => ({ program: `p${at + i}` })) } } });
    expect(faults({ layer: 'fleet', text: rules(RULES_MAX - 5, 0) }, { layer: 'workstation', isOwn: true, text: rules(5, RULES_MAX) })).toEqual([]);
    expect(faults({ layer: 'fleet', text: rules(RULES_MAX - 5, 0) }, { layer: 'workstation', isOwn: true, text: rules(6, RULES_MAX) })[0]?.message).toContain(`more than ${RULES_MAX}`);
    expect(PATTERNS_MAX).toBe(64);
  });
  it('an evaluator of the same id with another content is a conflict; the same one is one', () => {
    const evaluator = (script: string): string => `hooks:\n  evaluators: [{ id: a, events: [stop], run: { script: ${script} } }]\n`;
    expect(faults({ layer: 'fleet', text: evaluator('x') }, { layer: 'workstation', text: evaluator('y') })[0]).toMatchObject({ code: 'settings-conflict', message: expect.stringContaining('/op/fleet.yaml:2') });
    expect(merge({ layer: 'fleet', text: evaluator('x') }, { layer: 'workstation', text: evaluator('x') }).settings.hooks.evaluators.length).toBe(1);
  });
  it('each item knows its document and line', () => {
    const merged = merge({ layer: 'fleet', text: 'hooks:\n  command_policy:\n    deny:\n      - one\n      - two\n' }, { layer: 'workstation', isOwn: true, path: '/home/settings.yaml', text: 'hooks:\n  command_policy:\n    deny:\n      - two\n      - three\n' });
    const at = (index: number): string => { const origin = merged.originOf(['hooks', 'command_policy', 'deny', index]); return origin === undefined ? '' : `${whereOf(origin).path}:${whereOf(origin).line}`; };
    expect([0, 1, 2].map(at)).toEqual(['/op/fleet.yaml:4', '/op/fleet.yaml:5', '/home/settings.yaml:5']);
  });
});

describe('digests', () => {
  const digest = (...docs: Doc[]): string => digestOf(merge(...docs), sha256);
  // Recorded state stays valid: a key that is added to the schema later must not change these.
  it.each([
    ['an empty document', '{}', '44136fa355b3678a'],
    ['a document of the first version', 'clients:\n  selected: { claude: , codex: }\n  verified_max_age: 7d\nhooks:\n  events: [pre-tool, session-start]\n  command_policy: { packs: { infra: ask }, deny: [{ id: tf, program: terraform }] }\nmcpServers:\n  notes: { command: notes-mcp }\n', '34d88c122ceb568f'],
  ])('%s keeps its digest', (_what, text, expected) => expect(digest({ layer: 'workstation', isOwn: true, text })).toBe(expected));

  it('order, comments and form do not count; a value, and naming a default, do', () => {
    const base = digest({ layer: 'fleet', text: 'update: { interval: 1h, soak: 2d }\nclients: { verified_max_age: 2d }\n' });
    expect(digest({ layer: 'fleet', text: '# x\nclients:\n  verified_max_age: "2d"\nupdate:\n  soak: 2d\n  interval: 1h\n' })).toBe(base);
    expect(digest({ layer: 'fleet', text: 'update: { interval: 1h }\n' }, { layer: 'organisation', text: 'update: { soak: 2d }\nclients: { verified_max_age: 2d }\nhooks: {}\n' })).toBe(base);
    expect(digest({ layer: 'fleet', text: 'update: { interval: 2h, soak: 2d }\nclients: { verified_max_age: 2d }\n' })).not.toBe(base);
    expect(digest({ layer: 'fleet', text: 'update: { interval: 1h, soak: 2d, channel: promoted }\nclients: { verified_max_age: 2d }\n' })).not.toBe(base);
  });
});

describe('a document alone', () => {
  it('means what its text means', () => {
    const yaml = /```yaml\n(clients:[\s\S]*?)```/.exec(readFileSync(join(repo, 'docs/settings.md'), 'utf8'))?.[1] ?? '';
    for (const text of [yaml, '', 'clients: { selected: {} }', 'mcpServers: {}', 'hooks: { command_policy: { deny: [a, a] } }']) {
      const parsed = parseSettings('/s', text);
      // `claude:` and `claude: {}` are the same.
      expect(parsed.ok && merge({ layer: 'workstation', isOwn: true, text }).settings, text).toEqual(parsed.ok ? JSON.parse(JSON.stringify(parsed.settings).replaceAll(':null', ':{}')) : undefined);
    }
    expect(yaml).toContain('mcpServers');
  });
});
