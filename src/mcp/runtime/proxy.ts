// Contract: the guarding proxy between a client and an upstream. Lines go through the session; what it passes on goes as the bytes
// that came. A side that takes no more stops the other one, so that memory stays bounded.
import type { Action, Session } from '../session-types.ts';
import { lineSplitter, readLine } from './lines.ts';
import type { Link, LinkEvents } from './link.ts';

export interface ProxySides {
  readonly client: (events: LinkEvents) => Link;
  readonly upstream: (events: LinkEvents) => Link;
  /** One line for the person; a client shows it in its log of the server. */
  readonly log: (line: string) => void;
}

const TICK_MS = 1_000;
const FAULT_CODE = 1;
const NEWLINE = Buffer.from('\n');

/** Resolves with the exit code, when the upstream has ended and everything is written. The upstream is started first, so that it starts while the rest is made ready. */
export function runProxy(createSession: () => Session, { client: openClient, upstream: startUpstream, log }: ProxySides): Promise<number> {
  return new Promise((done) => {
    let hasFailed = false;
    let isClientGone = false;
    const act = (actions: readonly Action[], line: Buffer): void => {
      for (const action of actions) {
        if (action.to === 'log') {
          log(action.text);
          continue;
        }
        const message = 'raw' in action ? line : action.text;
        if (action.to === 'client') {
          if (!client.send(message)) upstream.pause();
        } else if (!upstream.send(message)) client.pause();
      }
      // What the client said last is still to be said.
      if (isClientGone && !session.holds()) upstream.end();
    };
    // What cannot be read any further is not guarded any further. What still comes is dropped, so that nobody waits for us.
    const guarded = (take: (chunk: Buffer) => void) => (chunk: Buffer): void => {
      if (hasFailed) return;
      try {
        take(chunk);
      } catch (error) {
        hasFailed = true;
        log(`praetorctl mcp: ${error instanceof Error ? error.message : 'failed'}`);
        upstream.end();
      }
    };
    const lines = (take: (text: string) => readonly Action[]): (chunk: Buffer) => void => guarded(lineSplitter((line) => {
      const { text, bytes } = readLine(line);
      act(take(text), bytes);
    }));
    const upstream = startUpstream({
      onChunk: lines((text) => session.fromUpstream(text)),
      onDrain: () => client.resume(),
      onEnd: (code, why) => {
        clearInterval(ticking);
        if (why !== undefined) log(`praetorctl mcp: the server cannot be started: ${why}`);
        for (const action of session.ended()) if ('text' in action) client.send(action.text);
        client.end(() => done(hasFailed ? FAULT_CODE : code));
      },
    });
    const session = createSession();
    const client = openClient({ onChunk: lines((text) => session.fromClient(text)), onDrain: () => upstream.resume(), onEnd: () => { isClientGone = true; act([], NEWLINE); } });
    const ticking = setInterval(() => act(session.tick(), NEWLINE), TICK_MS);
  });
}
