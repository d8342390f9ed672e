// Contract: operator patterns in linear time, with V8's own means. IO (process-wide V8 flags; set only where a pattern is checked
// or run, since node:v8 costs the hook 1.7 ms). Accepted is what V8's linear engine can execute; running falls back to that
// engine when the usual one backtracks too much, so no accepted pattern can hang.
import { setFlagsFromString } from 'node:v8';

/** V8's own flag for a regular expression that its linear engine runs; no standard flag. */
const LINEAR: string = 'l';

let linear: boolean | undefined;
let bounded = false;

/** Feature test: the flag is experimental, so a Node may come without it. */
function hasLinearEngine(): boolean {
  if (linear === undefined) {
    try {
      setFlagsFromString('--enable-experimental-regexp-engine');
      linear = new RegExp('(a+)+$', LINEAR).test('aa');
    } catch {
      linear = false;
    }
  }
  return linear;
}

/** Why a pattern cannot be used; undefined where it can. The message never repeats the pattern. */
export function checkPattern(source: string): string | undefined {
  if (!hasLinearEngine()) return 'patterns are not accepted: this Node cannot prove that they run in linear time. Use program, subcommand, options, args or paths';
  try {
    void new RegExp(source);
  } catch {
    return 'is not a valid regular expression';
  }
  try {
    void new RegExp(source, LINEAR);
    return undefined;
  } catch {
    return 'could take exponential time: look-around, back references and large counted repetitions are not accepted';
  }
}

/** Runs an accepted pattern. The caller bounds the text. */
export function matches(source: string, text: string): boolean {
  if (!bounded) {
    setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
    bounded = true;
  }
  return new RegExp(source).test(text);
}
