// Contract: Cursor's managed channel: the enterprise hooks file. Documented for macOS only; nothing was run. PURE.
import type { Tolerance } from '../../model/edit.ts';
import type { ManagedSurface } from '../../model/managed.ts';
import { documented } from '../facts.ts';

const STRICT: Tolerance = { comments: false, trailingCommas: false, bom: false, utf16le: false, emptyIsObject: false };

export const cursorManaged: ManagedSurface = {
  // A file in /etc/cursor or ProgramData\Cursor is likely by analogy, and no document names it.
  file: (platform) => (platform !== 'darwin' ? undefined : {
    path: '/Library/Application Support/Cursor/hooks.json', format: 'json', tolerance: STRICT, shared: true, basis: documented('the enterprise hooks file'),
  }),
  winsOver: documented('team, project and user hooks'),
  blockedBy: [documented('one event name that Cursor does not know, of anybody: it drops the whole file in silence')],
};
