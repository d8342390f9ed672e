// Contract: what an agent leaves in the environment of its commands is seen, and what a person sets is not taken for it.
import { expect, test } from 'vitest';
import { agentMark } from '../../src/clients/marks.ts';
import { DIALECTS } from '../../src/clients/dialects.ts';

test.each([
  'CRUSH', 'CRUSH_EVENT', 'FACTORY_PROJECT_DIR', 'CLINE_BUILD_ENV', 'CLINE_CONNECTOR_CLI_LAUNCH', 'AUGMENT_PROJECT_DIR', 'AUGMENT_HOOK_EVENT',
  'DEVIN_PROJECT_DIR', 'CONTINUE_PROJECT_DIR', 'KILO', 'KILO_PID', 'AGENT_TOOL_NAME',
])('%s is a mark', (name) => {
  expect(agentMark({ [name]: '1' })).toBe(name);
  expect(agentMark({ [name]: '' })).toBeUndefined();
});

test('every variable by which a dialect knows its client is a mark', () => {
  const names = DIALECTS.flatMap(({ mark }) => Object.entries(mark?.env ?? {})).flatMap(([name, wanted]) => (wanted !== 'unset' && name !== 'session_id' ? [name] : []));
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => agentMark({ [name]: 'x' }) === undefined)).toEqual([]);
});

test('AGENT is one with the value of a client only; what a person sets is none', () => {
  expect(agentMark({ AGENT: 'amp' })).toBe('AGENT');
  expect(agentMark({ AGENT: 'travel', session_id: 'x', AUGMENT_SESSION_AUTH: 'x', CLAUDE_CONFIG_DIR: '/x', PATH: '/usr/bin' })).toBeUndefined();
});
