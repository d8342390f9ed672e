// Contract: the clients that have hooks, for the tests that are about hooks.
import { hasHooks } from '../../src/clients/mcp-only.ts';
import { CLIENTS } from '../../src/clients/registry.ts';

export const HOOKED = CLIENTS.filter(hasHooks);
