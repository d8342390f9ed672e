// Contract: rules about changes of the guard's own files, of registrations and of hook files, by shell commands, by inline
// code and by file tools. Reading is never judged. PURE.
import type { JsonValue } from '../../model/json.ts';
import type { ToolCall } from '../../model/payload.ts';
import { resolvePath } from '../paths.ts';
import type { Effective, Hit, Place, Rule, ToolRule } from '../types.ts';
import { codeTexts, INTERPRETER_PROGRAMS } from './code-text.ts';
import { literalPaths } from './code.ts';
import { head, rule, toolRule, type Check } from './kit.ts';
import { localPath } from './places.ts';
import { isHookConfig, levelOf, type Level } from './self-places.ts';
import { effectOf, effectOfScript, switchesHooksOff, type Effect } from './self-text.ts';
import { addedLines, writesOf, WRITING_PROGRAMS, type Write } from './writes.ts';

const OWN = 'This file belongs to praetorctl or registers its hooks. Ask the person to change it with praetorctl.';
const SHARED = 'This settings file also holds the registrations of praetorctl. A person must confirm the change.';
const SWITCH = 'This would switch the hooks of the client off. Ask the person to do it.';
const DROP = 'This would take the registration of praetorctl out of a settings file. Edit only the keys you mean with the edit tool, or ask the person.';
const GIT_HOOK = 'This changes a git hook of the project. Ask the person to do it.';

type Decision = 'deny' | 'ask';

function ofEffect(effect: Effect): { readonly decision: Decision; readonly reason: string } | undefined {
  if (effect === 'switch') return { decision: 'deny', reason: SWITCH };
  if (effect === 'drop') return { decision: 'deny', reason: DROP };
  return effect === 'none' ? undefined : { decision: 'ask', reason: SHARED };
}

/** A shell command on a settings file: what is not known of the new text decides as much as what is. */
function ofWrite({ how, content, whole }: Write): ReturnType<typeof ofEffect> {
  if (how === 'remove' || how === 'move' || whole) return ofEffect('drop');
  if (how === 'mode' || how === 'link') return ofEffect('drop');
  const texts = content ?? [];
  const known = texts.some((text) => text !== '');
  if (!known) return ofEffect('unknown');
  if (how === 'append') return ofEffect(effectOf({ whole: false, added: texts, removed: [] }));
  if (how === 'edit') {
    const effects = texts.map(effectOfScript);
    return ofEffect((['switch', 'drop', 'concerns'] as const).find((one) => effects.includes(one)) ?? 'none');
  }
  return ofEffect(effectOf({ whole: true, added: texts, removed: [] }));
}

function judgeWrite(write: Write, level: Level): Hit | undefined {
  if (level === 'own' || level === 'hooks') return { at: write.word };
  if (level === 'workspace') return { at: write.word, decision: 'ask' };
  const found = ofWrite(write);
  return found === undefined ? undefined : { at: write.word, ...found };
}

function strongest(hits: readonly (Hit | undefined)[]): Hit | undefined {
  let weak: Hit | undefined;
  for (const hit of hits) {
    if (hit === undefined) continue;
    if (hit.decision !== 'ask') return hit;
    weak ??= hit;
  }
  return weak;
}

type Levelled = readonly [Write, Level | undefined, string];
const known = new WeakMap<Effective, readonly Levelled[]>();

/** Three rules ask, the answer is the same. */
function levels(effective: Effective, place: Place): readonly Levelled[] {
  let found = known.get(effective);
  if (found === undefined) known.set(effective, found = findLevels(effective, place));
  return found;
}

function findLevels(effective: Effective, place: Place): readonly Levelled[] {
  return writesOf(effective).map((write) => {
    const path = localPath(write.text, place) ?? '';
    return [write, path === '' || write.how === 'extract' ? undefined : levelOf(path, write.whole, place), path] as const;
  });
}

const registrations: Check = (effective, place) => strongest(levels(effective, place).map(([write, level]) => (level === undefined || level === 'git-hook' ? undefined : judgeWrite(write, level))));

