// Contract: rules about commands that switch the guard off: agents started without hooks, the guard's own commands that only
// a person may give, its program hidden or ended, its directories moved. PURE.
import { readOptions, type OptionSpec } from '../shell/options.ts';
import type { Hit, Rule, Word } from '../types.ts';
import { isAssignment } from '../unwrap.ts';
import { head, rule, type Check } from './kit.ts';
import { isHelp, listed } from './options.ts';
import { switchesHooksOff } from './self-text.ts';

const PACK = 'self-protection';
const UNGUARDED = 'This starts an agent without hooks or without any check. Start it with its ordinary settings, or ask the person.';

/** Programs of AI clients as they are called in a shell. */
const CLIENTS = 'claude codex gemini agy qwen cursor-agent opencode copilot aider amp droid goose cline crush';
const CLIENT_SPEC: OptionSpec = { exact: true, valued: 'cspmaCi', longs: 'config= enable= disable= settings= setting-sources= permission-mode= approval-mode= model= profile= sandbox= ask-for-approval= add-dir= mcp-config= append-system-prompt= system-prompt= output-format= input-format= resume= agents= plugin-dir= allowed-tools= disallowed-tools= allowedTools= disallowedTools= tools= fallback-model= session-id= prompt= prompt-interactive= extensions= include-directories= image= cd= color=' };

/** No question is asked and nothing is refused any more. */
const YOLO = '--dangerously-skip-permissions --allow-dangerously-skip-permissions --dangerously-bypass-approvals-and-sandbox --yolo --dangerously-allow-all --skip-permissions-unsafe --allow-all-tools --allow-all --yes-always --dangerously-bypass-hook-trust';
/** No hooks or no user settings are read. */
const BARE = '--safe-mode --bare --no-hooks --disable-hooks';

function clientOptions(args: readonly Word[]): Hit | undefined {
  let weak: Hit | undefined;
  for (const { name, value = '', word } of readOptions(args, CLIENT_SPEC).options) {
    if (listed(YOLO, name)) return name === '--dangerously-bypass-hook-trust' ? { at: word, decision: 'ask' } : { at: word };
    if (listed(BARE, name)) return { at: word };
    if (name === '--setting-sources' && !value.split(',').includes('user')) return { at: word };
    if (name === '--permission-mode' && value.toLowerCase() === 'bypasspermissions') return { at: word };
    if (name === '--approval-mode' && value.toLowerCase() === 'yolo') return { at: word };
    if (name === '--disable' && value.split(',').some((one) => one === 'hooks' || one === 'codex_hooks')) return { at: word };
    if (name === '--skip-trust' || (name === '--settings' && !switchesHooksOff(value) && value !== '')) weak ??= { at: word, decision: 'ask' };
  }
  return weak;
}

const nested: Check = ({ program, args, assigns, env }) => {
  if (isHelp(args) || args[0]?.text === '--version') return undefined;
  const off = args.find(({ text }) => switchesHooksOff(text));
  if (off !== undefined && !isPrompt(args, off)) return { at: off };
  const hit = clientOptions(args);
  if (hit !== undefined && hit.decision !== 'ask') return hit;
  if (listed('gemini qwen', program)) {
    const yes = args.find(({ text }) => text === '-y');
    if (yes !== undefined) return { at: yes };
  }
  const simple = assigns.find(({ text }) => isSimple(text)) ?? [...env].find(([name, word]) => isSimple(`${name}=${word.text}`))?.[1];
  if (simple !== undefined) return { at: simple };
  const operands = args.filter(({ text }) => text[0] !== '-');
  if (operands[0]?.text === 'hooks' && listed('disable disable-all uninstall remove', operands[1]?.text ?? '')) return { at: operands[1] };
  if (operands[0]?.text === 'features' && operands[1]?.text === 'disable' && operands[2]?.text === 'hooks') return { at: operands[2] };
  return hit;
};

/** Text behind -p is for the model. A word that switches hooks off must stand where a setting stands. */
function isPrompt(args: readonly Word[], word: Word): boolean {
  const before = args[args.indexOf(word) - 1]?.text ?? '';
  return listed('-p --print --prompt exec -i --prompt-interactive --append-system-prompt --system-prompt -m', before) || (word.text[0] !== '-' && /\s\S+\s\S+\s/u.test(word.text) && !word.text.trimStart().startsWith('{'));
}

const isSimple = (text: string): boolean => text === 'CLAUDE_CODE_SIMPLE=1' || text === 'CLAUDE_CODE_SIMPLE=true' || text === 'CLAUDE_CODE_SAFE_MODE=1';

/** Another settings directory has no registrations. */
const MOVES = 'CLAUDE_CONFIG_DIR CODEX_HOME GEMINI_CLI_HOME GEMINI_CLI_SYSTEM_SETTINGS_PATH QWEN_HOME';
const OURS = 'PRAETORCTL_CONFIG_DIR PRAETORCTL_STATE_DIR PRAETORCTL_DATA_DIR PRAETORCTL_SETTINGS';
const EXPORTS = 'export declare typeset setx';

const moved: Check = ({ program, args, assigns }) => {
  const exported = listed(EXPORTS, program);
  if (!exported && !listed(CLIENTS, program)) return undefined;
  const words = program === 'setx' ? args.slice(0, 1).map((word) => ({ ...word, text: `${word.text}=${args[1]?.text ?? ''}` })) : exported ? args.filter(({ text }) => isAssignment(text)) : assigns;
  for (const word of words) {
    const name = word.text.slice(0, word.text.indexOf('='));
    if (listed(OURS, name)) return { at: word };
    if (isSimple(word.text)) return { at: word };
    if (listed(MOVES, name)) return { at: word, decision: 'ask' };
  }
  return undefined;
};

