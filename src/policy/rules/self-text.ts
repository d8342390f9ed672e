// Contract: what new text does to a settings file that holds registrations: it switches hooks off, drops ours, concerns hooks,
// or none of it. Settings files are shared: people let agents edit them, so only text that concerns hooks counts. PURE.

export type Effect = 'switch' | 'drop' | 'concerns' | 'none' | 'unknown';

/** Longer text is not searched as a whole; then a person decides. */
export const TEXT_CHARS_MAX = 1024 * 1024;

const isWordChar = (c: string): boolean => (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c === '_' || c === '-';

/**
 * Quotes, blanks, line ends and escapes left out, so that JSON, TOML, a jq filter and a sed script read alike. Between two
 * words one blank stays.
 */
function dense(text: string): string {
  const lower = text.toLowerCase();
  let out = '';
  let gap = false;
  for (let at = 0; at < lower.length; at++) {
    const c = lower[at] ?? '';
    if (c === '\\' && (lower[at + 1] === 'n' || lower[at + 1] === 't')) { at++; gap = true; continue; }
    if (c === ' ' || c === '\t' || c === '\n' || c === '\r' || c === '"' || c === "'" || c === '\\') { gap = true; continue; }
    if (gap && isWordChar(c) && isWordChar(out[out.length - 1] ?? '')) out += ' ';
    gap = false;
    out += c;
  }
  return out;
}

/** In dense form; `:` stands for `:` and `=`. */
const SWITCHES = ['disableallhooks:true', 'hooksconfig.enabled:false', 'hooksconfig:{enabled:false', 'enablehooks:false', 'features.hooks:false', '[features]hooks:false', 'features:{hooks:false', 'features.codex_hooks:false', 'codex_hooks:false', 'allowmanagedhooksonly:true', 'hooks.enabled:false', 'hooks:{enabled:false', 'hooks:false'];
const EMPTIES = ['del(.hooks', '.hooks:{}', '.hooks:null', '.hooks:[]', '|del(.hooks', 'hooks|:', '.hooks.pretooluse:[]', 'delete(.hooks', 'delete hooks', 'delpaths([[hooks', 'pop(hooks', 'del data[hooks', 'del s[hooks', 'del settings[hooks', 'unset hooks', 's/hooks/', 's|hooks|', 's,hooks,', 's#hooks#', 's/hooks:', 's/pretooluse'];

/** The text stands there, and not as the end of a longer name: `webhooks:false` is another key. */
function stands(flat: string, text: string): boolean {
  for (let at = flat.indexOf(text); at !== -1; at = flat.indexOf(text, at + 1)) {
    const before = flat[at - 1] ?? '';
    if (!(before >= 'a' && before <= 'z') && before !== '_' && before !== '-') return true;
  }
  return false;
}

function switchesOff(flat: string): boolean {
  if (SWITCHES.some((one) => stands(flat, one))) return true;
  // Other keys may stand between the object's name and its switch.
  const object = flat.indexOf('hooksconfig:{');
  if (object !== -1 && flat.slice(object, object + 400).split('}')[0]?.includes('enabled:false') === true) return true;
  return flat.includes('hooksconfig') && flat.includes('disabled:[') && flat.includes('praetor');
}

/** A text or script that would switch hooks off, wherever it is written to. */
export function switchesHooksOff(text: string): boolean {
  const flat = dense(text.slice(0, TEXT_CHARS_MAX)).replaceAll('==', '\0').replaceAll('=', ':').replaceAll('::', ':');
  return switchesOff(flat) || EMPTIES.some((one) => flat.includes(one));
}

const concernsHooks = (text: string): boolean => /hook|praetor/iu.test(text);

export interface Change {
  /** The file has this text and no other afterwards. */
  readonly whole: boolean;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** What a change does to the hooks of a file. */
export function effectOf({ whole, added, removed }: Change): Effect {
  const total = [...added, ...removed].reduce((sum, text) => sum + text.length, 0);
  if (total > TEXT_CHARS_MAX) return 'unknown';
  const now = added.join('\n');
  if (switchesHooksOff(now)) return 'switch';
  const before = removed.join('\n');
  if (before.includes('praetorctl') && !now.includes('praetorctl')) return 'drop';
  if (whole && !now.includes('praetorctl hook')) return 'drop';
  return concernsHooks(now) || concernsHooks(before) ? 'concerns' : 'none';
}

/** A sed script: what it deletes or replaces cannot be compared, only what it names. */
export function effectOfScript(script: string): Effect {
  if (switchesHooksOff(script)) return 'switch';
  if (script.includes('praetor')) return 'drop';
  const bare = script.trim();
  if (bare === 'd' || bare === '1,$d' || bare === '$!d' || bare === 's/.*//' || bare === 's/.*//g') return 'drop';
  if (!concernsHooks(script)) return 'none';
  // Lines about hooks are deleted: `/hooks/,/]/d`.
  return bare[0] === '/' && bare.endsWith('d') ? 'drop' : 'concerns';
}