const hookFiles: Check = (effective, place) => {
  const found = levels(effective, place).find(([, level]) => level === 'git-hook');
  return found === undefined ? undefined : { at: found[0].word };
};

/** Removing the configuration of a hook manager; editing it is ordinary work. */
const hookConfigs: Check = (effective, place) => {
  const found = levels(effective, place).find(([write, , path]) => isHookConfig(path) && (write.how === 'remove' || write.how === 'move' || write.how === 'link' || (write.how === 'mode' && path.includes('/.husky'))));
  return found === undefined ? undefined : { at: found[0].word };
};

const WRITES = ["'w'", '"w"', "'a'", '"a"', "'w+'", '"w+"', "'r+'", '"r+"', "'wb'", 'write_text(', 'write_bytes(', '.write(', 'dump(', 'writeFile', 'appendFile', 'unlink', 'os.remove(', 'os.rename(', 'os.replace(', '.rename(', 'rmtree', 'truncate', 'copyfile', 'copyFile', 'shutil.', 'File.write', 'file_put_contents', 'rmSync', 'createWriteStream', 'FileUtils', 'symlink', 'chmod', "'>'", '">"', "'>>'"];

/** A program that writes one of these files without the client's edit tool cannot be compared with what stands there. */
const byCode: Check = (effective, place) => {
  const codes = codeTexts(effective);
  if (codes.length === 0 || !codes.some((code) => WRITES.some((mark) => code.includes(mark)))) return undefined;
  const level = literalPaths(effective, place).map((path) => levelOf(path, false, place)).find((one) => one !== undefined);
  if (level !== undefined) return { reason: level === 'git-hook' ? GIT_HOOK : OWN };
  // Paths put together from pieces: every part of a guarded path stands in the code.
  const named = place.facts.guarded.some(({ path }) => codes.some((code) => path.split('/').every((part) => code.includes(part)) && path.includes('/')));
  return named ? { reason: OWN } : undefined;
};

/** `jq '.disableAllHooks=true' settings.json > new`: the filter says what will be written in the next step. */
const filters: Check = (effective, place) => {
  const { args } = effective;
  const script = args.find(({ text }) => switchesHooksOff(text));
  if (script === undefined) return undefined;
  const reads = args.some((word) => word !== script && levelOf(resolvePath(word.text, place), false, place) !== undefined)
    || effective.command.redirects.some(({ write, target }) => !write && levelOf(resolvePath(target.text, place), false, place) !== undefined)
    || effective.pipedFrom.some((one) => one.args.some((word) => levelOf(resolvePath(word.text, place), false, place) !== undefined));
  return reads ? { at: script } : undefined;
};

// ---- file tools ----

const OLD_KEYS = ' old_string old_str old_text oldstring oldtext targetcontent search find old before ';
const PATH_KEYS = ' file_path path filepath notebook_path absolute_path targetfile absolutepath uri ';
const WHOLE_KEYS = ' content file_text codecontent contents filetext ';
const TEXTS_MAX = 2000;
const DEPTH_MAX = 8;

export interface ToolText { readonly added: string[]; readonly removed: string[]; whole: boolean }

/** The texts of a file tool's input: what it writes, what it replaces, and whether it writes the whole file. */
export function toolText(input: JsonValue): ToolText {
  const out: ToolText = { added: [], removed: [], whole: false };
  collect(input, '', 0, out);
  if (out.removed.length > 0) out.whole = false;
  return out;
}

function collect(value: JsonValue, key: string, depth: number, out: ToolText): void {
  if (depth > DEPTH_MAX || out.added.length + out.removed.length > TEXTS_MAX) return;
  if (typeof value === 'string') {
    const name = key.toLowerCase();
    if (PATH_KEYS.includes(` ${name} `)) return;
    if (value.includes('*** Begin Patch') || value.startsWith('*** ')) {
      for (const line of addedLines(value)) (line[0] === '+' ? out.added : out.removed).push(line.slice(1));
      return;
    }
    if (OLD_KEYS.includes(` ${name} `)) out.removed.push(value);
    else {
      out.added.push(value);
      if (WHOLE_KEYS.includes(` ${name} `)) out.whole = true;
    }
  } else if (Array.isArray(value)) for (const one of value) collect(one, key, depth + 1, out);
  else if (value !== null && typeof value === 'object') for (const name of Object.keys(value)) collect(value[name] ?? null, name, depth + 1, out);
}

