// Contract: rules about text that is hidden until it runs: decoded, reversed, assembled. What the engine could decode is judged
// as the command it is; these rules are for the rest. PURE.
import type { Effective, Rule, Word } from '../types.ts';
import { head, rule, type Check } from './kit.ts';
import { listed, names } from './options.ts';
import { fetches, RUNNERS } from './remote.ts';

const PACK = 'obfuscation';
const REASON = 'This runs text that is hidden by an encoding. Write the command plainly, so that it can be judged.';

/** Programs that only ever turn unreadable text into readable text. */
const DECODERS = 'rev tac uudecode rot13 caesar gunzip zcat bzcat xzcat zstdcat lzcat uncompress';
/** With these options they do; blank-separated. */
const DECODING: Readonly<Record<string, string>> = {
  base64: '-d -D --decode', base32: '-d -D --decode', basenc: '-d --decode', xxd: '-r --revert', openssl: '-d -decode base64 enc', gzip: '-d --decompress --uncompress', bzip2: '-d --decompress', xz: '-d --decompress', zstd: '-d --decompress', brotli: '-d --decompress', gpg: '-d --decrypt', gpg2: '-d --decrypt', age: '-d --decrypt',
};

/** A cluster of short letters counts, and `--dec` for `--decode`. */
function hasWord({ text }: Word, wanted: string): boolean {
  if (listed(wanted, text)) return true;
  if (text.startsWith('--')) return text.length > 2 && names(wanted).some((one) => one.startsWith(text));
  return text[0] === '-' && names(wanted).some((one) => one.length === 2 && text.includes(one[1] ?? ' '));
}

const escapes = /\\x[0-9a-f]|\\0?[0-7]{3}/iu;
const decodingCode = /b64decode|decode64|fromhex|base64|unpack|atob|chr\(/iu;

/** Programs that turn unreadable text into readable text. */
function decodes({ program, args }: Effective): boolean {
  if (listed(DECODERS, program)) return true;
  const wanted = Object.prototype.hasOwnProperty.call(DECODING, program) ? DECODING[program] ?? '' : '';
  if (wanted !== '') return args.some((word) => hasWord(word, wanted));
  if (program === 'tr') return args.length > 1 && !args.some((word) => hasWord(word, '-d -s'));
  if (program === 'printf' || (program === 'echo' && args.some((word) => hasWord(word, '-e')))) return args.some(({ text }) => escapes.test(text));
  return listed('python python3 perl ruby node php', program) && args.some(({ text }) => decodingCode.test(text));
}

const anyDecodes = (effective: Effective): boolean => decodes(effective) || effective.pipedFrom.some(decodes);

/** Text that the engine could read is judged as a command already. */
const decoded: Check = (effective) => {
  const hidden = effective.codeFrom.filter(anyDecodes);
  if (hidden.length === 0 || effective.codeFrom.some(fetches)) return undefined;
  return effective.inputs.length > 0 && effective.pipedFrom.length > 0 ? undefined : {};
};

/** `eval "$X"`: what it runs is made elsewhere. Known values were put in before. */
const dynamicEval: Check = (effective) => {
  const at = effective.args.find(({ dynamic }) => dynamic);
  if (at === undefined || effective.codeFrom.some((one) => anyDecodes(one) || fetches(one))) return undefined;
  return isHarmlessEval(effective) ? undefined : { at };
};

/** Shell set-up that programs print for this purpose. */
const SETUP = 'ssh-agent direnv rbenv pyenv nodenv fnm mise asdf brew starship zoxide dircolors gpg-agent minikube docker-machine conda opam luarocks register-python-argcomplete npm kubectl gh fzf atuin thefuck navi hub keychain lesspipe pip uv poetry rustup goenv jenv nodebrew volta devbox nix-shell aws gcloud fx resize tset getopt locale stty';

function isHarmlessEval({ codeFrom }: Effective): boolean {
  return codeFrom.length > 0 && codeFrom.every(({ program }) => listed(SETUP, program));
}

/** A shell that runs a variable as a command text: `bash -c "$X"`. */
const dynamicText: Check = ({ args, codeFrom }) => {
  const at = args.findIndex(({ text }) => text[0] === '-' && text[1] !== '-' && text.includes('c'));
  const word = at === -1 ? undefined : args[at + 1];
  if (word === undefined || !word.dynamic || codeFrom.length > 0) return undefined;
  // `bash -c "cd $DIR && make"` has a literal command; only what begins with the variable is hidden.
  return word.text[0] === '$' && !word.text.slice(1).includes(' ') ? { at: word } : undefined;
};

export const OBFUSCATION_RULES: readonly Rule[] = [
  rule(PACK, head('obf.decoded', 'base64, xxd, rev, tr, gunzip and the like into a shell or an interpreter', REASON), RUNNERS, decoded),
  rule(PACK, head('obf.eval', 'eval of text that is not known', 'What this evaluates is not known from the command line. Write the command plainly, so that it can be judged.', 'ask', 'contested'), 'eval', dynamicEval),
  rule(PACK, head('obf.text', 'sh -c with nothing but a variable', 'What this runs is not known from the command line. Write the command plainly, so that it can be judged.', 'ask', 'contested'), 'sh bash dash zsh ksh ash mksh', dynamicText),
];
