// Contract: what the built-in rules promise, by command line. Text that is only data is never matched.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { said, shell, write } from './support.ts';

const rows = (name: string): { id: string; command: string; why: string }[] => readFileSync(join(import.meta.dirname, name), 'utf8').trim().split('\n')
  .map((line) => JSON.parse(line) as { id: string; command: string; why: string });

describe('collected from public reports', () => {
  test.each(rows('harmless.jsonl'))('$id $command: neutral ($why)', ({ command }) => { expect(said(shell(command))).toBe('neutral'); });
  test.each(rows('hook-bypass.jsonl'))('$id $command: denied ($why)', ({ command }) => { expect(shell(command).verdict.decision).toBe('deny'); });
});

const check = (table: Record<string, readonly string[]>): void => {
  for (const [expected, commands] of Object.entries(table)) test.each(commands)(`${expected}: %s`, (command) => { expect(shell(command).verdict.decision).toBe(expected.split(' ')[0]); });
};

describe('git hooks', () => check({
  'deny git.hooks.no-verify': [
    'git commit --no-veri -m x', 'git commit -m x -n', 'git commit -vqn', 'git commit -nF msg', 'git commit --message x --no-verify', 'git commit --mess x -n',
    'git -C sub commit -n', 'git --no-pager commit -anm x', 'git commit --verify --no-verify', 'git merge --no-verify topic', 'git pull --no-verify', 'git am -n p.patch',
    'git push --no-verify origin main', 'GIT_EDITOR=true git commit -n', 'git commit -m "$(cat <<\'EOF\'\ntext (with) don\'t\nEOF\n)" --no-verify', 'if true; then git commit -n; fi',
    'git add . && git commit -n -m x || true', '(git commit -n)', '{ git commit -n; }', 'x=$(git commit -n)', 'echo `git commit -n`', 'for f in a; do git commit -n; done',
    'case $x in a) git commit -n;; esac', 'f() { git commit -n; }', 'time git commit -n', '! git commit -n', 'sudo -u dev git commit -n', 'env -i A=1 git commit -n', 'env -S "git commit -n"',
    'xargs -0 git commit -n', 'bash -lc "cd x && git commit -n"', "eval 'git commit -n'", 'bash <<EOF\ngit commit -n\nEOF', "bash <<< 'git commit -n'", '"git" commit -n', "g'i't com\"mit\" \\-n",
    '/usr/bin/git commit -n', 'git.exe commit -n', "$'git' commit $'-\\x6e'", 'git commit \\\n  -n', 'diff <(git commit -n) x', 'cat <<EOF\n$(git commit -n)\nEOF', 'ls 2>&1 | tee log; git commit -n',
    'ls &>/dev/null; git commit -n', 'echo ${X:-$(git commit -n)}',
  ],
  neutral: [
    'git commit -m -n', 'git commit -mn', 'git commit -uno -m x', 'git commit -m "--no-verify"', 'git commit --message=--no-verify', 'git commit --mess --no-verify', 'git commit -am "-n"', 'git commit -F -n',
    'git commit --no-ver -m x', 'git commit --no-verify --verify -m x', 'git commit -- -n --no-verify', 'git commit -Cn', 'git push -n', 'git merge -n topic', 'git rebase -n main', 'git log -n 3', 'git tag -n',
    'git commit --help', 'git commit -h', 'git status --no-verify', 'echo git commit -n', "cat <<'EOF'\ngit commit -n\n$(git commit -n)\nEOF", 'ls # git commit -n', 'grep -r -- --no-verify .', 'printf "git commit -n"',
    '[[ $x == "git commit -n" ]]', 'case "git commit -n" in x) ls;; esac', 'command -v git commit -n', "git commit -m 'a\ngit commit -n\nb'", 'git commit -SKEYn -m x',
  ],
}));

describe('git hooks path and switches', () => check({
  'deny git.hooks.path': [
    'git -c core.hooksPath= commit', 'git -c CORE.HOOKSPATH=/dev/null push', 'git --config-env=core.hooksPath=X commit', 'git config --global core.hooksPath /dev/null', 'git config --unset core.hooksPath',
    'git config unset core.hookspath', 'git config --add core.hooksPath x', 'git config set --local core.hooksPath x',
  ],
  'deny git.hooks.variable': [
    'HUSKY=0 git push', 'export HUSKY=0', 'export A=1 HUSKY=0; git commit', 'env HUSKY=0 git commit', 'sudo HUSKY=0 git commit', 'LEFTHOOK=0 npm run release', 'HUSKY_SKIP_HOOKS=true git commit', 'declare -x LEFTHOOK=false',
    'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/x git commit', "GIT_CONFIG_PARAMETERS=\"'core.hooksPath=/x'\" git commit",
  ],
  'deny git.hooks.uninstall': ['lefthook uninstall', 'npx --yes husky uninstall', 'pre-commit uninstall -t pre-push'],
  neutral: [
    'git config core.hooksPath', 'git config --get core.hooksPath', 'git config get core.hooksPath', 'git config --get-regexp core.hooksPath', 'git config --list', 'git config core.editor vi', 'git -c core.pager=cat log',
    'HUSKY=1 git commit', 'HUSKY=0 npm ci', 'HUSKY=0 pnpm install --frozen-lockfile', 'HUSKY=0 yarn', 'LEFTHOOK=1 git push', 'echo HUSKY=0 git commit', 'HUSKY_SKIP_HOOKS=0 git commit', 'export HUSKY', 'lefthook run pre-commit', 'lefthook install',
    'GIT_CONFIG_KEY_0=core.pager git log',
  ],
}));

