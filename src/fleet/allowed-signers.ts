// Contract: allowed signers as OpenSSH writes them: `principals [options] ssh-ed25519 AAAA… comment`. It says which key may speak as whom,
// for what and when. A line that cannot be used is a problem with its number, never silently left out. Dates without Z are UTC here (OpenSSH:
// local time), so that every workstation judges alike. PURE.
import { readPublicKey, type PublicKey } from './sshsig.ts';

export const SIGNERS_BYTES_MAX = 4 * 1024 * 1024;
export const SIGNERS_MAX = 20_000;
const LINE_CHARS_MAX = 8192;
const PRINCIPALS_MAX = 64;

export interface AllowedSigner {
  readonly line: number;
  /** Patterns with `*` and `?`; `!` in front excludes. */
  readonly principals: readonly string[];
  readonly key: PublicKey;
  /** Absent: every namespace. */
  readonly namespaces?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly validAfter?: number;
  readonly validBefore?: number;
}

export interface SignersProblem { readonly line: number; readonly message: string }
export interface AllowedSigners {
  readonly signers: readonly AllowedSigner[];
  /** By fingerprint: one of many thousand lines is found at once. */
  readonly byKey: ReadonlyMap<string, readonly AllowedSigner[]>;
  readonly problems: readonly SignersProblem[];
}

type Word = { readonly word: string; readonly rest: string } | { readonly fault: string };

/** One word; inside double quotes blanks do not end it. */
function nextWord(text: string): Word {
  let quoted = false;
  let at = 0;
  for (; at < text.length; at++) {
    const c = text[at];
    if (c === '"') quoted = !quoted;
    else if (!quoted && (c === ' ' || c === '\t')) break;
  }
  return quoted ? { fault: 'a double quote is not closed' } : { word: text.slice(0, at), rest: text.slice(at).replace(/^[ \t]+/, '') };
}

const unquoted = (text: string): string => (/^".*"$/.test(text) ? text.slice(1, -1) : text);
const KEY_TYPES = /^(?:ssh-|ecdsa-|sk-)/;
const OPTION = /^(?:namespaces|valid-after|valid-before|cert-authority)(?:=|,|$)/i;

/** YYYYMMDD or YYYYMMDDHHMM[SS], with or without Z. */
function momentOf(text: string): number | undefined {
  const m = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?Z?$/.exec(text);
  if (m === null) return undefined;
  const [year, month, day, hour, minute, second] = m.slice(1).map((part) => Number(part ?? '0')) as [number, number, number, number, number, number];
  const at = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // Date.UTC carries over: 20260231 would be a day in March.
  const same = at.getUTCMonth() === month - 1 && at.getUTCDate() === day && at.getUTCHours() === hour && at.getUTCMinutes() === minute && at.getUTCSeconds() === second;
  return same ? at.getTime() : undefined;
}

interface Options { namespaces?: readonly string[]; validAfter?: number; validBefore?: number }

function splitOptions(text: string): string[] {
  return text.match(/(?:"[^"]*"|[^,"])+/g) ?? [];
}

function takeOption(found: Options, option: string): string | undefined {
  const [, name = '', value] = /^([\w-]+)(?:=(.*))?$/.exec(option) ?? [];
  switch (name.toLowerCase()) {
    case 'namespaces': {
      const names = unquoted(value ?? '').split(',').map((word) => word.trim());
      if (found.namespaces !== undefined || names.some((word) => word === '')) return 'namespaces must stand once and name at least one namespace';
      found.namespaces = names;
      return undefined;
    }
    case 'valid-after':
    case 'valid-before': {
      const key = name.toLowerCase() === 'valid-after' ? 'validAfter' : 'validBefore';
      const at = momentOf(unquoted(value ?? ''));
      if (at === undefined || found[key] !== undefined) return `${name.toLowerCase()} must stand once and be a date such as 20260301Z or 202603011200Z`;
      found[key] = at;
      return undefined;
    }
    case 'cert-authority': return 'certificates are not supported: name the key itself';
    default: return 'an option is not known (known: namespaces, valid-after, valid-before)';
  }
}

function optionsOf(text: string): Options | string {
  const found: Options = {};
  for (const option of splitOptions(text)) {
    const fault = takeOption(found, option);
    if (fault !== undefined) return fault;
  }
  if (found.validAfter !== undefined && found.validBefore !== undefined && found.validAfter >= found.validBefore) return 'valid-after is not before valid-before';
  return found;
}

const SPACE_TRAP = 'a second group of options stands behind a space: options are separated by commas without spaces';

