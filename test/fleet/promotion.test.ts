// The form of a promotion: every key is needed or optional, and a wrong one is named.
import { describe, expect, it } from 'vitest';
import { artefactRef, readPromotion, versionId } from '../../src/fleet/promotion.ts';

const good = {
  schema: 'praetor.promotion/1', repository: 'git.example/ops', seq: 1, prev: null, at: '2026-11-30T10:00:00.000Z', commit: 'a'.repeat(40), base: 'b'.repeat(40),
  artifact: { ref: artefactRef('a'.repeat(40)), bytes: 10, sha512: 'c'.repeat(128) }, version: '1.2.3', gates: [{ command: 'npm test', exit: 0, sha256: 'd'.repeat(64) }],
};

describe('promotion', () => {
  it('is read, with what it leaves out', () => {
    expect(readPromotion(good)).toMatchObject({ seq: 1, urgent: false, minFrom: 0, withdraws: [], resets: null, expires: null, signers: null });
    expect(readPromotion({ ...good, urgent: true, later: 1, signers: ['x'] })).toMatchObject({ urgent: true, signers: ['x'] });
    expect(versionId(good.artifact.sha512)).toBe('c'.repeat(16));
  });
  it.each(Object.keys(good).filter((key) => key !== 'schema'))('without %s it is none', (key) => {
    const { [key as 'seq']: _, ...rest } = good;
    expect(readPromotion(rest)).toBe(key);
  });
  it.each([
    ['seq', 0], ['seq', 1.5], ['prev', 'x'], ['at', 'yesterday'], ['commit', 'A'.repeat(40)], ['commit', 'a'.repeat(39)], ['artifact', { ...good.artifact, ref: 'refs/heads/main' }],
    ['artifact', { ...good.artifact, ref: `${artefactRef('a'.repeat(40))}/../x` }], ['artifact', { ...good.artifact, bytes: -1 }], ['artifact', { ...good.artifact, sha512: 'c' }], ['gates', [{}]],
    ['urgent', 'yes'], ['minFrom', -1], ['withdraws', ['x']], ['resets', ''], ['expires', 1], ['signers', []],
  ])('a wrong %s is named: %j', (key, value) => {
    expect(readPromotion({ ...good, [key]: value } as never)).toBe(key);
  });
});
