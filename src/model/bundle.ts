// Contract: what a bundle is made of: files that a client installs by its own means. Said by a client's row, written by contract/bundle.ts. PURE.
import type { CanonicalEvent } from './events.ts';
import type { ClientDefinition } from './client.ts';

/** A server with a catalogue. Nothing of its operations: an approval must not change a byte of a bundle. */
export interface BundledService {
  readonly id: string;
  /** For a person. */
  readonly title: string;
  /** Names of the variables that the server is started with. */
  readonly variables: readonly string[];
}

/** `service`: its guarding runtime and a hook for its calls. Otherwise our own registrations, for these events. */
export type BundleSubject = { readonly service: BundledService } | { readonly service?: undefined; readonly events: ReadonlySet<CanonicalEvent> };

export interface BundleSurface {
  /** By path below the bundle, with `/`. Empty: the client has nothing for this subject. */
  readonly files: (client: ClientDefinition, subject: BundleSubject) => Readonly<Record<string, string>>;
  /** Names under which the client sees the server of its bundle, besides the server's own. */
  readonly bindings?: (service: string) => readonly string[];
  /** For a person who installs it: a few lines of Markdown. */
  readonly install: (subject: BundleSubject) => readonly string[];
}