/** A path as a file tool takes it: `~` stands for the home directory. */
export function toolPath(path: string, place: Place): string {
  const home = path === '~' || path.startsWith('~/') ? place.facts.home : undefined;
  return resolvePath(home === undefined ? path : home + path.slice(1), place);
}

/** In a home directory a whole new file replaces our registration; in a project there may be none. */
function judgeToolPath(path: string, texts: ToolText, place: Place): Hit | undefined {
  const resolved = toolPath(path, place);
  const level = levelOf(resolved, false, place);
  if (level === undefined || level === 'git-hook') return undefined;
  if (level === 'own' || level === 'hooks') return {};
  if (level === 'workspace') return { decision: 'ask' };
  if (texts.added.length + texts.removed.length === 0) return { decision: 'ask', reason: SHARED };
  const effect = effectOf(texts);
  if (effect === 'drop' && texts.whole && texts.removed.length === 0 && !isHomeFile(resolved, place)) return { decision: 'ask', reason: SHARED };
  return ofEffect(effect);
}

function isHomeFile(path: string, { facts }: Place): boolean {
  return facts.home !== undefined && facts.guarded.some(({ path: tail }) => path === resolvePath(`${facts.home}/${tail}`, { facts, cwd: undefined }));
}

function deletes(tool: ToolCall): boolean {
  const { input } = tool;
  const patch = input !== null && typeof input === 'object' && !Array.isArray(input) ? input['command'] : undefined;
  return typeof patch === 'string' && (patch.includes('*** Delete File: ') || patch.includes('*** Move to: '));
}

export function judgeFileTool(tool: ToolCall, place: Place): Hit | undefined {
  const texts = toolText(tool.input);
  const removed = deletes(tool);
  return strongest((tool.paths ?? []).map((path) => {
    const hit = judgeToolPath(path, texts, place);
    if (!removed) return hit;
    const level = levelOf(toolPath(path, place), false, place);
    return level === 'shared' ? { reason: DROP } : hit;
  }));
}

const gitHookTool = (tool: ToolCall, place: Place): Hit | undefined => ((tool.paths ?? []).some((path) => levelOf(toolPath(path, place), false, place) === 'git-hook') ? {} : undefined);

const SELF = 'self-protection';
const FILES = head('self.files', 'changing registrations, settings, receipts, state or the program of praetorctl', OWN);
const HOOK_FILE = head('git.hooks.file', 'changing, removing or disabling files in .git/hooks', GIT_HOOK);

export const SELF_FILE_RULES: readonly Rule[] = [
  rule(SELF, FILES, WRITING_PROGRAMS, registrations, 'redirects'),
  rule(SELF, head('self.code', 'inline code that writes registrations, settings or hooks', 'This code writes a file that belongs to praetorctl or registers its hooks. Use the edit tool, so that the change can be judged, or ask the person.'), INTERPRETER_PROGRAMS, byCode),
  rule(SELF, head('self.filter', 'jq, yq or sed text that switches hooks off in a settings file', SWITCH), 'jq yq dasel sed awk gawk perl python3 tomlq xq', filters),
  rule('hook-bypass', HOOK_FILE, WRITING_PROGRAMS, hookFiles, 'redirects'),
  rule('hook-bypass', head('git.hooks.manager-file', 'removing .husky, lefthook.yml, .pre-commit-config.yaml', 'Without this file the git hooks of the project do not run. Ask the person to remove it.'), WRITING_PROGRAMS, hookConfigs),
];

export const SELF_TOOL_RULES: readonly ToolRule[] = [
  toolRule(SELF, FILES, ['file-write'], judgeFileTool),
  toolRule('hook-bypass', HOOK_FILE, ['file-write'], gitHookTool),
];