describe('pushes', () => check({
  'deny git.push.force': [
    'git push --force', 'git push -f', 'git push -uf origin main', 'git push origin main -f', 'git push origin +main', 'git push origin main +HEAD:refs/heads/x', 'git push --repo=origin +main', 'git push --force-with-lease --force',
    'git -C x push -f', 'git push --no-force --force',
  ],
  'deny git.push.mirror': ['git push --mirror', 'git push --mirror backup'],
  neutral: [
    'git push', 'git push --force-with-lease', 'git push --force-with-lease=main:abc --force-if-includes', 'git push --force --no-force', 'git push -n -f', 'git push --dry-run --force', 'git push -o +x', 'git push -o -f',
    'git push --push-option --force', 'git fetch -f', 'git fetch origin +refs/heads/*:refs/remotes/origin/*', 'git push -- origin main', 'git push --help', 'git branch -f x', 'git push +weird-remote', 'git remote add --mirror=push x y',
  ],
}));

describe('removal', () => check({
  'deny fs.remove': [
    'rm -rf /', 'rm -r -f ~', 'rm -fR ~/', 'rm -rf $HOME', 'rm -rf "$HOME"', 'rm -rf "${HOME}/"', 'rm -rf ~/*', 'rm -rf $HOME/.*', 'rm -rf /*', 'rm --recursive /etc', 'rm --recurs --force /', 'rm -rf --no-preserve-root /', 'rm ~ -rf',
    'rm -rf -- /', 'rm -rf //', 'rm -rf /usr/', 'rm -rf /./etc/../usr', 'rm -rf /home', 'rm -rf /home/dev', 'rm -rf .git', 'rm -rf ./.git/', 'rm -r sub/.git', 'sudo rm -rf /var/lib', 'cd / && rm -rf *', 'cd ~; rm -rf .', 'cd; rm -rf *',
    'cd /home/dev && rm -rf ../dev', 'rm -rf $PWD/../../..', 'sh -c "rm -rf ~"', 'find . | xargs rm -rf /etc', 'timeout 5 rm -rf ~', 'rm -rf build ~',
  ],
  neutral: [
    'rm -rf node_modules', 'rm -rf ./dist', 'rm -rf /tmp/x', 'rm -rf ~/work/repo/build', 'rm -rf "$BUILD"', 'rm file', "rm -rf '$HOME'", 'rm -rf ~dev-notes', 'rm -rf .gitignore', 
    'rm --help -rf /', 'cd build && rm -rf *', 'cd "$X" && rm -rf *', 'git clone u /tmp/t && rm -rf /tmp/t/.git', 'rm -rf /usr/local/lib/node_modules/x', 'rmdir ~', 'rm -rf "" x', 'echo rm -rf /', 'rm -rf etc', 'rm -rf ./home',
    "cat > x.sh <<'EOF'\nrm -rf /\nEOF",
  ],
}));

