// Contract: the settings in force as text: values with the documents that they come from, and what a key means. PURE.
import type { JsonValue } from '../model/json.ts';
import type { Explanation, ShownOrigin, ShownValue } from '../settings/provenance.ts';
import type { ShownDocument } from './settings.ts';
import { printable, tilde, type Style } from './style.ts';
import { table, type Cell } from './table.ts';

const VALUE_CHARS_MAX = 60;

function valueText(value: JsonValue): string {
  const text = typeof value === 'string' ? value : value === null ? '-' : Array.isArray(value) && value.some((item) => typeof item === 'object') ? `${value.length} ${value.length === 1 ? 'entry' : 'entries'}` : JSON.stringify(value);
  return printable(text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX - 1)}…` : text);
}

function originText(style: Style, { layer, path, line }: ShownOrigin): string {
  return `${layer} ${tilde(style, path)}${line === null ? '' : `:${line}`}`;
}

export function renderCheck(style: Style, documents: readonly ShownDocument[], digest: string | null, inForce: boolean): string {
  const rows = documents.map(({ layer, path, by }): Cell[] => [{ text: layer }, { text: tilde(style, path) }, { text: `by ${by}`, color: 'dim' }]);
  const end = documents.length === 0 ? 'no settings document: the defaults are in force' : `settings: valid together, digest ${digest ?? ''}`;
  return [...table(style, rows), end, ...(inForce ? [] : ['the hook reads other settings until they are compiled: praetorctl policy compile'])].join('\n');
}

function valueRow(style: Style, { key, value, from }: ShownValue): Cell[] {
  const where = from.length === 0 ? 'default' : from.map((origin) => originText(style, origin)).join(', ');
  return [{ text: printable(key) }, { text: valueText(value) }, { text: where, color: 'dim' }];
}

/** What somebody wrote; with `verbose` the defaults too. */
export function renderValues(style: Style, values: readonly ShownValue[], verbose: boolean): string {
  const shown = values.filter(({ from }) => verbose || from.length > 0);
  const left = values.length - shown.length;
  const end = left === 0 ? [] : [`${left} more ${left === 1 ? 'key has its' : 'keys have their'} default (--verbose)`];
  return [...table(style, shown.map((one) => valueRow(style, one))), ...end].join('\n');
}

function valueLines(style: Style, { key, value, from, overruled, items }: ShownValue): string[] {
  return [
    `  ${printable(key)} = ${valueText(value)}`,
    ...from.map((origin) => `    from       ${originText(style, origin)}`),
    ...overruled.map((origin) => `    overruled  ${originText(style, origin)}`),
    ...items.map((origin, index) => `    item ${String(index + 1).padEnd(4)}  ${originText(style, origin)}`),
  ];
}

export function renderExplanation(style: Style, explanations: readonly Explanation[]): string {
  return explanations.map(({ key, what, rule, layers, default: byDefault, values }) => [
    key, ...(what === '' ? [] : [`  ${what}`]), `  several documents: ${rule}`, `  may stand in: ${layers.join(', ')}`,
    ...(values.length === 0 ? [`  nobody wrote it${byDefault === null ? '' : `; the default is ${valueText(byDefault)}`}`] : values.flatMap((one) => valueLines(style, one))),
  ].join('\n')).join('\n\n');
}
