// Contract: both sides of the proxy without libuv's own handles, a bundle of its own (part `streams`): seldom needed, and what it loads is dear.
export { clientStreams } from './client-streams.ts';
export { startProgram } from './upstream.ts';
