// Contract: the guarding proxy between a client on standard input and output and an upstream. IO. Lines go through the session;
// what it passes on goes as the bytes that came. A side that takes no more stops the other one, so that memory stays bounded.
import type { Action, Session } from '../session-types.ts';
import { lineSplitter } from './lines.ts';
import type { UpstreamEvents, UpstreamLink } from './upstream.ts';

export interface ProxyStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** One line for the person; a client shows it in its log of the server. */
  readonly log: (line: string) => void;
}

const TICK_MS = 1_000;

/** Resolves with the exit code, when the upstream has ended and everything is written. */
export function runProxy(session: Session, streams: ProxyStreams, start: (events: UpstreamEvents) => UpstreamLink): Promise<number> {
  const { input, output, log } = streams;
  return new Promise((done) => {
    const act = (actions: readonly Action[], raw: Buffer): void => {
      for (const action of actions) {
        if (action.to === 'log') log(action.text);
        else if (action.to === 'client') toClient('raw' in action ? withEnd(raw) : action.text);
        else toUpstream('raw' in action ? withEnd(raw) : action.text);
      }
    };
    const toClient = (message: string | Buffer): void => {
      if (!output.write(message)) upstream.pause();
    };
    const toUpstream = (message: string | Buffer): void => {
      if (!upstream.send(message)) input.pause();
    };
    const fail = (error: unknown): void => {
      log(`praetorctl mcp: ${error instanceof Error ? error.message : 'failed'}`);
      upstream.end();
    };
    const fromClient = lineSplitter((line) => act(session.fromClient(line.toString('utf8')), line));
    const fromUpstream = lineSplitter((line) => act(session.fromUpstream(line.toString('utf8')), line));
    const guarded = (take: (chunk: Buffer) => void) => (chunk: Buffer): void => {
      try {
        take(chunk);
      } catch (error) {
        fail(error);
      }
    };
    const ticking = setInterval(() => act(session.tick(), Buffer.alloc(0)), TICK_MS);
    const upstream = start({
      onChunk: guarded(fromUpstream),
      onDrain: () => input.resume(),
      onEnd: (code, why) => {
        clearInterval(ticking);
        if (why !== undefined) log(`praetorctl mcp: the server cannot be started: ${why}`);
        input.removeAllListeners('data');
        output.end(() => done(code));
      },
    });
    output.on('drain', () => upstream.resume());
    // The client is gone: there is nobody left to answer.
    output.on('error', () => upstream.end());
    input.on('data', guarded(fromClient));
    input.on('end', () => upstream.end());
    input.on('error', () => upstream.end());
  });
}

function withEnd(line: Buffer): Buffer {
  return Buffer.concat([line, Buffer.from('\n')]);
}
