// Contract: the key of the fleet, named by file or variable and never given, and what is hashed with it. Shared by what leaves as events and
// as receipts of workstations.
import { toText } from '../clientsetup/statefiles.ts';
import { hmacSha256 } from '../fleet/crypto.ts';
import type { KeyedHash } from '../fleet/event.ts';
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import type { Settings } from '../settings/schema.ts';
import { absolutePath } from './policy-input.ts';
import type { CommandContext } from './program.ts';
import { text } from './settings-options.ts';

const KEY_CHARS_MIN = 16;
const KEY_BYTES_MAX = 4096;
const HASH_CHARS = 32;
type Evidence = Settings['hooks']['evidence'];
const usage = (message: string, fix: string): PraetorError => new PraetorError({ code: 'usage', message, fix });

function keyIn(host: Host, file: string): string {
  try {
    return toText(host.readFile(file, KEY_BYTES_MAX));
  } catch (error) {
    throw new PraetorError({ code: 'unreadable', where: { path: file }, message: 'the key of the fleet cannot be read', fix: 'name a text file of at most 4 KiB' }, error);
  }
}

/** undefined where no key is named: what would be hashed with it is left out. */
function keyOf({ io: { host }, options }: CommandContext, evidence: Evidence): string | undefined {
  const [file, variable] = [text(options['hashKeyFile']), text(options['hashKeyEnv'])];
  if (file !== undefined && variable !== undefined) throw usage('--hash-key-file and --hash-key-env exclude each other', 'name one');
  const named = file ?? (variable === undefined ? evidence.key_file : undefined);
  const key = variable !== undefined ? host.env[variable] ?? '' : named === undefined ? undefined : keyIn(host, absolutePath(host, named));
  const trimmed = key?.trim();
  if (trimmed !== undefined && trimmed.length < KEY_CHARS_MIN) throw usage(`the key of the fleet has fewer than ${KEY_CHARS_MIN} characters`, 'make one: openssl rand -hex 32');
  return trimmed;
}

export function keyedHash(context: CommandContext, evidence: Evidence): KeyedHash {
  const key = keyOf(context, evidence);
  return (kind, value) => (key === undefined ? undefined : hmacSha256(Buffer.from(key, 'utf8'), `${kind}\0${value}`).slice(0, HASH_CHARS));
}

export const userName = (host: Host): string => (host.env['USER'] ?? host.env['LOGNAME'] ?? host.env['USERNAME'] ?? '').slice(0, 256);

export function hashedUser(host: Host, hash: KeyedHash): string {
  const hashed = hash('user', userName(host));
  if (hashed === undefined) throw usage('hooks.evidence.identity names the person by a hash, and no key of the fleet is named', 'name it: hooks.evidence.key_file, --hash-key-file FILE or --hash-key-env VARIABLE');
  return hashed;
}
