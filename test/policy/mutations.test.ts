// Contract: a command keeps its verdict under mutations that keep its meaning, and loses it where it becomes text. Generated.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shell } from './support.ts';

/** Words of commands that are refused; the order of the groups may change. */
const SEEDS: readonly (readonly [head: readonly string[], options: readonly string[]])[] = [
  [['git', 'push'], ['--force']], [['git', 'push'], ['-f', 'origin', 'main']], [['git', 'reset'], ['--hard']], [['git', 'clean'], ['-fd']], [['git', 'commit'], ['--no-verify', '-m', 'x']], [['git', 'branch'], ['-D', 'x']],
  [['rm'], ['-rf', '/']], [['rm'], ['-r', '-f', '/etc']], [['rm'], ['-rf', '/home/dev']], [['rm'], ['--recursive', '--force', '/usr']], [['chmod'], ['-R', '777', '/']], [['dd'], ['if=/dev/zero', 'of=/dev/sda']], [['mkfs.ext4'], ['/dev/sda1']],
  [['terraform', 'destroy'], ['-auto-approve']], [['kubectl', 'delete', 'namespace'], ['prod']],
];

const quoteWord = fc.constantFrom<(word: string) => string>(
  (word) => word, (word) => `'${word}'`, (word) => `"${word}"`, (word) => `${word[0]}''${word.slice(1)}`, (word) => `${word[0]}"${word.slice(1)}"`, (word) => `\\${word}`,
  (word) => `$'${[...word].map((c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')}'`, (word) => `$'${word}'`, (word) => `${word[0]}\\\n${word.slice(1)}`,
);
const blank = fc.constantFrom(' ', '  ', '\t', ' \\\n ');
const squote = (text: string): string => `'${text.replace(/'/g, "'\\''")}'`;
const dquote = (text: string): string => `"${text.replace(/["\\$`]/g, '\\$&')}"`;

/** Around a simple command only. */
const PREFIXES: readonly ((command: string) => string)[] = [
  (c) => c, (c) => `sudo ${c}`, (c) => `sudo -u root ${c}`, (c) => `env A=1 ${c}`, (c) => `timeout 5 ${c}`, (c) => `nohup ${c} &`, (c) => `nice -n 3 ${c}`, (c) => `FOO=1 ${c}`, (c) => `command ${c}`, (c) => `time ${c}`, (c) => `ls | ${c}`, (c) => `ls & ${c}`, (c) => `! ${c}`, (c) => `${c} > out.txt 2>&1`, (c) => `ls || ${c}`, (c) => `x=$(${c})`,
];
/** Around any text. */
const FRAMES: readonly ((command: string) => string)[] = [
  (c) => `bash -c ${squote(c)}`, (c) => `sh -ec ${dquote(c)}`, (c) => `eval ${squote(c)}`, (c) => `echo ${squote(c)} | sh`, (c) => `bash <<< ${squote(c)}`, (c) => `source <(echo ${squote(c)})`, (c) => `printf '%s\n' ${squote(c)} | bash`, (c) => `watch -n1 ${squote(c)}`, (c) => `su -c ${squote(c)} root`, (c) => `flock /tmp/l -c ${squote(c)}`, (c) => `X=${squote(c)}; eval "$X"`, (c) => `trap ${squote(c)} EXIT`,
  (c) => `echo ${squote(c)} > x.sh && bash x.sh`, (c) => `python3 -c ${squote(`import os; os.system(${JSON.stringify(c)})`)}`, (c) => `echo ${base64(c)} | base64 -d | sh`, (c) => `npm exec -c ${squote(c)}`, (c) => `git rebase --exec ${squote(c)} main`, (c) => `git -c alias.z=${squote(`!${c}`)} z`,
  (c) => `ls; ${c}`, (c) => `ls\n${c}`, (c) => `( ${c} )`, (c) => `{ ${c}\n}`, (c) => `if true; then ${c}\nfi`, (c) => `for i in 1; do ${c}\ndone`, (c) => `f() { ${c}\n}; f`, (c) => `echo "$( ${c} )"`, (c) => `case x in x) ${c}\n;; esac`, (c) => `${c} # comment`,
];
/** Here-documents end a line: nothing is put behind them. */
const DOCUMENTS: readonly ((command: string) => string)[] = [(c) => `bash <<'EOF'\n${c}\nEOF`, (c) => `cat <<'EOF' | bash\n${c}\nEOF`, (c) => `cat <<EOF\n$( ${c} )\nEOF`];

