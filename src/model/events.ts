// Contract: the canonical events. `praetorctl hook <client> <event>` takes these words. PURE.

export const CANONICAL_EVENTS = [
  'pre-tool', 'post-tool', 'permission', 'prompt', 'session-start', 'session-end',
  'stop', 'subagent-start', 'subagent-stop', 'notification',
] as const;

export type CanonicalEvent = (typeof CANONICAL_EVENTS)[number];

export function isCanonicalEvent(word: string): word is CanonicalEvent {
  return (CANONICAL_EVENTS as readonly string[]).includes(word);
}
