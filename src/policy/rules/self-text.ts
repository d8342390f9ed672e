// Contract: what new text does to a settings file that holds registrations: it switches hooks off, drops ours, concerns hooks,
// or none of it. Settings files are shared: people let agents edit them, so only text that concerns hooks counts. PURE.

export type Effect = 'switch' | 'drop' | 'concerns' | 'none' | 'unknown';

/** Longer text is not searched as a whole; then a person decides. */
export const TEXT_CHARS_MAX = 1024 * 1024;

/** Quotes, blanks, line ends and escapes left out, so that JSON, TOML, a jq filter and a sed script read alike. */
function dense(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; at++) {
    const c = text[at] ?? '';
    if (c === '\\' && (text[at + 1] === 'n' || text[at + 1] === 't')) { at++; continue; }
    if (c !== ' ' && c !== '\t' && c !== '\n' && c !== '\r' && c !== '"' && c !== "'" && c !== '\\') out += c;
  }
  return out.toLowerCase();
}

/** In dense form; `:` stands for `:` and `=`. */
const SWITCHES = ['disableallhooks:true', 'hooksconfig.enabled:false', 'hooksconfig:{enabled:false', 'enablehooks:false', 'features.hooks:false', '[features]hooks:false', 'features:{hooks:false', 'features.codex_hooks:false', 'codex_hooks:false', 'allowmanagedhooksonly:true', 'hooks.enabled:false', 'hooks:{enabled:false', 'hooks:false'];
const EMPTIES = ['del(.hooks', '.hooks:{}', '.hooks:null', '.hooks:[]', '|del(.hooks', 'hooks|:', '.hooks.pretooluse:[]', 'delete(.hooks', 'deletehooks', 'delpaths([[hooks', 'pop(hooks', 'deldata[hooks', 'dels[hooks', 'unsethooks'];

function switchesOff(flat: string): boolean {
  if (SWITCHES.some((one) => flat.includes(one))) return true;
  // Other keys may stand between the object's name and its switch.
  const object = flat.indexOf('hooksconfig:{');
  if (object !== -1 && flat.slice(object, object + 400).split('}')[0]?.includes('enabled:false') === true) return true;
  const features = flat.indexOf('[features]');
  if (features !== -1 && flat.slice(features + 10, features + 1000).split('[')[0]?.includes('hooks:false') === true) return true;
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
  return concernsHooks(script) ? 'concerns' : 'none';
}
