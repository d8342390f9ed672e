// Contract: what the guard says about one event. PURE.

/** neutral = no opinion: the client's own rules go on. allow is only said where a person's rule says so. */
export type Decision = 'neutral' | 'allow' | 'ask' | 'deny';

export interface Verdict {
  readonly decision: Decision;
  /** Stable id such as `git.push.force`; absent on neutral. */
  readonly rule?: string;
  /** One or two sentences for the model and the person: what was refused and what to do instead. */
  readonly reason?: string;
  /** On neutral: what the model should know before it goes on, where the client has a way to say it without a decision. */
  readonly context?: string;
  /** On ask: the operation of a catalogue that a person is to approve; a grant of it lifts this verdict. */
  readonly operation?: string;
  /** On ask: the tool that the catalogue asks about. */
  readonly about?: CataloguedTool;
}

/** A tool by its own name and the service of its catalogue, however a client writes them. */
export interface CataloguedTool { readonly service: string; readonly tool: string }

export const NEUTRAL: Verdict = { decision: 'neutral' };
