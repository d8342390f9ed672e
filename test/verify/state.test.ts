// The state derivation is total, and its promises hold for every combination of its inputs.
import { describe, expect, it } from 'vitest';
import { combine, deriveServers, deriveState, type ServerInput, type StateInput } from '../../src/verify/state.ts';
import { allStateInputs, renderStateTable, stateRows, type StateRow } from '../../src/verify/state-table.ts';

const ALL = allStateInputs().map((e) => ({ e, s: deriveState(e) }));
const RAN = ['fresh', 'aged', 'skewed'];
const KEYS = ['absent', 'installed', 'discovered', 'observed', 'drifted', 'stale'] as const;

/** Reports the first input that breaks a rule: 70 000 expect() calls would take minutes. */
function forAll(rule: (e: StateInput, s: ReturnType<typeof deriveState>) => boolean): void {
  const broken = ALL.find(({ e, s }) => !rule(e, s));
  expect(broken?.e).toBeUndefined();
}

describe('deriveState over all inputs', () => {
  it('answers every state for every input', () => {
    expect(ALL.length).toBe(3 * 4 * 2 * 2 * 2 * 5 * 6 * 6 * 4);
    forAll((_e, s) => KEYS.every((key) => s[key] === true || s[key] === false || s[key] === 'unknown'));
  });

  it('never says observed without a genuine tool receipt after the installation', () => {
    forAll((e, s) => s.observed !== true || RAN.includes(e.tool));
  });

  it('never says observed while something is known, or could be hidden, that keeps the hook from running', () => {
    forAll((e, s) => s.observed !== true || (['open', 'doubtful'].includes(e.gate) && ['no-gate', 'trusted'].includes(e.trust)));
  });

  it('says observed only of what is discovered and is installed or drifted', () => {
    forAll((_e, s) => s.observed !== true || (s.discovered === true && (s.installed === true || s.drifted === true)));
  });

  it('says nothing else of an absent client', () => {
    forAll((_e, s) => s.absent !== true || KEYS.every((key) => key === 'absent' || s[key] === false));
    forAll((e, s) => (s.absent === true) === (e.entries === 'none' && !e.recorded));
  });

  it('never concludes from a file that could not be read', () => {
    forAll((e, s) => e.entries !== 'unknown' || (s.installed === 'unknown' && s.drifted === 'unknown' && s.discovered !== true && s.observed !== true));
    forAll((e, s) => e.tool !== 'unknown' || s.observed !== true);
  });

  it('never says installed of a file that the client drops, nor of entries that differ', () => {
    forAll((e, s) => s.installed !== true || (e.gate !== 'dropped' && e.entries === 'exact'));
  });

  it('says "configured, enforcement unverified" exactly where entries stand and nothing was observed', () => {
    forAll((e, s) => s.reasons.some((r) => r.text.includes('configured, enforcement unverified')) === (['exact', 'differs'].includes(e.entries) && s.observed !== true));
  });

  it('carries the word untrusted for every hook whose trust is missing or void', () => {
    forAll((e, s) => !['untrusted', 'modified'].includes(e.trust) || e.entries === 'none' || s.reasons.some((r) => r.text.includes('untrusted')));
  });

  it('gives a reason and a fix for everything that is not well, and none for what is', () => {
    forAll((e, s) => {
      const well = s.observed === true && s.drifted === false && s.stale === false && e.gate === 'open' && e.detected !== 'none';
      return well ? s.reasons.length === 0 : s.reasons.length > 0 && s.reasons.every((r) => r.text !== '' && r.fix !== '');
    });
  });

  it('never uses the word for which there is no proof', () => {
    forAll((_e, s) => !JSON.stringify(s.reasons).includes('enforcing'));
  });

  it('counts evidence as stale when it is aged, of another version, or older than the registration', () => {
    forAll((e, s) => !(['aged', 'skewed', 'earlier'].includes(e.tool) && s.absent !== true) || s.stale === true);
    forAll((e, s) => !(e.tool === 'fresh' && e.entries === 'differs') || s.stale === true);
    forAll((e, s) => !(e.tool === 'fresh' && e.entries === 'exact') || s.stale === false);
  });
});

describe('servers, and one statement for both', () => {
  const servers: ServerInput[] = [true, false].flatMap((wanted) => [true, false].flatMap((recorded) =>
    (['none', 'exact', 'differs', 'conflict', 'unknown'] as const).filter((s) => wanted || (s !== 'exact' && s !== 'conflict')).map((s) => ({ wanted, recorded, servers: s }))));

  it('keeps the promises of the hooks', () => {
    const hooks = [...new Map(ALL.map(({ s }) => [KEYS.map((k) => s[k]).join(), s])).values()];
    for (const h of hooks) {
      for (const e of servers) {
        const s = combine(h, deriveServers(e), e.wanted);
        expect(s.observed).toBe(h.observed);
        if (s.absent === true) expect(KEYS.filter((k) => s[k] === true)).toEqual(['absent']);
        if (s.observed === true) expect(s.installed === true || s.drifted !== false).toBe(true);
        if (s.installed === true) expect(h.installed).toBe(true);
      }
    }
  });

  it('lets hooks alone count where no server is wanted and none is there', () => {
    const h = deriveState({ detected: 'program', entries: 'exact', toolEvent: true, recorded: true, foreign: 'kept', gate: 'open', trust: 'no-gate', tool: 'fresh', session: 'none' });
    expect(combine(h, deriveServers({ wanted: false, servers: 'none', recorded: false }), false)).toMatchObject({ installed: true, drifted: false, observed: true });
    expect(combine(h, deriveServers({ wanted: true, servers: 'none', recorded: false }), true)).toMatchObject({ installed: false, drifted: true });
  });
});

describe('the generated table', () => {
  it('is exact: for each state, every combination is in one row, with the answer that deriveState gives', () => {
    const rows = stateRows();
    const inputs = (row: StateRow): readonly (readonly unknown[])[] => Object.values(row.inputs);
    for (const state of KEYS) {
      const own = rows.filter((row) => row.state === state);
      expect(own.reduce((n, row) => n + inputs(row).reduce((k, values) => k * values.length, 1), 0)).toBe(ALL.length);
      for (const { e, s } of ALL.filter((_, i) => i % 97 === 0)) {
        const holding = own.filter((row) => (Object.keys(row.inputs) as (keyof StateInput)[]).every((key) => (row.inputs[key] as readonly unknown[]).includes(e[key])));
        expect(holding.map((row) => row.value)).toEqual([s[state]]);
      }
    }
  });

  it('is short enough to be read', () => {
    const table = renderStateTable();
    expect(table.split('\n')[0]).toMatch(/^\| state \| is \| entries /);
    expect(table).not.toContain('enforcing');
    expect(table.split('\n').length).toBeLessThan(90);
  });
});
