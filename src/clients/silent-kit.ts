// Contract: findings made from the catalogue of a row, so that id and fix of one way stand once. PURE.
import { ENVIRONMENT, type EvidenceFile, type Finding, type RootContext, type SilentWay } from '../model/client.ts';
import { valueAt, type JsonObject, type JsonValue, type Path } from '../model/json.ts';
import { dirOf, joinPath } from '../roots/paths.ts';

type Where = Pick<Finding, 'source' | 'path'>;

const made = (effect: Finding['effect'], certain: boolean) => (way: SilentWay, message: string, where: Where = {}, fix: string = way.fix): Finding => (
  { id: way.id, effect, certain, message, fix, ...where });

/** The hooks do not run. */
export const off = made('hooks', true);
/** In some versions, some directories or some sessions the hooks do not run. */
export const doubtful = made('hooks', false);
/** The client drops the whole file. */
export const dropped = made('file', true);
/** In some versions or in some places the client drops the whole file. */
export const perhapsDropped = made('file', false);
export const note = made('note', true);

/** A layer of settings: its evidence name, and what a person calls it. */
export type Layer = readonly [name: string, label: string];

type Words = ReadonlyMap<JsonValue, boolean>;

/**
 * The boolean at a path in the first layer that has one: ordinary precedence, the strongest layer first. `words` are the values
 * that are no booleans and that the client takes for one.
 */
export function firstBoolean(documents: ReadonlyMap<string, JsonObject>, layers: readonly Layer[], path: Path, words: Words = new Map()): { readonly value: boolean; readonly layer: Layer } | undefined {
  for (const layer of layers) {
    const found = valueAt(documents.get(layer[0]), path);
    const value = typeof found === 'boolean' || found === undefined ? found : words.get(found);
    if (value !== undefined) return { value, layer };
  }
  return undefined;
}

/** A variable that is on by any of the usual words: on for certain with those that the client was seen to take, else perhaps. */
export function variableOn(env: RootContext['env'], name: string, way: SilentWay, message: string, certain: readonly string[] = ['1', 'true']): Finding[] {
  const value = (env[name] ?? '').trim().toLowerCase();
  if (value === '' || value === '0' || value === 'false') return [];
  return [(certain.includes(value) ? off : doubtful)(way, message, { source: ENVIRONMENT, path: [name] })];
}

/** The directories above one, nearest first. */
export function ancestors(context: RootContext, dir: string): string[] {
  const found: string[] = [];
  for (let at = dirOf(context.platform, dir); at !== '' && at !== found.at(-1) && at !== dir && found.length < LEVELS_MAX; at = dirOf(context.platform, at)) found.push(at);
  return found;
}

const LEVELS_MAX = 40;

/** The same file of a client in every directory above the project, as `<name>/<level>`. */
export function filesAbove(context: RootContext, name: string, parts: readonly string[], file: Pick<EvidenceFile, 'format' | 'tolerance'>): EvidenceFile[] {
  return ancestors(context, context.project).map((dir, level) => ({ name: `${name}/${level}`, path: joinPath(context.platform, dir, ...parts), ...file }));
}

/** `trustedFolders.json`: the rule of the nearest directory that has one. */
export function folderRule(document: JsonObject | undefined, context: RootContext): { readonly dir: string; readonly value: JsonValue } | undefined {
  for (const dir of [context.project, ...ancestors(context, context.project)]) {
    const value = valueAt(document, [dir]);
    if (value !== undefined) return { dir, value };
  }
  return undefined;
}