function signerOf(text: string, line: number): AllowedSigner | string {
  const first = nextWord(text);
  if ('fault' in first) return first.fault;
  const principals = unquoted(first.word).split(',');
  if (principals.some((word) => word === '' || word === '!' || word.includes('"')) || principals.length > PRINCIPALS_MAX) return `the principals must be 1 to ${PRINCIPALS_MAX} words without blanks, separated by commas, quoted whole or not at all`;
  if (KEY_TYPES.test(first.word)) return 'it begins with a key: the principal that the key speaks as must stand in front';
  let next = nextWord(first.rest);
  let options: Options | string = {};
  if (!('fault' in next) && !KEY_TYPES.test(next.word)) {
    options = optionsOf(next.word);
    next = nextWord(next.rest);
    if (!('fault' in next) && (OPTION.test(next.word) || next.word === ',')) return SPACE_TRAP;
  }
  if ('fault' in next) return next.fault;
  if (typeof options === 'string') return options;
  const [base64 = ''] = next.rest.split(/[ \t]/);
  const key = readPublicKey(next.word, base64);
  return key.ok ? { line, principals, key: key.value, ...options } : key.message;
}

function collected(signers: readonly AllowedSigner[], problems: readonly SignersProblem[]): AllowedSigners {
  const byKey = new Map<string, AllowedSigner[]>();
  for (const signer of signers) byKey.set(signer.key.fingerprint, [...(byKey.get(signer.key.fingerprint) ?? []), signer]);
  return { signers, byKey, problems };
}

export function parseAllowedSigners(text: string): AllowedSigners {
  if (text.length > SIGNERS_BYTES_MAX) return collected([], [{ line: 1, message: `the document is larger than ${SIGNERS_BYTES_MAX} bytes` }]);
  const signers: AllowedSigner[] = [];
  const problems: SignersProblem[] = [];
  for (const [i, raw] of text.split('\n').entries()) {
    const line = raw.replace(/\r$/, '').trim();
    if (line === '' || line.startsWith('#')) continue;
    if (signers.length === SIGNERS_MAX) return collected(signers, [...problems, { line: i + 1, message: `there are more than ${SIGNERS_MAX} signers` }]);
    const signer = line.length > LINE_CHARS_MAX ? `it is longer than ${LINE_CHARS_MAX} characters` : signerOf(line, i + 1);
    if (typeof signer === 'string') problems.push({ line: i + 1, message: signer });
    else signers.push(signer);
  }
  return collected(signers, problems);
}

/** `*` and `?`, without a regular expression: a pattern from outside must not cost more than its length. */
function patternFits(pattern: string, word: string): boolean {
  let [p, w, star, mark] = [0, 0, -1, 0];
  while (w < word.length) {
    if (pattern[p] === '*') [star, mark] = [p++, w];
    else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === word[w])) [p, w] = [p + 1, w + 1];
    else if (star !== -1) [p, w] = [star + 1, ++mark];
    else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

export function principalFits(signer: AllowedSigner, principal: string): boolean {
  if (signer.principals.some((pattern) => pattern.startsWith('!') && patternFits(pattern.slice(1), principal))) return false;
  return signer.principals.some((pattern) => !pattern.startsWith('!') && patternFits(pattern, principal));
}

export type SignerCode = 'key-unknown' | 'principal-not-allowed' | 'namespace-not-allowed' | 'key-not-yet-valid' | 'key-expired';
export type SignerVerdict = { readonly ok: true; readonly signer: AllowedSigner } | { readonly ok: false; readonly code: SignerCode; readonly message: string };

export interface SignerQuestion { readonly fingerprint: string; readonly namespace: string; readonly at: number; readonly principal: string | undefined }

/** May this key speak? Of several lines with one key, one that fits is enough; else the nearest miss is named. */
export function judgeSigner(signers: AllowedSigners, { fingerprint, namespace, at, principal }: SignerQuestion): SignerVerdict {
  const no = (code: SignerCode, message: string): SignerVerdict => ({ ok: false, code, message });
  const day = (ms: number): string => new Date(ms).toISOString();
  let rest = signers.byKey.get(fingerprint) ?? [];
  if (rest.length === 0) return no('key-unknown', 'the key is not among the allowed signers');
  if (principal !== undefined) {
    rest = rest.filter((signer) => principalFits(signer, principal));
    if (rest.length === 0) return no('principal-not-allowed', `the key may not speak as ${principal}`);
  }
  rest = rest.filter((signer) => signer.namespaces === undefined || signer.namespaces.some((pattern) => patternFits(pattern, namespace)));
  if (rest.length === 0) return no('namespace-not-allowed', `the key is not allowed in the namespace ${namespace}`);
  const signer = rest.find(({ validAfter = -Infinity, validBefore = Infinity }) => at >= validAfter && at < validBefore);
  if (signer !== undefined) return { ok: true, signer };
  const { validAfter, validBefore } = rest[0] as AllowedSigner;
  if (validAfter !== undefined && at < validAfter) return no('key-not-yet-valid', `the key is valid from ${day(validAfter)} only`);
  return no('key-expired', `the key was valid until ${day(validBefore ?? 0)} only`);
}
