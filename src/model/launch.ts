// Contract: what is known about starting a client for a session that is guarded as far as its own means go. A client's row says it;
// `clients launch` reads it. PURE.
import type { Fact } from './client.ts';

/**
 * A word of the command line by which the client leaves out what guards it: `--x` also as `--x=...`, `-x` also as `-x...`. With
 * `value`, only where the value begins so.
 */
export interface BypassWord { readonly word: string; readonly value?: string; readonly does: Fact }

export interface LaunchSurface {
  readonly bypass: readonly BypassWord[];
  /** Variables with the same effect, where they hold anything but an empty text, 0 or false. */
  readonly bypassEnv?: readonly BypassWord[];
  /** The option that holds the session to one configuration, and which of the row's paths that is: the file with our servers. */
  readonly pin?: { readonly option: string; readonly path: string };
  /** What no way of starting it can close, in a few words. */
  readonly open: string;
}

const isOn = (value: string | undefined): boolean => value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());

/** The first way around among the arguments and the variables. What stands behind `--` is no option of the client. */
export function bypassIn(surface: LaunchSurface, args: readonly string[], env: Readonly<Record<string, string | undefined>>): BypassWord | undefined {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return surface.bypass.find((one) => options.some((arg, i) => isMeant(one, arg, options[i + 1]))) ?? surface.bypassEnv?.find(({ word }) => isOn(env[word]));
}

function isMeant({ word, value }: BypassWord, arg: string, next: string | undefined): boolean {
  const rest = arg === word ? next ?? '' : arg.startsWith(`${word}=`) ? arg.slice(word.length + 1) : !word.startsWith('--') && arg.startsWith(word) ? arg.slice(word.length) : undefined;
  // Quotes that a shell left in place are the client's to take away.
  return rest !== undefined && (value === undefined || rest.replace(/^["']/, '').startsWith(value));
}
