// Contract: rules about keys and credentials: reading them, sending them or the environment away, exporting them from their
// stores. PURE.
import { HOME_MARK } from '../shell-types.ts';
import type { OptionSpec } from '../shell/options.ts';
import type { Effective, Place, Rule, Word } from '../types.ts';
import { literalPaths } from './code.ts';
import { INTERPRETER_PROGRAMS, codeTexts } from './code-text.ts';
import { head, rule, tableRule, type Check } from './kit.ts';
import { isHelp, listed } from './options.ts';
import { localPath, withoutGlob } from './places.ts';
import { isSecretPath, type Secret } from './secret-places.ts';

const PACK = 'secrets';

const READERS = 'cat bat batcat less more head tail nl tac view vim vi nano emacs cp mv base64 base32 xxd od hexdump strings scp rsync sftp tar zip 7z gzip openssl awk gawk sed grep egrep fgrep rg ag cut sort uniq wc diff cmp jq yq tee dd python python3 perl ruby install ln curl wget http https nc ncat netcat socat ftp lftp rclone aws gsutil pbcopy xclip xsel wl-copy pv fold paste join split gpg age get-content type gc copy-item';
/** These look at names and rights only, or use a key for what it is there for. */
const SENDERS = 'curl wget http https nc ncat netcat socat ftp lftp sftp scp rsync rclone aws gsutil telnet mail mailx sendmail mutt ssh openssl gh slack invoke-webrequest invoke-restmethod dig nslookup';

const isNetwork = (program: string): boolean => listed(SENDERS, program);

/** What a word names: a path, `@path` of curl, `name=@path`, `if=path` of dd, `path` in front of a remote target. */
function pathsOfWord(word: Word): readonly string[] {
  const text = withoutGlob(word);
  // A sentence that names a path is no path; a path with blanks begins as paths do.
  const out = text.includes(' ') && !'/.~'.includes(text[0] ?? ' ') && !text.startsWith(HOME_MARK) ? [] : [text];
  const at = text.indexOf('@');
  if (at !== -1 && isName(text.slice(0, at).replace('=', ''))) out.push(text.slice(at + 1).split(';')[0] ?? '');
  const equals = text.indexOf('=');
  if (equals > 0 && isName(text.slice(0, equals))) out.push(text.slice(equals + 1), text[equals + 1] === '<' ? text.slice(equals + 2) : '');
  return out;
}

/** The name of a form's field or of an option, or nothing. */
function isName(text: string): boolean {
  for (const c of text) if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c === '_' || c === '-' || c === '.' || c === '[' || c === ']')) return false;
  return true;
}

