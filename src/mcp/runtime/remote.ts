// Contract: the upstreams over HTTP, a bundle of its own (part `remote`): a server that is a program does not load it.
export { startOpenapi } from './openapi-upstream.ts';
export { startStreamable } from './streamable-upstream.ts';
