// causeOf is total, and "proven" needs everything: also for what no small program can play.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientById } from '../../src/clients/registry.ts';
import type { ClientEvidence } from '../../src/model/evidence.ts';
import { CANARY_RULE } from '../../src/policy/canary.ts';
import type { Receipt } from '../../src/receipts/format.ts';
import { causeOf, PROOF_CAUSES, type CauseGround, type RunSeen } from '../../src/verify/prove-cause.ts';

const evidence = {
  files: [], switches: [], trust: 'no-gate', entrypoint: '/bin/praetorctl',
} as unknown as ClientEvidence;
const ground: CauseGround = { client: clientById('codex'), evidence, engine: '1', policy: 'p', secondsMax: 90 };
const receipt = (more: Partial<Receipt> = {}): Receipt => ({ v: 1, time: '2026-01-01T00:00:00.000Z', client: 'codex', caller: 'codex', event: 'pre-tool', verdict: 'neutral', engine: '1', policy: 'p', ms: 5, ...more });
const refusal = receipt({ verdict: 'deny', rule: CANARY_RULE });
const answer = `no [praetorctl: ${CANARY_RULE}]`;
const proven: RunSeen = {
  failure: undefined, exit: 0, timedOut: false, requests: 3, turns: 3, control: { played: true, took: true, answer: 'ran' }, canary: { played: true, took: false, answer }, mcp: { tool: 'mcp__lab__echo', judged: true },
  onClientPath: true, receipts: [receipt(), refusal], command: undefined,
};
const withEvidence = (more: Partial<ClientEvidence>): CauseGround => ({ ...ground, evidence: { ...evidence, ...more } });
const ran = { ...proven, canary: { played: true, took: true, answer: 'ran' }, receipts: [] };