function secretOf(word: Word, place: Place): Secret | undefined {
  if (word.dynamic) return undefined;
  for (const text of pathsOfWord(word)) {
    const path = localPath(text, place);
    const found = path === undefined ? undefined : isSecretPath(path, place) ?? (word.glob ? globbed(path, place) : undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `~/.ssh/*` and `~/.ssh/id_*`: everything in it. */
function globbed(path: string, place: Place): Secret | undefined {
  const directory = path.endsWith('/.ssh') ? path : path.slice(0, path.lastIndexOf('/'));
  return directory.endsWith('/.ssh') && !path.endsWith('.pub') ? isSecretPath(`${directory}/id_rsa`, place) : undefined;
}

/** Words that name what is read. Search patterns, scripts and targets are none. */
function readWords(effective: Effective): readonly Word[] {
  const { program, command } = effective;
  const inputs = command.redirects.filter(({ write }) => !write).map(({ target }) => target);
  if (listed('grep egrep fgrep rg ag sed awk gawk jq yq', program)) return [...effective.args.filter(({ text }) => text[0] !== '-').slice(1), ...inputs];
  // Other programs are asked because of their redirections: their words are not files that they read.
  if (program === 'ssh' || !listed(READERS, program)) return inputs;
  // The key that a connection uses is not read by the model.
  const args = listed('scp rsync sftp curl openssl', program) ? effective.args.filter((_word, at) => !listed('-i --key --cert -E --cacert --netrc-file -inkey', effective.args[at - 1]?.text ?? '')) : effective.args;
  const last = args[args.length - 1];
  return [...(listed('cp mv install ln copy-item tee', program) && args.length > 1 ? args.filter((word) => word !== last) : args), ...inputs];
}

const DIRECTORIES = 'cp mv tar zip 7z rsync scp rclone';

/** Directories that hold keys, for programs that take whole directories. */
function isKeyDirectory(word: Word, place: Place): boolean {
  const path = localPath(word.text, place);
  return path !== undefined && (isSecretPath(`${path}/id_rsa`, place) === 'key' && path.endsWith('/.ssh') || path.endsWith('/.gnupg') || path.endsWith('/.aws') || path.endsWith('/.password-store'));
}

interface Read { readonly word: Word; readonly secret: Secret }
const known = new WeakMap<Effective, readonly Read[]>();

/** The words that name a secret. Several rules ask, the answer is the same. */
function secretReads(effective: Effective, place: Place): readonly Read[] {
  let found = known.get(effective);
  if (found === undefined) known.set(effective, found = findReads(effective, place));
  return found;
}

function findReads(effective: Effective, place: Place): readonly Read[] {
  if (effective.remote?.kind === 'container') return [];
  const reads: Read[] = [];
  for (const word of readWords(effective)) {
    const secret = secretOf(word, place) ?? (listed(DIRECTORIES, effective.program) && isKeyDirectory(word, place) ? 'key' : undefined);
    if (secret !== undefined) reads.push({ word, secret });
  }
  return reads;
}

function reading(effective: Effective, place: Place, wanted: (secret: Secret) => boolean): Word | undefined {
  return secretReads(effective, place).find(({ secret }) => wanted(secret))?.word;
}

const readsKey: Check = (effective, place) => {
  const at = reading(effective, place, (secret) => secret === 'key');
  if (at === undefined || isHelp(effective.args)) return undefined;
  // Counting and listing show nothing of it.
  return effective.program === 'wc' ? undefined : { at };
};

const readsStore: Check = (effective, place) => {
  const at = reading(effective, place, (secret) => secret === 'store');
  return at === undefined || effective.program === 'wc' ? undefined : { at };
};

const readsEnv: Check = (effective, place) => {
  const at = reading(effective, place, (secret) => secret === 'env');
  return at === undefined ? undefined : { at };
};

const codeReads: Check = (effective, place) => {
  if (codeTexts(effective).length === 0) return undefined;
  return literalPaths(effective, place).some((path) => isSecretPath(path, place) === 'key') ? {} : undefined;
};

// ---- sending ----

/** True where one of the commands in front of a pipe prints a secret. */
function printsSecret(effective: Effective, place: Place): boolean {
  return secretReads(effective, place).length > 0 || effective.pipedFrom.some((one) => printsSecret(one, place));
}

const toLocal = (text: string): boolean => /^(?:https?:\/\/)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)(?:[:/]|$)/u.test(text);

function goesAway(effective: Effective): boolean {
  if (effective.program === 'openssl') return effective.args[0]?.text === 's_client';
  if (effective.program === 'scp' || effective.program === 'rsync') return effective.args.some(({ text }) => text[0] !== '/' && text.includes(':') && text[0] !== '-');
  if (effective.program === 'aws' || effective.program === 'gsutil') return effective.args.some(({ text }) => text.startsWith('s3://') || text.startsWith('gs://'));
  if (effective.program === 'gh') return effective.args.some(({ text }) => listed('create comment gist', text));
  return isNetwork(effective.program) && !effective.args.some(({ text }) => toLocal(text));
}

/** curl and wget send what -d, -F, -T and their long forms name; a `-o .env` is received. */
function sends({ program }: Effective, word: Word, args: readonly Word[]): boolean {
  if (program !== 'curl' && program !== 'wget') return true;
  const before = args[args.indexOf(word) - 1]?.text ?? '';
  return word.text.includes('@') || word.text.includes('=') || before === '-T' || before === '--upload-file' || word.text.startsWith('-T') || before.startsWith('--post-file') || before.startsWith('--body-file') || before === '-K';
}

/** Commands whose output is part of a word: `curl -d "$(env)"`. */
function origins(word: Word): readonly Effective[] {
  const { from } = word as Word & { readonly from?: readonly Effective[] };
  return from ?? [];
}

/** Everything that the command sends: what is piped into it, and what its words were made from. */
const sources = ({ args, pipedFrom }: Effective): readonly Effective[] => [...pipedFrom, ...args.flatMap(origins)];

const sending: Check = (effective, place) => {
  if (!goesAway(effective)) return undefined;
  const at = reading(effective, place, () => true);
  if (at !== undefined && sends(effective, at, effective.args)) return { at };
  return sources(effective).some((one) => printsSecret(one, place)) ? {} : undefined;
};

/** Commands that print the whole environment. */
function printsEnvironment({ program, args, pipedFrom }: Effective): boolean {
  const plain = args.filter(({ text }) => text[0] !== '-');
  if (program === 'env' || program === 'printenv') return plain.length === 0;
  if (program === 'set' && args.length === 0) return true;
  if (program === 'export' || program === 'declare' || program === 'typeset') return args.length > 0 && plain.length === 0;
  if (program === 'gci' || program === 'get-childitem' || program === 'dir') return plain.some(({ text }) => text.toLowerCase().startsWith('env:'));
  return pipedFrom.some(printsEnvironment);
}

const environment: Check = (effective) => (goesAway(effective) && sources(effective).some(printsEnvironment) ? {} : undefined);

// ---- stores that hand keys out ----

const EXPORTS: Readonly<Record<string, readonly string[]>> = {
  gpg: ['--export-secret-keys', '--export-secret-subkeys', '--export-ownertrust'], gpg2: ['--export-secret-keys', '--export-secret-subkeys'], 'ssh-keygen': ['-y'], security: ['dump-keychain', 'export', 'find-* -w|-g'], 'secret-tool': ['lookup'],
  pass: ['show', '*/*'], op: ['read', 'item get'], bw: ['get', 'export'], gh: ['auth token', 'auth status -t|--show-token'], kubectl: ['get secret|secrets|secret/*|secrets/* -o|--output'], oc: ['get secret|secrets|secret/* -o|--output'],
  aws: ['secretsmanager get-secret-value', 'configure export-credentials', 'ssm get-parameter|get-parameters --with-decryption'], vault: ['token create'],
};
const EXPORT_SPEC: OptionSpec = { exact: true, valued: 'noRlfa', longs: 'namespace= output= context= profile= region= secret-id= repo= hostname= name=' };

const READ = 'This file holds a key or credentials of the person. Ask the person for what you need from it.';

export const SECRET_RULES: readonly Rule[] = [
  rule(PACK, head('secrets.read', 'reading private keys and credential stores', READ), READERS, readsKey, 'redirects'),
  rule(PACK, head('secrets.read.code', 'inline code that opens private keys or credential stores', READ), INTERPRETER_PROGRAMS, codeReads),
  rule(PACK, head('secrets.read.store', 'reading ~/.npmrc and other settings that may hold tokens', 'This file may hold tokens of the person. A person must confirm that you read it.', 'ask', 'contested'), READERS, readsStore),
  rule(PACK, head('secrets.read.env', 'reading .env files', 'This file holds the project\'s secrets. Look at .env.example, or ask the person.', 'off', 'contested'), READERS, readsEnv),
  rule(PACK, head('secrets.send', 'sending keys, credentials or .env files away', 'This sends secrets to another machine. There is no safe form of it; tell the person what the receiver needs.'), SENDERS, sending, 'redirects'),
  rule(PACK, head('secrets.send.environment', 'sending the environment away (env | curl)', 'The environment holds tokens. Send the single values that are needed, by name, after asking the person.'), SENDERS, environment),
  tableRule(PACK, head('secrets.export', 'gpg --export-secret-keys, security -w, ssh-keygen -y, gh auth token and the like', 'This prints a key or a password of the person. A person must confirm it.', 'ask', 'contested'), EXPORT_SPEC, EXPORTS),
];
