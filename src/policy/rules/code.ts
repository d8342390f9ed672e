// Contract: rules about code that an interpreter gets on the command line. What it hands to a shell, removes or writes is judged
// as a command of its own by the engine; here is what only the code itself shows. PURE.
import { resolvePath } from '../paths.ts';
import { HOME_MARK } from '../shell-types.ts';
import type { Effective, Hit, Place, Rule } from '../types.ts';
import { callsIn, codeTexts, INTERPRETER_PROGRAMS } from './code-text.ts';
import { head, rule, type Check } from './kit.ts';
import { listed } from './options.ts';

/** A literal path as the interpreter sees it: `~` is expanded where the code asks for it, and nearly always does. */
function literalPath(text: string): string {
  return text === '~' || text.startsWith('~/') ? HOME_MARK + text.slice(1) : text.startsWith('$HOME') ? HOME_MARK + text.slice(5) : text;
}

// ---- downloaded and decoded code, reverse shells ----

const DOWNLOADS = ['urlopen(', 'urlretrieve(', 'requests.get(', 'httpx.get(', 'fetch(', 'https.get(', 'http.get(', 'Net::HTTP', 'LWP::Simple', 'open-uri', 'URI.open(', 'file_get_contents("http', "file_get_contents('http", 'urllib'];
const DECODES = ['b64decode(', 'b32decode(', 'a85decode(', 'fromhex(', 'unhexlify(', 'decompress(', 'atob(', "'base64'", '"base64"', "'hex'", '"hex"', 'decode64(', 'unpack(', 'base64_decode(', 'codecs.decode(', 'marshal.loads(', 'decode_base64('];
const RUNS = 'exec eval compile execSync Function runInThisContext runInNewContext instance_eval class_eval execfile system popen';

function runsText(effective: Effective, marks: readonly string[]): boolean {
  for (const code of codeTexts(effective)) {
    for (const call of callsIn(code, effective.program)) {
      if (listed(RUNS, call.name) && marks.some((mark) => call.text.includes(mark))) return true;
    }
  }
  return false;
}

const downloaded: Check = (effective) => (runsText(effective, DOWNLOADS) ? {} : undefined);
const decoded: Check = (effective) => (runsText(effective, DECODES) ? {} : undefined);

/** A socket whose descriptors become those of a shell. */
const reverseShell: Check = (effective): Hit | undefined => {
  for (const code of codeTexts(effective)) {
    const lower = code.toLowerCase();
    const connects = lower.includes('socket') || lower.includes('fsockopen') || lower.includes('net.connect') || lower.includes('tcpsocket') || lower.includes('/inet/tcp/') || lower.includes('createconnection') || lower.includes('new net.');
    const shells = lower.includes('/bin/sh') || lower.includes('/bin/bash') || lower.includes('pty.spawn') || lower.includes('cmd.exe') || lower.includes('"sh"') || lower.includes("'sh'") || (lower.includes('getline') && lower.includes('|&'));
    const joins = lower.includes('dup2') || lower.includes('pty.spawn') || lower.includes('.pipe(') || lower.includes('exec') || lower.includes('popen') || lower.includes('open(stdin') || lower.includes('|&');
    if (connects && shells && joins) return {};
  }
  return undefined;
};

/** `while True: os.fork()` and `fork while fork`. */
const forks: Check = (effective) => {
  for (const code of codeTexts(effective)) {
    const words = code.replace(/\s+/gu, ' ');
    if (/\bfork\b(?:\(\))? ?while ?(?:\bfork\b|1|true)|while ?\(?(?:1|true|True|fork)\)?.{0,12}\bfork\b|\bloop ?\{ ?fork/u.test(words)) return {};
  }
  return undefined;
};

/** Literals of paths that a call opens to read or write; used by the rules about secrets and registrations. */
export function literalPaths(effective: Effective, place: Place): readonly string[] {
  return codeTexts(effective).flatMap((code) => callsIn(code, effective.program)).flatMap(({ literals }) => literals)
    .filter((text) => text.length < 512 && (text.includes('/') || text.startsWith('~') || text.startsWith('.'))).map((text) => resolvePath(literalPath(text), place));
}

export const CODE_RULES: readonly Rule[] = [
  rule('remote-exec', head('remote.code', 'inline code that downloads code and runs it', 'This runs code from the network that nobody has read. Download it to a file, read it, and let the person decide.'), INTERPRETER_PROGRAMS, downloaded),
  rule('remote-exec', head('remote.reverse-shell.code', 'inline code that gives a shell to a socket', 'This gives a shell to another machine. There is no safe form of it.'), INTERPRETER_PROGRAMS, reverseShell),
  rule('obfuscation', head('obf.code', 'inline code that decodes text and runs it', 'This runs code that is hidden by an encoding. Write the code plainly, so that it can be judged.'), INTERPRETER_PROGRAMS, decoded),
  rule('disk', head('disk.fork-bomb.code', 'inline code that forks without end', 'This starts processes until the machine stops. There is no safe form of it.'), INTERPRETER_PROGRAMS, forks),
];