describe('the cause of a run', () => {
  it('is none where everything was seen', () => { expect(causeOf(proven, ground)).toBeUndefined(); });

  it.each<[string, Partial<RunSeen>]>([
    ['receipt-lost', { receipts: [] }], ['wrong-caller', { receipts: [receipt(), { ...refusal, caller: 'unknown' }] }], ['version-skew', { receipts: [receipt(), { ...refusal, policy: 'other' }] }],
    ['wrong-dialect', { receipts: [receipt(), { ...refusal, client: 'claude' }] }], ['policy-allowed', { ...ran, receipts: [receipt(), receipt()] }], ['reason-lost', { canary: { played: true, took: false, answer: 'no' } }],
    ['hook-timeout', { ...ran, command: { status: 'error', message: 'gave no answer within 1 s', receiptLost: false, fault: 'timeout' } }],
    ['receipt-lost', { ...ran, command: { status: 'ok', message: '', receiptLost: true } }], ['program-missing', { ...ran, onClientPath: false }],
    ['timed-out', { timedOut: true, exit: null, canary: { played: true, took: false, answer: undefined } }],
    ['mcp-not-judged', { mcp: { tool: 'mcp__lab__echo', judged: false } }],
    ['control-refused', { control: { played: true, took: false, answer: 'no' }, receipts: [receipt({ verdict: 'deny', rule: 'x.y' })] }],
  ])('%s', (cause, more) => {
    expect(causeOf({ ...proven, ...more }, ground)?.cause).toBe(cause);
  });

  it('needs no answer where a refusal ends the task', () => {
    const cline = { ...ground, client: clientById('cline') };
    const line = { client: 'cline', caller: 'cline' };
    const over: RunSeen = { ...proven, canary: { played: true, took: false, answer: undefined }, receipts: [receipt(line), { ...refusal, ...line }] };
    expect(causeOf(over, cline)).toBeUndefined();
    expect(causeOf({ ...over, timedOut: true }, cline)?.cause).toBe('timed-out');
    expect(causeOf({ ...over, canary: { ...over.canary, played: false } }, cline)?.cause).toBe('script-not-finished');
    expect(causeOf({ ...over, receipts: [receipt(line)] }, cline)?.cause).toBe('refused-by-others');
    const stopped = { played: true, took: false, answer: undefined };
    expect(causeOf({ ...over, control: stopped, canary: { ...stopped, played: false }, receipts: [], onClientPath: undefined }, { ...cline, evidence: { ...evidence, entrypoint: undefined } })?.cause).toBe('program-missing');
    expect(causeOf({ ...over, control: stopped, canary: { ...stopped, played: false }, receipts: [{ ...refusal, ...line, rule: 'x.y' }] }, cline)?.cause).toBe('control-refused');
  });

  it('names a hook that was changed', () => {
    const changed = withEvidence({ files: [{ spec: { role: 'hooks' }, path: '', hooks: [{ event: 'pre-tool', status: 'changed', path: '/x' }], commands: [], findings: [] }] as unknown as ClientEvidence['files'] });
    expect(causeOf(ran, changed)?.cause).toBe('hook-changed');
  });

  it('names trust, switches and rejected files from the evidence', () => {
    const hooks = [{ event: 'pre-tool', status: 'as-desired' }];
    const place = { file: null, key: null, seen: 'x' };
    const untrusted = withEvidence({ files: [{ spec: { role: 'hooks' }, hooks, commands: [], findings: [] }] as unknown as ClientEvidence['files'], trust: [{ canonical: 'pre-tool', state: 'untrusted', fix: 'trust it', evidence: place }] });
    expect(causeOf(ran, untrusted)).toMatchObject({ cause: 'hook-not-trusted', fix: 'trust it' });
    const off = (effect: 'hooks' | 'file'): CauseGround => withEvidence({ switches: [{ id: 'x', effect, certain: true, message: 'off', fix: 'on', evidence: place }] });
    expect(causeOf(ran, off('hooks'))?.cause).toBe('hooks-off');
    expect(causeOf(ran, off('file'))?.cause).toBe('file-rejected');
    // The control ran: what it found on the client's PATH decides, not what this session finds.
    expect(causeOf(ran, withEvidence({ entrypoint: undefined }))?.cause).toBe('hook-not-run');
    expect(causeOf({ ...ran, onClientPath: undefined }, withEvidence({ entrypoint: undefined }))?.cause).toBe('program-missing');
    const launcher = withEvidence({ files: [{ spec: { role: 'hooks' }, hooks: [], commands: [{ event: 'pre-tool', command: '/h/bin/praetorctl hook codex pre-tool' }], findings: [] }] as unknown as ClientEvidence['files'] });
    expect(causeOf({ ...ran, onClientPath: false }, launcher)?.cause).toBe('hook-not-run');
    expect(causeOf({ ...ran, command: { status: 'error', message: 'was not found', receiptLost: false, fault: 'not-found' } }, launcher)?.cause).toBe('program-missing');
  });

  it('is total, known, and never proven while the canary ran, the control did not, or nobody of ours refused', () => {
    const step = fc.record({ played: fc.boolean(), took: fc.boolean(), answer: fc.constantFrom(undefined, 'no', answer) });
    const line = fc.record({ verdict: fc.constantFrom('deny', 'neutral', 'error'), rule: fc.constantFrom(CANARY_RULE, 'x'), client: fc.constantFrom('codex', 'claude'), caller: fc.constantFrom('codex', 'unknown'), engine: fc.constantFrom('1', '2'), event: fc.constantFrom('pre-tool', 'session-start') });
    const seen = fc.record({
      failure: fc.constantFrom(undefined, 'ENOENT'), exit: fc.constantFrom(0, 1, null), timedOut: fc.boolean(), requests: fc.nat(3), turns: fc.nat(3), control: step, canary: step, mcp: fc.record({ tool: fc.constantFrom(undefined, 'mcp__lab__echo'), judged: fc.boolean() }),
      onClientPath: fc.constantFrom(true, false, undefined), receipts: fc.array(line.map((more) => receipt(more as Partial<Receipt>)), { maxLength: 3 }), command: fc.constant(undefined),
    });
    fc.assert(fc.property(seen, (one) => {
      const found = causeOf(one, ground);
      if (found !== undefined) {
        expect(PROOF_CAUSES).toContain(found.cause);
        expect(found.text.length * found.fix.length).toBeGreaterThan(0);
        return;
      }
      expect(one.failure ?? '').toBe('');
      expect(one.mcp.tool === undefined || one.mcp.judged).toBe(true);
      expect([one.control.took, one.canary.took, one.canary.answer]).toEqual([true, false, answer]);
      expect(one.receipts.some((r) => r.verdict === 'deny' && r.rule === CANARY_RULE && r.client === 'codex' && r.caller === 'codex' && r.engine === '1')).toBe(true);
    }), { numRuns: 3000 });
  });
});
