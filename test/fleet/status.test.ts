// The states of a workstation over all evidence: exactly one each, and the worst that applies.
import { describe, expect, it } from 'vitest';
import { STATION_STATES, deriveStation, type StationEvidence } from '../../src/fleet/status.ts';

const VALUES: { readonly [Key in keyof StationEvidence]: readonly StationEvidence[Key][] } = {
  record: ['none', 'damaged', 'newer', 'read'], version: [true, false], launcher: ['ours', 'missing', 'other'], node: [true, false], follows: [true, false], pinned: [true, false], behind: [true, false],
  targetBlocked: [true, false], withdrawn: [true, false], stale: [true, false], lastResult: [null, 'updated', 'diverged', 'refused', 'failed'], settingsDrifted: [null, true, false],
};
function all(): StationEvidence[] {
  let rows: Record<string, unknown>[] = [{}];
  for (const [key, values] of Object.entries(VALUES)) rows = rows.flatMap((row) => values.map((value) => ({ ...row, [key]: value })));
  return rows as unknown as StationEvidence[];
}

describe('deriveStation', () => {
  it('is total, and every state is reached', () => {
    const seen = new Map<string, number>();
    for (const e of all()) {
      const { state, reasons } = deriveStation(e);
      seen.set(state, (seen.get(state) ?? 0) + 1);
      if (state !== 'current') expect(reasons.length).toBeGreaterThan(0);
      if (e.record !== 'read') expect(['absent', 'broken']).toContain(state);
      else if (!e.version || !e.node || e.launcher !== 'ours') expect(state).toBe('broken');
      else if (e.lastResult === 'diverged') expect(state).toBe('diverged');
    }
    expect([...seen.keys()].sort()).toEqual([...STATION_STATES].sort());
  });
  it('a pin is said before what it holds back, and staleness before both', () => {
    const good: StationEvidence = { record: 'read', version: true, launcher: 'ours', node: true, follows: true, pinned: false, behind: false, targetBlocked: false, withdrawn: false, stale: false, lastResult: 'updated', settingsDrifted: null };
    expect(deriveStation(good)).toEqual({ state: 'current', reasons: [] });
    expect(deriveStation({ ...good, pinned: true, behind: true }).state).toBe('held');
    expect(deriveStation({ ...good, pinned: true, behind: true, stale: true }).state).toBe('stale');
    expect(deriveStation({ ...good, stale: true, follows: false }).state).toBe('current');
    expect(deriveStation({ ...good, behind: true, targetBlocked: true }).state).toBe('blocked');
  });
});
