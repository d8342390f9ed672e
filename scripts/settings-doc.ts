// Contract: what is made from the table of merge rules: the table in docs/settings.md, and the schema of each layer's document for
// editors. PURE.
import { toJSONSchema } from 'zod';
import { isObject, type JsonObject } from '../src/model/json.ts';
import { WORKSPACE_KIND } from '../src/settings/compile.ts';
import { isAny, KEY_RULES, LAYERS, type KeyRule, type LayerName } from '../src/settings/merge-rules.ts';
import { ruleWords } from '../src/settings/provenance.ts';
import { settingsSchema } from '../src/settings/schema.ts';

const wordsOf = (rule: KeyRule): string => `${ruleWords(rule)}${rule.note === undefined ? '' : `; ${rule.note}`}`;
const mayHold = (rule: KeyRule, layer: LayerName): boolean => rule.layers.includes(layer) || (rule.aloneToo === true && layer === 'workstation');

function layersCell(rule: KeyRule): string {
  const layers = LAYERS.filter((layer) => rule.layers.includes(layer)).join(', ');
  return rule.aloneToo === true ? `${layers}; workstation, where your own document stands alone` : layers;
}

export function layersTable(): string {
  const rows = KEY_RULES.map((rule) => `| \`${rule.key}\` | ${wordsOf(rule)} | ${layersCell(rule)} |`);
  return ['| key | where several documents hold it | may stand in |', '|---|---|---|', ...rows].join('\n');
}

/** The nodes of a schema at a key of the table. */
function nodesAt(schema: JsonObject, steps: readonly string[]): JsonObject[] {
  return steps.reduce<JsonObject[]>((nodes, step) => nodes.flatMap((node) => partsOf(node).flatMap((part) => {
    const next = isAny(step) ? part['additionalProperties'] : isObject(part['properties']) ? part['properties'][step] : undefined;
    return isObject(next) ? [next] : [];
  })), [schema]);
}

const partsOf = (node: JsonObject): JsonObject[] => (Array.isArray(node['anyOf']) ? node['anyOf'].filter(isObject) : [node]);

/** Takes a key out; of a map with any names, the map. */
function without(schema: JsonObject, steps: readonly string[]): void {
  const fixed = steps.findIndex(isAny);
  const key = fixed < 0 ? steps : steps.slice(0, fixed);
  for (const node of nodesAt(schema, key.slice(0, -1))) {
    for (const part of partsOf(node)) if (isObject(part['properties'])) delete part['properties'][String(key[key.length - 1])];
  }
}

function describedFor(layer: LayerName): JsonObject {
  const schema = toJSONSchema(layer === 'workspace' ? WORKSPACE_KIND.schema : settingsSchema, { io: 'input' }) as JsonObject;
  if (layer === 'workspace') for (const key of ['allow', 'mode']) without(schema, ['hooks', 'command_policy', key]);
  for (const rule of KEY_RULES) {
    const steps = rule.key.split('.');
    if (!mayHold(rule, layer)) {
      if (layer !== 'workspace') without(schema, steps);
      continue;
    }
    for (const node of nodesAt(schema, steps)) {
      const before = typeof node['description'] === 'string' ? `${node['description']} ` : '';
      node['description'] = `${before}Where several documents hold it: ${wordsOf(rule)}.`;
    }
  }
  schema['description'] = layer === 'workstation' ? 'praetorctl settings of a workstation' : `praetorctl settings of ${layer === 'organisation' ? 'an' : 'a'} ${layer}`;
  return schema;
}

/** By path. The workstation's keeps the name that it always had. */
export function layerSchemas(): Record<string, JsonObject> {
  return Object.fromEntries(LAYERS.map((layer) => {
    const file = layer === 'workstation' ? 'settings.schema.json' : `settings-${layer}.schema.json`;
    return [`schemas/${file}`, { $id: `https://praetorctl.invalid/${file}`, ...describedFor(layer) }];
  }));
}
