// Contract: the one rule of the merge that looks at two keys: a later document cannot set a rule below the level that an earlier
// one gave to the rule's pack, because the level of a rule wins over that of its pack. PURE.
import type { Diagnostic } from '../model/diagnostic.ts';
import { isObject, valueAt, type Path } from '../model/json.ts';
import type { RuleInfo } from '../policy/pack.ts';
import { ruleInfos } from '../policy/rules/render.ts';
import type { LayerDocument } from './effective.ts';
import { KEY_RULES } from './merge-rules.ts';
import { between, compareStrictness } from './strictness.ts';

let known: ReadonlyMap<string, RuleInfo> | undefined;

export function ruleInfo(id: string): RuleInfo | undefined {
  known ??= new Map(ruleInfos().map((info) => [info.id, info]));
  return known.get(id);
}

const PACKS_KEY: Path = ['hooks', 'command_policy', 'packs'];
const RULES_KEY: Path = ['hooks', 'command_policy', 'rules'];
export const LEVEL_STEPS = KEY_RULES.find(({ key }) => key.startsWith('hooks.command_policy.rules.'))?.stricter;

export function levelFaults(documents: readonly LayerDocument[]): Diagnostic[] {
  return documents.flatMap((later, index) => {
    const rules = valueAt(later.written, RULES_KEY);
    if (!isObject(rules)) return [];
    return Object.entries(rules).flatMap(([id, level]) => {
      const pack = ruleInfo(id)?.pack;
      const earlier = documents.slice(0, index).filter((document) => valueAt(document.written, [...RULES_KEY, id]) === undefined);
      // Where an earlier document names the rule itself, the rule's own key says what is loosened.
      if (pack === undefined || level === undefined || earlier.length < index) return [];
      const key = [...PACKS_KEY, pack];
      const set = earlier.findLast((document) => valueAt(document.written, key) !== undefined);
      const before = set === undefined ? undefined : valueAt(set.written, key);
      if (set === undefined || before === undefined || compareStrictness(LEVEL_STEPS, before, level) !== 'looser') return [];
      return [between('settings-loosened', { document: later, key: [...RULES_KEY, id] }, { document: set, key }, [...RULES_KEY, id], `loosen what the pack ${pack} is set to by`)];
    });
  });
}
