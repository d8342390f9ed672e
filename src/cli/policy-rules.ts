// Contract: the built-in rules as people read them: which level is in force, where it comes from, and what to do instead. PURE.
import { levelFor, PACKS, type Level, type PackId, type PolicySettings, type RuleInfo } from '../policy/pack.ts';
import { ruleInfos } from '../policy/rules/render.ts';

/** Where a level was decided. */
export type LevelFrom = 'rule default' | 'pack setting' | 'rule setting' | 'further layer';

export interface RuleRow {
  readonly id: string;
  readonly pack: PackId;
  readonly level: Level;
  readonly from: LevelFrom;
  readonly default: Level;
  readonly contested: boolean;
  readonly title: string;
  readonly reason: string;
}

/** Every built-in rule once, by pack and id. */
export function allRules(): readonly RuleInfo[] {
  return [...ruleInfos()].sort((a, b) => PACKS.indexOf(a.pack) - PACKS.indexOf(b.pack) || (a.id < b.id ? -1 : 1));
}

const own = (record: object, key: string): boolean => Object.prototype.hasOwnProperty.call(record, key);

export function levelFrom(rule: Pick<RuleInfo, 'id' | 'pack' | 'level'>, settings: PolicySettings): LevelFrom {
  const { atLeast: _atLeast, ...alone } = settings;
  // A workspace can only tighten: where it did, the level is its.
  if (levelFor(rule, alone) !== levelFor(rule, settings)) return 'further layer';
  if (own(settings.rules, rule.id)) return 'rule setting';
  return own(settings.packs, rule.pack) ? 'pack setting' : 'rule default';
}

export function ruleRow(rule: RuleInfo, settings: PolicySettings): RuleRow {
  return {
    id: rule.id, pack: rule.pack, level: levelFor(rule, settings), from: levelFrom(rule, settings), default: rule.level,
    contested: rule.contested === true, title: rule.title, reason: rule.reason,
  };
}

export function ruleById(id: string): RuleInfo | undefined {
  return allRules().find((rule) => rule.id === id);
}

export function reasonOfRule(id: string): string | undefined {
  return ruleById(id)?.reason;
}

/** A reason is written as: why not. What to do instead. */
export function splitReason(reason: string): { why: string; instead: string } {
  const end = /[.!?] (?=[A-Z`"(])/.exec(reason);
  if (end === null) return { why: reason, instead: '' };
  return { why: reason.slice(0, end.index + 1), instead: reason.slice(end.index + 2) };
}
