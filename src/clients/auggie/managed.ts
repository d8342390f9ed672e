// Contract: Auggie's managed channel: the system's settings file. Read in the bundle of 0.36.0, for Linux. PURE.
import type { ManagedSurface } from '../../model/managed.ts';
import { documented, documentedFor } from '../facts.ts';

export const auggieManaged: ManagedSurface = {
  // No place of another system is known.
  file: (platform) => (platform !== 'linux' ? undefined : {
    path: '/etc/augment/settings.json', format: 'json', tolerance: { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false }, shared: true,
    basis: documentedFor('0.36.0, read in its bundle')('the system settings'),
  }),
  winsOver: documented('settings of the user and the workspace'),
  blockedBy: [documented('a hook that crashes, times out or does not start lets the call go on')],
};
