// Contract: what a document may hold because of its layer: keys of other layers, places of one machine, text that something
// would expand, and the guard's own protection. PURE.
import type { Diagnostic } from '../model/diagnostic.ts';
import { isObject, showPath, valueAt, type JsonValue, type Path } from '../model/json.ts';
import type { Level } from '../policy/pack.ts';
import { isAbsolutePath } from '../roots/paths.ts';
import { whereOf, type LayerDocument } from './effective.ts';
import { LEVEL_STEPS, ruleInfo } from './levels.ts';
import { concreteKeys, KEY_RULES, layerWords, LAYERS, type KeyRule } from './merge-rules.ts';
import { compareStrictness } from './strictness.ts';

function faultAt(document: LayerDocument, key: Path, message: string, fix: string): Diagnostic {
  return { code: 'settings-invalid', severity: 'error', where: whereOf({ document, key }), message: `${showPath(key)}: ${message}`, fix };
}

function mayHold(rule: KeyRule, document: LayerDocument, count: number): boolean {
  return rule.layers.includes(document.layer) || (rule.aloneToo === true && document.isOwn && count === 1);
}

function ownerWords(rule: KeyRule): string {
  return LAYERS.filter((layer) => rule.layers.includes(layer)).map(layerWords).join(' or ');
}

/** Text that a shell, a client or another program would put something else in the place of. */
export function isLiteral(text: string): boolean {
  return !/[\0-\x1f\x7f$`]|\{env:|\{file:/.test(text);
}

const PLATFORMS = ['linux', 'win32'] as const;

function textFaults(document: LayerDocument, key: Path, value: JsonValue): Diagnostic[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => textFaults(document, [...key, index], item));
  if (isObject(value)) return Object.entries(value).flatMap(([name, item]) => textFaults(document, [...key, name], item));
  if (typeof value !== 'string') return [];
  if (!isLiteral(value)) return [faultAt(document, key, 'must be literal: no control character, $, backtick, {env: or {file:', 'write the text itself, or leave it to the settings of the workstation')];
  if (PLATFORMS.some((platform) => isAbsolutePath(platform, value))) return [faultAt(document, key, `names a place of one machine, which ${layerWords(document.layer)} do not know`, 'name a program without its directory, a file relative to this document or below ~, or leave it to the settings of the workstation')];
  return [];
}

/** The parts of a value that must be literal; a list is looked at item by item. */
function literalFaults(rule: KeyRule, document: LayerDocument, key: Path, value: JsonValue): Diagnostic[] {
  if (Array.isArray(value) && !(rule.literal ?? []).includes('')) return value.flatMap((item, index) => literalFaults(rule, document, [...key, index], item));
  return (rule.literal ?? []).flatMap((part) => {
    const at = part === '' ? value : valueAt(value, [part]);
    return at === undefined ? [] : textFaults(document, part === '' ? key : [...key, part], at);
  });
}

const GUARDED_PACK = 'self-protection';

/** The guard's own protection is the person's to lower, at the machine; no document from elsewhere does. */
function protectionFaults(document: LayerDocument): Diagnostic[] {
  const policy: Path = ['hooks', 'command_policy'];
  const lowered = (section: string, own: (name: string) => Level | undefined): Path[] => {
    const levels = valueAt(document.written, [...policy, section]);
    if (!isObject(levels)) return [];
    return Object.entries(levels).filter(([name, level]) => { const before = own(name); return before !== undefined && compareStrictness(LEVEL_STEPS, before, level) === 'looser'; }).map(([name]) => [...policy, section, name]);
  };
  const guarded = (id: string): Level | undefined => { const info = ruleInfo(id); return info?.pack === GUARDED_PACK ? info.level : undefined; };
  const allowed = valueAt(document.written, [...policy, 'allow']);
  const lifted = Array.isArray(allowed) ? allowed.flatMap((rule, index): Path[] => (isObject(rule) && typeof rule['rule'] === 'string' && guarded(rule['rule']) !== undefined ? [[...policy, 'allow', index]] : [])) : [];
  const keys = [...lowered('packs', (name) => (name === GUARDED_PACK ? 'deny' : undefined)), ...lowered('rules', guarded), ...lifted];
  return keys.map((key) => faultAt(document, key, `${layerWords(document.layer)} cannot lower what protects the guard itself`, 'leave it out'));
}

/** A hook passes over it: a workspace can only tighten. */
function switchedOff(document: LayerDocument, earlier: readonly LayerDocument[]): Diagnostic[] {
  return (['packs', 'rules'] as const).flatMap((section) => {
    const levels = valueAt(document.written, ['hooks', 'command_policy', section]);
    if (!isObject(levels)) return [];
    // Where an earlier document names it, the merge says what is loosened.
    const alone = Object.keys(levels).filter((name) => levels[name] === 'off' && !earlier.some(({ written }) => valueAt(written, ['hooks', 'command_policy', section, name]) !== undefined));
    return alone.map((name) => faultAt(document, ['hooks', 'command_policy', section, name], 'has no effect: a workspace cannot switch anything off', 'take it out'));
  });
}

function documentFaults(document: LayerDocument, count: number, earlier: readonly LayerDocument[]): Diagnostic[] {
  const isRemote = document.layer === 'fleet' || document.layer === 'organisation';
  const keyed = KEY_RULES.flatMap((rule) => concreteKeys(rule, [document.written]).flatMap((key) => {
    const value = valueAt(document.written, key);
    if (value === undefined) return [];
    if (!mayHold(rule, document, count)) return [faultAt(document, key, `belongs into ${ownerWords(rule)}, not into ${layerWords(document.layer)}`, 'take it out, or move it there')];
    return isRemote ? literalFaults(rule, document, key, value) : [];
  }));
  return isRemote ? [...keyed, ...protectionFaults(document)] : document.layer === 'workspace' ? [...keyed, ...switchedOff(document, earlier)] : keyed;
}

export function layerFaults(documents: readonly LayerDocument[]): Diagnostic[] {
  const operator = documents.filter(({ layer }) => layer !== 'workspace');
  return documents.flatMap((document, index) => documentFaults(document, operator.length, documents.slice(0, index)));
}
