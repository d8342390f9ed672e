// Contract: which of two values is stricter, and the fault that names two documents that do not go together. PURE.
import type { Diagnostic } from '../model/diagnostic.ts';
import { sameValue, showPath, type JsonValue, type Path } from '../model/json.ts';
import { whereOf, type Origin } from './effective.ts';
import { layerWords, type KeyRule } from './merge-rules.ts';
import { durationMs } from './schema.ts';

export const FIX = 'praetorctl settings explain shows which document holds what; change one of the two';

/** Both documents with their lines; never a value. */
export function between(code: Diagnostic['code'], later: Origin, earlier: Origin, key: Path, what: string): Diagnostic {
  const { path, line } = whereOf(earlier);
  return {
    code, severity: 'error', where: whereOf(later), fix: FIX,
    message: `${showPath(key)}: ${layerWords(later.document.layer)} ${what} ${layerWords(earlier.document.layer)} (${path}${line === undefined ? '' : `:${line}`})`,
  };
}

type Compared = 'same' | 'stricter' | 'looser' | 'other';

function byNumber(before: number, after: number): Compared {
  return after === before ? 'same' : after > before ? 'stricter' : 'looser';
}

export function compareStrictness(stricter: KeyRule['stricter'], before: JsonValue, after: JsonValue): Compared {
  if (sameValue(before, after)) return 'same';
  if (stricter === 'shorter') return byNumber(-durationMs(String(before)), -durationMs(String(after)));
  if (stricter === 'fewer') {
    const [old, now] = [new Set(before as string[]), new Set(after as string[])];
    return [...now].some((item) => !old.has(item)) ? 'looser' : now.size === old.size ? 'same' : 'stricter';
  }
  const step = (value: JsonValue): number => (stricter ?? []).findIndex((values) => values.includes(value as string | boolean));
  const compared = byNumber(step(before), step(after));
  return compared === 'same' ? 'other' : compared;
}
