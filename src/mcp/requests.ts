// Contract: requests of the client that have no answer yet, by their ids. PURE. An answer to anything else is nobody's: it could be
// taken for the answer to a request that is on its way.
import { REQUESTS_MAX } from './session-types.ts';

export type RequestKind = 'list' | 'call' | 'other';

export interface Requests {
  readonly begin: (key: string, kind: RequestKind) => 'begun' | 'twice' | 'full';
  readonly kindOf: (key: string) => RequestKind | undefined;
  readonly end: (key: string) => void;
  readonly keys: () => readonly string[];
}

export function openRequests(): Requests {
  const open = new Map<string, RequestKind>();
  return {
    begin: (key, kind) => {
      if (open.has(key)) return 'twice';
      if (open.size >= REQUESTS_MAX) return 'full';
      open.set(key, kind);
      return 'begun';
    },
    kindOf: (key) => open.get(key),
    end: (key) => void open.delete(key),
    keys: () => [...open.keys()],
  };
}