// ---- the guard's own program ----

const SELF = 'praetorctl';

const ownCommands: Check = ({ args }) => {
  if (isHelp(args) || args.some(({ text }) => text === '-n' || text === '--dry-run')) return undefined;
  const operands = readOptions(args, { exact: true, longs: 'client= scope= settings= color= state-dir= config-dir= format= output= to= out=' }).operands;
  const isGiven = (name: string): boolean => args.some(({ text }) => text === name || text.startsWith(`${name}=`));
  const [group, verb] = [operands[0]?.text ?? '', operands[1]?.text ?? ''];
  if (group === 'clients' && listed('remove rollback', verb)) return { at: operands[1] };
  // Which version answers, when it is brought up to date, what a fleet runs and which receipts count is a person's choice.
  if (group === 'workstation' && (listed('install rollback pin unpin', verb) || (verb === 'update' && !isGiven('--check')))) return { at: operands[1] };
  if (group === 'schedule' && listed('install remove', verb)) return { at: operands[1] };
  if ((group === 'fork' && verb === 'promote') || (group === 'receipts' && verb === 'verify' && isGiven('--accept'))) return { at: operands[1] };
  if (group === 'policy' && verb === 'allow') return { at: operands[1] };
  return group === 'uninstall' || group === 'remove' ? { at: operands[0] } : undefined;
};

const uninstall: Check = ({ program, args }) => {
  const operands = args.filter(({ text }) => text[0] !== '-');
  const at = operands.find(({ text }) => text === SELF || text.startsWith(`${SELF}@`));
  if (at === undefined) return undefined;
  const verbs = operands.slice(0, 3).map(({ text }) => text);
  if (!verbs.some((text) => listed('uninstall remove rm un unlink r uninst', text))) return undefined;
  const global = args.some(({ text }) => text === '-g' || text === '--global' || text === '--location=global') || verbs[0] === 'global' || program === 'brew' || program === 'volta';
  return global ? { at } : { at, decision: 'ask' };
};

const ends: Check = ({ args }) => {
  const at = args.find(({ text }) => text.includes(SELF) && text[0] !== '-');
  return at === undefined ? undefined : { at };
};

/** The jobs that keep a workstation up to date: units, labels and tasks are all named after the program. */
const unscheduled: Check = ({ program, args }) => {
  const named = args.find(({ text }) => text.toLowerCase().includes(SELF));
  if (named === undefined) return undefined;
  const verbs = program === 'schtasks' ? '/delete /change /end' : program === 'launchctl' ? 'bootout unload remove disable kill stop' : 'disable stop mask kill revert';
  return args.some(({ text }) => listed(verbs, text.toLowerCase())) ? { at: named } : undefined;
};

const shadows: Check = ({ program, args }) => {
  const at = args.find(({ text }) => (program === 'alias' ? text.startsWith(`${SELF}=`) : text === SELF));
  if (at === undefined) return undefined;
  return program === 'hash' && !args.some(({ text }) => text === '-p') ? undefined : { at };
};

/** A PATH of its own leaves out where the guard's program is found, for everything that is started later. */
const path: Check = ({ args }) => {
  const at = args.find(({ text }) => text.startsWith('PATH='));
  if (at === undefined) return undefined;
  return at.dynamic || at.text.includes('$') || at.text.includes('/.local/bin') ? undefined : { at };
};

/** `rm "$(command -v praetorctl)"` arrives as the bare name; a file that is only named so may be the project's, and a person decides. */
const rights: Check = ({ args }) => {
  const at = args.find(({ text }) => text === SELF);
  if (at === undefined) return undefined;
  const substituted = at.end - at.start > SELF.length + 2;
  return substituted ? { at } : { at, decision: 'ask' };
};

export const SELF_SWITCH_RULES: readonly Rule[] = [
  rule(PACK, head('self.client.unguarded', 'an AI client started without hooks, without settings or with every check off', UNGUARDED), CLIENTS, nested),
  rule(PACK, head('self.client.moved', 'another settings directory for a client or for praetorctl', 'Another directory has no registrations of the guard. Ask the person.'), `${EXPORTS} ${CLIENTS}`, moved, 'assigns'),
  rule(PACK, head('self.command', 'praetorctl commands that remove or replace the guard: clients remove, workstation rollback, ...', 'Only a person may take the guard away, replace it, promote a version or allow a denied call. Ask the person to run it.'), SELF, ownCommands),
  rule(PACK, head('self.uninstall', 'uninstalling the package praetorctl', 'This removes the guard. Ask the person to do it.'), 'npm pnpm yarn bun brew volta npx', uninstall),
  rule(PACK, head('self.kill', 'ending processes of praetorctl', 'This ends the guard while it judges. Ask the person.'), 'pkill killall taskkill stop-process', ends),
  rule(PACK, head('self.schedule', 'stopping or deleting the scheduled jobs of praetorctl', 'This would keep the guard at an old version. Ask the person.'), 'systemctl launchctl schtasks', unscheduled),
  rule(PACK, head('self.shadow', 'an alias or hash entry for praetorctl', 'This would run another program in the place of the guard. Ask the person.'), 'alias hash', shadows),
  rule(PACK, head('self.path', 'export PATH without the old PATH', 'This PATH leaves out the directory of the guard and of other programs. Extend it: PATH="/new/dir:$PATH".', 'ask'), 'export', path),
  rule(PACK, head('self.rights', 'rm, mv or chmod of a program named praetorctl', 'This takes the guard\'s program away. Ask the person.'), 'rm mv chmod chown unlink truncate shred', rights),
];