/** The same text where it is only data. */
const DATA: readonly ((command: string) => string)[] = [
  (c) => `echo ${squote(c)}`, (c) => `printf '%s' ${squote(c)}`, (c) => `git commit -m ${squote(c)}`, (c) => `git commit --message=${squote(c)}`, (c) => `git log --grep ${squote(c)}`, (c) => `grep -rn -- ${squote(c)} src`, (c) => `rg ${dquote(c)}`, (c) => `ls # ${c.replaceAll('\n', ' ')}`,
  (c) => `cat <<'EOF'\n${c}\nEOF`, (c) => `cat > notes.md <<'EOF'\n${c}\nEOF`, (c) => `tee notes.md <<'EOF'\n${c}\nEOF`, (c) => `git commit -F - <<'EOF'\n${c}\nEOF`, (c) => `gh issue create --title x --body ${squote(c)}`, (c) => `[[ "$x" == ${squote(c)} ]] && ls`, (c) => `case ${squote(c)} in x) ls;; esac`,
  (c) => `jq -n --arg c ${squote(c)} '{c:$c}'`, (c) => `python3 -c ${squote(`print(${JSON.stringify(c)})`)}`, (c) => `echo ${squote(c)} | tee notes.txt`, (c) => `echo ${squote(c)} | grep x`, (c) => `X=${squote(c)}; echo "$X"`, (c) => `git tag -a v1 -m ${dquote(c)}`, (c) => `node -e ${squote(`console.log(${JSON.stringify(c)})`)}`,
];

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

const seed = fc.constantFrom(...SEEDS);
/** Options of one seed in another order where their order is free, words quoted, blanks changed. */
const spelled = seed.chain(([head, options]) => fc.tuple(fc.array(quoteWord, { minLength: head.length + options.length, maxLength: head.length + options.length }), fc.array(blank, { minLength: 8, maxLength: 8 }))
  .map(([quotes, blanks]) => [...head, ...options].map((word, at) => (quotes[at] ?? ((w: string) => w))(word)).reduce((line, word, at) => line + (at === 0 ? '' : blanks[at % 8]) + word, '')));

describe('generated', () => {
  test('quoting and spacing do not matter', () => {
    fc.assert(fc.property(spelled, (command) => { expect(`${command}: ${shell(command).verdict.decision}`).toBe(`${command}: deny`); }), { numRuns: 600 });
  });

  test('wrapping does not matter, thrice neither', () => {
    const plain = seed.map(([head, options]) => [...head, ...options].join(' '));
    fc.assert(fc.property(plain, fc.constantFrom(...PREFIXES), fc.constantFrom(...FRAMES), fc.constantFrom(...FRAMES, ...DOCUMENTS), (command, prefix, inner, outer) => {
      const text = outer(inner(prefix(command)));
      expect(`${text}: ${shell(text).verdict.decision}`).toBe(`${text}: deny`);
    }), { numRuns: 1200 });
  });

  test('operands keep their verdict whatever stands around them', () => {
    const around = fc.constantFrom('', '-v ', '--verbose ');
    fc.assert(fc.property(fc.constantFrom('-rf', '-fr', '-r -f', '-Rf', '--recursive -f'), around, fc.constantFrom('/', '~', '$HOME', '"$HOME"', '/etc', '/usr/', '/./etc', '/home/dev', '~/', '../../..', '{/etc,/usr}', '/*', '"${X:-/}"', '$HOME/.ssh'), fc.constantFrom('', ' build', ' x y'), (flags, more, target, rest) => {
      const command = `rm ${more}${flags} ${target}${rest}`;
      expect(`${command}: ${shell(command).verdict.decision}`).toBe(`${command}: deny`);
    }), { numRuns: 300 });
  });

  test('text is never matched', () => {
    const plain = seed.map(([head, options]) => [...head, ...options].join(' '));
    fc.assert(fc.property(fc.oneof(plain, spelled.filter((text) => !text.includes('\n'))), fc.constantFrom(...DATA), (command, wrap) => {
      const text = wrap(command);
      expect(`${text}: ${shell(text).verdict.decision}`).toBe(`${text}: neutral`);
    }), { numRuns: 900 });
  });
});
