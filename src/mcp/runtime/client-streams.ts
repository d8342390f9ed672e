// Contract: the client on standard input and output, by the streams of Node: for files, terminals, Windows, and a Node without
// libuv's own handles. IO.
import type { Link, LinkEvents } from './link.ts';

export function clientStreams(input: NodeJS.ReadableStream, output: NodeJS.WritableStream, events: LinkEvents): Link {
  let isGone = false;
  const gone = (): void => {
    if (isGone) return;
    isGone = true;
    events.onEnd(0);
  };
  input.on('data', events.onChunk);
  input.on('end', gone);
  input.on('error', gone);
  output.on('drain', events.onDrain);
  // The client is gone: there is nobody left to answer.
  output.on('error', gone);
  return {
    send: (message) => output.write(message),
    pause: () => void input.pause(),
    resume: () => void input.resume(),
    end: (done) => {
      input.removeAllListeners('data');
      output.end(done);
    },
  };
}
