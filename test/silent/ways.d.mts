// Contract: the types of ways.mjs.
export interface WayWorld {
  readonly home: string;
  readonly project: string;
  readonly bin: string;
  /** Stands for the root of the file system in a fixture; undefined where the real one is in place. */
  readonly system?: string | undefined;
  /** Gives the world back as it was, newest change first. */
  readonly undo: (() => void)[];
}

export interface Way {
  readonly check: string;
  readonly client: string;
  readonly what: string;
  /** `off`, `drop`, `drift`, `trust`: our hooks do not run as they should, and verify never says observed. `doubt`, `note`, `missing`: it is said. `unread`: unknown. `moved`: absent here. */
  readonly says: 'off' | 'drop' | 'drift' | 'trust' | 'doubt' | 'note' | 'missing' | 'unread' | 'moved';
  readonly spoil?: (world: WayWorld) => void;
  /** Variables of the session and of verify. */
  readonly env?: (world: WayWorld) => Record<string, string>;
  readonly scope?: 'project';
  /** `off`: the real client does not run the hook. `closed`: neither that nor the call. `runs`: it runs the hook all the same. A sentence: why it is not tried. */
  readonly real: 'off' | 'closed' | 'runs' | string;
}

export const WAYS: readonly Way[];
export const HOOK_FILES: Readonly<Record<string, string>>;
