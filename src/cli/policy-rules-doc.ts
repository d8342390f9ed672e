// Contract: docs/rules.md from the rules themselves: every pack, every rule, and the contested ones with the setting that changes
// them. PURE: scripts/generated.ts writes it.
import { PACKS, type PackId, type RuleInfo } from '../policy/pack.ts';

const ABOUT: Readonly<Record<PackId, string>> = {
  'git-destructive': 'History and work that git would drop or overwrite.',
  'hook-bypass': 'Git hooks that are skipped or switched off.',
  filesystem: 'Removal and overwriting of what cannot be brought back.',
  disk: 'Disks, partitions, and the machine itself.',
  'remote-exec': 'Code that comes from elsewhere and is run unread.',
  obfuscation: 'Commands that hide what they run.',
  'self-protection': 'The registrations, settings and files of the guard, and the switches of its clients.',
  secrets: 'Keys, credential stores and environments that would leave the machine or be read.',
  infra: 'Clusters, clouds, containers and forges.',
  sql: 'Statements that empty or drop what a database holds.',
  windows: 'The same in PowerShell and cmd.',
  operator: 'Rules of the operator and of workspaces; they stand in settings documents.',
};

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function row(rule: RuleInfo): string {
  return `| \`${rule.id}\` | ${rule.level}${rule.contested === true ? ', contested' : ''} | ${cell(rule.title)} | ${cell(rule.reason)} |`;
}

function contested(rules: readonly RuleInfo[]): string {
  const rows = rules.filter((rule) => rule.contested === true).map((rule) => `| \`${rule.id}\` | ${rule.level} | ${cell(rule.title)} | \`${rule.id}: ${rule.level === 'deny' ? 'ask' : 'deny'}\` |`);
  return ['| rule | default | what it matches | the other way |', '|---|---|---|---|', ...rows].join('\n');
}

export function renderRulesDoc(rules: readonly RuleInfo[]): string {
  const packs = PACKS.filter((pack) => rules.some((rule) => rule.pack === pack)).map((pack) => [
    `## ${pack}`, '', ABOUT[pack], '', '| rule | default | what it matches | what the model reads |', '|---|---|---|---|', ...rules.filter((rule) => rule.pack === pack).map(row), '',
  ].join('\n'));
  return [
    '# Rules', '', `${rules.length} built-in rules. \`deny\` refuses, \`ask\` brings a person, \`off\` is not asked. A level is set for a pack or for a rule in [settings.yaml](settings.md), a rule before its pack:`, '',
    '```yaml', 'hooks:', '  command_policy:', '    packs:', '      infra: ask', '    rules:', '      git.push.force: ask', '```', '',
    'What is in force here: `praetorctl policy list`. Why something was refused: `praetorctl policy explain` ([policy.md](policy.md)).', '',
    ...packs, '## Contested', '', 'People disagree about these. Each is one line under `hooks.command_policy.rules` away from the other way.', '', contested(rules), '',
  ].join('\n');
}
