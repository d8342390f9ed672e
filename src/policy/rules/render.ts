// Contract: docs/rules.md from the rules themselves, so that the document cannot say anything else. PURE.
import { PACKS, type PackId, type RuleInfo } from '../pack.ts';
import { RULES, TOOL_RULES } from './index.ts';

const ABOUT: Readonly<Partial<Record<PackId, string>>> = {
  'git-destructive': 'Commands of git that throw away work, history or branches of others.',
  'hook-bypass': 'Ways around the git hooks of the project.',
  filesystem: 'Removal and overwriting of what belongs to the system, to the person, or is the whole workspace.',
  disk: 'Block devices, and the running machine: power, processes, mounts, firewall, services, accounts, kernel.',
  'remote-exec': 'Code from the network that nobody has read, and shells given to the network.',
  obfuscation: 'Text that is hidden until it runs.',
  'self-protection': 'The guard itself: its files, its registrations, and agents that are started without it.',
  secrets: 'Keys and credentials: reading, sending, exporting.',
  infra: 'Clusters, clouds, forges and registries: what others use.',
  sql: 'Databases.',
  windows: 'PowerShell and cmd.',
};

/** Every built-in rule once, in the order of packs and of the lists. */
export function ruleInfos(): readonly RuleInfo[] {
  const seen = new Map<string, RuleInfo>();
  for (const rule of [...RULES, ...TOOL_RULES]) if (!seen.has(rule.id)) seen.set(rule.id, rule);
  return [...seen.values()].sort((a, b) => PACKS.indexOf(a.pack) - PACKS.indexOf(b.pack));
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

function table(rules: readonly RuleInfo[]): string[] {
  const rows = rules.map(({ id, level, contested, title, reason }) => `| \`${id}\` | ${level}${contested === true ? ', contested' : ''} | ${cell(title)} | ${cell(reason)} |`);
  return ['| rule | level | matches | what the model reads |', '|---|---|---|---|', ...rows];
}

function contestedTable(rules: readonly RuleInfo[]): string[] {
  const rows = rules.filter((rule) => rule.contested === true).map(({ id, level, title }) => `| \`${id}\` | ${cell(title)} | ${level} | \`hooks.command_policy.rules: { ${id}: ${level === 'off' ? 'ask' : 'off'} }\` |`);
  return ['| rule | matches | default | to change it |', '|---|---|---|---|', ...rows];
}

export function renderRules(): string {
  const rules = ruleInfos();
  const lines = [
    '# Rules', '',
    `${rules.length} built-in rules in ${new Set(rules.map(({ pack }) => pack)).size} packs. How a command is understood, and what the levels mean: [guard.md](guard.md). This file is made by \`npm run docs\`.`, '',
    '`deny` refuses, `ask` lets a person decide (where a client cannot ask, it refuses), `off` is not asked. A rule may weaken its own `deny` to a question for a milder spelling.', '',
    '## Contested rules', '', 'People disagree about these. The defaults are the least surprising ones; each is one setting away.', '',
    ...contestedTable(rules),
  ];
  for (const pack of PACKS) {
    const own = rules.filter((rule) => rule.pack === pack);
    if (own.length > 0) lines.push('', `## ${pack}`, '', ABOUT[pack] ?? '', '', ...table(own));
  }
  return `${lines.join('\n')}\n`;
}
