// Contract: the mismatches of `policy test --cases` as one SARIF 2.1.0 log, for code scanning in CI. A row that is judged as
// expected is no result. PURE.
import type { CaseResult, Judged } from './policy-cases.ts';
import { ruleById } from './policy-rules.ts';
import { VERSION } from './output.ts';

/** A row that should have been stopped has no rule of ours that could be named. */
const MISSED = 'policy.case.missed';
const WEAKER = 'policy.case.other-verdict';

const OWN_RULES: Readonly<Record<string, string>> = {
  [MISSED]: 'A command that should be stopped is not stopped by the policy in force.',
  [WEAKER]: 'A command is stopped, but not in the way that is expected.',
};

export interface SarifLog {
  readonly $schema: string;
  readonly version: '2.1.0';
  readonly runs: readonly Record<string, unknown>[];
}

const stopped = (one: Judged): boolean => one.verdict === 'deny' || one.verdict === 'ask';

/** A false alarm is a finding about the rule that raised it. */
function ruleOf(one: Judged): string {
  if (!stopped(one)) return MISSED;
  return one.expect === 'allow' ? one.rule ?? WEAKER : WEAKER;
}

function descriptor(id: string): Record<string, unknown> {
  const rule = ruleById(id);
  const text = rule?.title ?? OWN_RULES[id] ?? 'A rule of the operator.';
  return { id, shortDescription: { text }, ...(rule === undefined ? {} : { fullDescription: { text: rule.reason } }), defaultConfiguration: { level: id === MISSED ? 'error' : 'warning' } };
}

function message(one: Judged): string {
  const said = stopped(one) ? `${one.verdict === 'deny' ? 'denied' : 'asked'}${one.rule === null ? '' : ` by ${one.rule}`}` : 'not stopped';
  return `Case ${one.id} (${one.group}): expected ${one.expect}, ${said}: ${one.command.slice(0, 500)}`;
}

export function sarifLog(result: CaseResult, artifact: string): SarifLog {
  const wrong = result.cases.filter((one) => !one.right);
  const ids = [...new Set(wrong.map(ruleOf))].sort();
  // Characters that a URI may not hold are escaped; separators stay.
  const uri = artifact.split('/').map(encodeURIComponent).join('/');
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{
      tool: { driver: { name: 'praetorctl', semanticVersion: VERSION, rules: ids.map(descriptor) } },
      columnKind: 'utf16CodeUnits',
      invocations: [{ executionSuccessful: true }],
      artifacts: [{ location: { uri } }],
      results: wrong.map((one) => ({
        ruleId: ruleOf(one), ruleIndex: ids.indexOf(ruleOf(one)), kind: 'fail', level: stopped(one) ? 'warning' : 'error', message: { text: message(one) },
        locations: [{ physicalLocation: { artifactLocation: { uri, index: 0 }, region: { startLine: one.line } } }],
        partialFingerprints: { 'praetorctlCase/v1': `${one.group}/${one.id}` },
        properties: { class: one.group, expected: one.expect, verdict: one.verdict },
      })),
      properties: { total: result.total, classes: result.classes },
    }],
  };
}