describe('registrations, our own directories and git hook files', () => check({
  'deny self.files': [
    'rm ~/.codex/hooks.json', 'rm ~/.claude/settings.json', 'rm -rf .claude', 'echo {} > ~/.codex/hooks.json', 'cat x >> "$HOME/.codex/hooks.json"', 'tee -a .codex/hooks.json < x', 'sed -i s/a/b/ ~/.gemini/config/hooks.json', 'sed -i.bak -e s/a/b/ .codex/hooks.json', 'perl -pi -e s/a/b/ .codex/hooks.json',
    'cp x ~/.codex/hooks.json', 'cp hooks.json ~/.codex/', 'cp -t ~/.codex hooks.json', 'mv ~/.codex/hooks.json /tmp', 'mv ~/.codex /tmp/c', 'rm -rf ~/.codex', 'ln -sf /dev/null ~/.codex/hooks.json', 'truncate -s 0 .codex/hooks.json', 'dd if=/dev/null of=.codex/hooks.json',
    'chmod 000 ~/.codex/hooks.json', 'rm -rf ~/.local/state/praetorctl', 'rm ~/.local/state/praetorctl/receipts/receipts.jsonl', 'echo x > ~/.config/praetorctl/config.yaml', 'mv ~/.config /tmp/c', 'cd ~/.codex && rm hooks.json', 'cd ~ && : > .codex/hooks.json',
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: .codex/hooks.json\n*** End Patch\nEOF", 'sh -c "echo > ~/.codex/hooks.json"', '> ~/.codex/hooks.json', '{ echo x; } > ~/.codex/hooks.json', 'echo x >| ~/.codex/hooks.json', 'echo x &> ~/.codex/hooks.json',
    'echo x > ../../.codex/hooks.json',
  ],
  'ask self.files': ['jq . x > .claude/settings.json', 'cp x .gemini/settings.json', 'cd .. && echo > .claude/settings.local.json'],
  'deny git.hooks.file': [
    'rm .git/hooks/pre-commit', 'echo "exit 0" > .git/hooks/pre-push', 'chmod -x .git/hooks/pre-commit', 'chmod 644 .git/hooks/pre-commit', 'rm -rf .git/hooks', 'mv .git/hooks /tmp/h', 'ln -sf /bin/true sub/.git/hooks/pre-commit', 'cp x .git/hooks/pre-commit',
  ],
  neutral: [
    'cat ~/.codex/hooks.json', 'jq . ~/.claude/settings.json', 'cp ~/.claude/settings.json /tmp/backup.json', 'grep -r x ~/.codex', 'ls -la .git/hooks', 'sed s/a/b/ ~/.codex/hooks.json', 'sed -n 1p .git/hooks/pre-commit', 'chmod +x .git/hooks/pre-commit', 'chmod 755 .git/hooks/pre-commit',
    'diff ~/.codex/hooks.json x', 'echo "edit ~/.codex/hooks.json"', 'rm .git/hooks/pre-commit.sample', 'echo x > hooks.json', 'echo x > /dev/null 2>&1', 'echo > notes/.claude-settings.json', 'rm -rf test/fixtures/homes/a/.claude', 'echo {} > "$tmp/.codex/hooks.json"',
    'praetorctl clients plan > plan.txt', 'tee out.log', 'mkdir -p ~/.codex', 'ls > ~/.config/other/x', "git commit -m 'write > ~/.codex/hooks.json'", 'wc -l < ~/.codex/hooks.json',
  ],
}));

describe('file tools', () => {
  test.each([
    ['/home/dev/.codex/hooks.json', 'deny self.files'], ['/home/dev/work/repo/.codex/hooks.json', 'deny self.files'], ['.codex/hooks.json', 'deny self.files'], ['/home/dev/.local/state/praetorctl/receipts/x', 'deny self.files'],
    ['~/.codex/hooks.json', 'deny self.files'], ['/home/dev/work/repo/src/../.agents/hooks.json', 'deny self.files'], ['/home/dev/.claude/settings.json', 'ask self.files'], ['.claude/settings.local.json', 'ask self.files'],
    ['.git/hooks/pre-commit', 'deny git.hooks.file'], ['src/a.ts', 'neutral'], ['/home/dev/work/repo/test/homes/x/.claude/settings.json', 'neutral'], ['settings.json', 'neutral'], ['/home/dev/work/repo/.git/hooks/x.sample', 'neutral'], ['', 'neutral'],
  ])('%s: %s', (path, expected) => { expect(said(write(path))).toBe(expected); });

  test('without a workspace every root counts', () => {
    expect(said(write('/anywhere/.codex/hooks.json', { workspace: undefined }))).toBe('deny self.files');
  });

  test('Windows paths and case', () => {
    const facts = { platform: 'win32', home: 'C:\\Users\\dev', workspace: 'C:\\Users\\dev\\repo', ownPaths: ['C:\\Users\\dev\\AppData\\Local\\praetorctl\\state'] };
    expect(said(write('C:\\Users\\Dev\\.codex\\HOOKS.json', facts))).toBe('deny self.files');
    expect(said(write('c:/users/dev/appdata/local/praetorctl/state/receipts/r', facts))).toBe('deny self.files');
    expect(said(write('C:\\Users\\dev\\repo\\a.ts', facts))).toBe('neutral');
    expect(said(shell('rm -rf C:/Windows', facts))).toBe('deny fs.remove');
  });
});

describe('facts', () => {
  test('without a home directory `~` is still a home directory', () => { expect(said(shell('rm -rf ~/', { home: undefined }))).toBe('deny fs.remove'); });
  test('the call runs elsewhere than the workspace', () => { expect(shell('rm -rf *', {}, '/home/dev').verdict.decision).toBe('deny'); });
  test('deny beats ask, the first deny is named', () => {
    expect(said(shell('rm -f /etc/x.conf; git push -f; git commit -n'))).toBe('deny git.push.force');
  });
});
