// Contract: cases of the rules about git and its hooks. Test-only data.
import type { Table } from './table.ts';

export const GIT_CASES: Table = {
  'git.push.force': {
    hit: ['git push --force', 'git push -fu origin x', 'git push origin +main', 'git -C sub push origin main --force', 'git push --force-with-lease --force', 'git push --repo=origin +x', 'git send-pack --force host:repo main', 'git push -f --no-verify'],
    miss: ['git push --force-with-lease', 'git push --no-force', 'git push --force --dry-run', 'git push -o force', 'git push origin force', 'git fetch --force'],
  },
  'git.push.mirror': {
    hit: ['git push --mirror', 'git push --mirr backup', 'git -c remote.origin.mirror=true push origin', "git -c remote.origin.push=+refs/heads/* push"],
    miss: ['git clone --mirror u', 'git remote add --mirror=push x y', 'git push --mirror -n', 'git -c remote.origin.mirror=false push'],
  },
  'git.push.delete': {
    hit: ['git push --delete origin x', 'git push -d origin x', 'git push origin :x', 'git push origin --dele x', 'git push --prune origin', 'git push origin :refs/tags/v1'],
    miss: ['git push origin x:y', 'git push origin :', 'git branch -d x', 'git push --delete -n origin x', 'git push origin delete'],
  },
  'git.push.lease': {
    hit: ['git push --force-with-lease', 'git push --force-with-lease=main:abc', 'git push --force-if-includes --force-with-lease'],
    miss: ['git push', 'git push --no-force-with-lease', 'git fetch --force', 'git push -o force-with-lease'],
  },
  'git.reset.hard': {
    hit: ['git reset --hard', 'git reset --hard HEAD~3', 'git reset --har origin/main', 'git reset -q --hard', 'git reset --merge', 'git --no-pager reset --hard'],
    miss: ['git reset', 'git reset --soft HEAD~1', 'git reset --mixed', 'git reset -- hard', 'git reset HEAD -- --hard', 'git reset --keep HEAD~1'],
  },
  'git.checkout.discard': {
    hit: ['git checkout -- src', 'git checkout .', 'git checkout -f', 'git checkout HEAD~1 src/a.ts', 'git checkout --force main', 'git checkout ./src', 'git checkout package.json', 'git checkout -qf main', 'git checkout main -- a', "git checkout '*.ts'"],
    miss: ['git checkout main', 'git checkout -b x y', 'git checkout feature/a', 'git checkout v1.2.3', 'git checkout -p src', 'git checkout --theirs -- a', 'git checkout --', 'git checkout -B x origin/x', 'git checkout --orphan gh-pages'],
  },
  'git.restore': {
    hit: ['git restore .', 'git restore src/a.ts', 'git restore -SW a', 'git restore --worktree --staged a', 'git restore -s HEAD~1 a', 'git restore --source HEAD~1 -- a', 'git restore --pathspec-from-file=x'],
    miss: ['git restore --staged a', 'git restore -S .', 'git restore --stage a', 'git restore -p a', 'git restore --ours a'],
  },
  'git.switch.force': {
    hit: ['git switch -f main', 'git switch --force main', 'git switch --discard-changes main', 'git switch --disc main', 'git switch -qf main'],
    miss: ['git switch main', 'git switch -c f', 'git switch -C x', 'git switch --no-force main', 'git switch --force-create x'],
  },
  'git.clean': {
    hit: ['git clean -f', 'git clean -fdx', 'git clean -d --force', 'git clean -xdff', 'git clean -e log -f', 'git -c clean.requireForce=false clean -d', 'git clean -qf -- src', 'git clean --forc'],
    miss: ['git clean -n', 'git clean -fdn', 'git clean -df --dry-run', 'git clean -d', 'git clean -i', 'git clean -e f', 'git clean -n -e -f'],
  },
  'git.rm.all': {
    hit: ['git rm -rf .', 'git rm -r --force .', "git rm -f '*'", 'git rm -fr ./'],
    miss: ['git rm -r --cached .', 'git rm a.ts', 'git rm -f a.ts', 'git rm -rfn .'],
  },
  'git.plumbing.overwrite': {
    hit: ['git checkout-index -f -a', 'git checkout-index --all --force', 'git read-tree --reset -u HEAD', 'git read-tree -u --reset main'],
    miss: ['git checkout-index -a', 'git checkout-index -f --prefix=out/ -a', 'git read-tree HEAD', 'git read-tree -m -u HEAD', 'git read-tree -n --reset HEAD'],
  },
  'git.branch.delete': {
    hit: ['git branch -D x', 'git branch -d -f x', 'git branch -df x', 'git branch --delete --force x', 'git branch -Dr origin/x', 'git branch --dele --forc x'],
    miss: ['git branch -d x', 'git branch --delete x', 'git branch -f x HEAD~1', 'git branch -m D', 'git branch --list -- -D'],
  },
  'git.tag.delete': {
    hit: ['? git tag -d v1', '? git tag --delete v1 v2', '? git tag --dele v1'],
    miss: ['git tag v1', 'git tag -a v1 -m -d', 'git tag -l d', 'git tag --list'],
  },
  'git.stash.drop': {
    hit: ['git stash drop', 'git stash clear', 'git stash drop stash@{2}', 'git stash -- drop'],
    miss: ['git stash pop', 'git stash list', 'git stash push -m drop', 'git stash show', 'git stash apply'],
  },
  'git.reflog.delete': {
    hit: ['git reflog expire --expire=now --all', 'git reflog delete HEAD@{1}', 'git reflog expire --expire-unreachable=now --all'],
    miss: ['git reflog', 'git reflog show expire', 'git reflog expire -n --all', 'git reflog exists x'],
  },
  'git.objects.prune': {
    hit: ['git gc --prune=now', 'git gc --prune=all --aggressive', 'git prune', 'git prune --expire now', 'git -c gc.pruneExpire=now gc', 'git prune -v'],
    miss: ['git gc', 'git gc --prune=2.weeks.ago', 'git prune -n', 'git remote prune origin', 'git gc --no-prune', 'git prune --expire=3.weeks.ago'],
  },
  'git.history.rewrite': {
    hit: ['git filter-branch --tree-filter x HEAD', 'git filter-repo --path x', 'git-filter-repo --invert-paths --path x', 'bfg --delete-files x'],
    miss: ['git filter-repo --analyze', 'git filter-repo --help', 'git log --grep=filter-branch', 'git filter-branch --help'],
  },
  'git.ref.delete': {
    hit: ['git update-ref -d refs/heads/x', "git update-ref --stdin <<< 'delete refs/heads/x'", 'git symbolic-ref -d HEAD', 'git symbolic-ref --delete x', '? git update-ref --stdin'],
    miss: ['git update-ref refs/heads/x abc', 'git symbolic-ref HEAD', 'git show-ref -d', "git update-ref --stdin <<< 'create refs/heads/x abc'"],
  },
  'git.worktree.remove': {
    hit: ['git worktree remove -f ../w', 'git worktree remove --force ../w', 'git worktree remove ../w -f', 'git worktree remove -ff ../w'],
    miss: ['git worktree remove ../w', 'git worktree add -f ../w', 'git worktree prune', 'git worktree list'],
  },
  'git.submodule.deinit': {
    hit: ['git submodule deinit -f lib', 'git submodule deinit --all --force', 'git submodule deinit --force .'],
    miss: ['git submodule deinit lib', 'git submodule update --force', 'git submodule sync', 'git submodule status'],
  },
  'git.replace': {
    hit: ['? git replace a b', '? git replace -d a', '? git replace --graft a b', '? git replace --edit a'],
    miss: ['git replace', 'git replace -l', 'git replace --list', 'git log --no-replace-objects'],
  },
  'git.remote.change': {
    hit: ['git remote set-url origin x', 'git remote remove origin', 'git remote rm origin', 'git remote set-url --push origin x'],
    miss: ['git remote -v', 'git remote add x y', 'git remote get-url origin', 'git remote prune origin'],
  },
  'git.repository.remove': {
    hit: ['rm -rf .git', 'rm -r ./.git/', 'rm -rf sub/.git', 'find .git -delete', 'mv .git /tmp/g', 'rm -rf .git/objects', 'rm -r .git/refs', 'rm -rf .git/*', 'find .git -type f -exec rm {} +', 'find . -name .git -exec rm -rf {} +', "python3 -c \"import shutil; shutil.rmtree('.git')\""],
    miss: ['rm .gitignore', 'rm -f .git/index.lock', 'rm -rf /tmp/x/.git', 'ls -la .git', 'find . -path ./.git -prune -o -name x -print', 'cp -r .git /tmp/backup'],
  },
  'git.hooks.no-verify': {
    hit: ['git commit --no-verify', 'git commit -nm x', 'git push --no-veri', 'git merge --no-verify t', 'git rebase --no-verify main', 'git am -n p', 'git pull --no-verify', "git commit -m 'x' -an"],
    miss: ['git commit -mn', 'git commit -m --no-verify', 'git push -n', 'git commit --no-ver', 'git commit --no-verify --verify', 'git cherry-pick -n x', 'git log -n 1', 'git merge -n t'],
  },
  'git.hooks.path': {
    hit: ['git -c core.hooksPath= commit', 'git config core.hooksPath /dev/null', 'git config --unset core.hookspath', 'git config --global --add core.HooksPath /x', 'git config set core.hooksPath x', 'git config unset core.hooksPath', 'git clone -c core.hooksPath=/x u', 'git clone --config core.hooksPath=/x u', 'git config --remove-section core', '? git config core.hooksPath .githooks', '? git config core.hooksPath ./.husky/', 'git --config-env core.hooksPath=X commit', 'git config --file .git/config core.hooksPath x'],
    miss: ['git config core.hooksPath', 'git config --get core.hooksPath', 'git config get core.hooksPath', 'git config core.editor vi', 'git config --list', 'git config --get-regexp core.hooks', 'git config --remove-section alias'],
  },
  'git.hooks.include': {
    hit: ['? git -c include.path=/tmp/x commit', '? git -c includeIf.gitdir:/.path=x push', '? git -c Include.Path=x status'],
    miss: ['git config include.path ../.gitconfig', 'git -c core.pager=cat log', 'git log --include.path'],
  },
  'git.hooks.variable': {
    hit: ['HUSKY=0 git commit -m x', 'export HUSKY=0', 'LEFTHOOK=false git push', 'HUSKY_SKIP_HOOKS=1 git commit', 'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/x git commit', 'LEFTHOOK_EXCLUDE=lint git commit', 'env LEFTHOOK=0 git push', 'PRE_COMMIT_ALLOW_NO_CONFIG=1 git commit', 'SKIP_SIMPLE_GIT_HOOKS=1 git commit', 'OVERCOMMIT_DISABLE=1 git commit', 'cmd /c "set HUSKY=0 && git commit -m x"', 'setx HUSKY 0'],
    miss: ['HUSKY=0 npm ci', 'HUSKY=1 git commit', 'LEFTHOOK=1 git push', 'SKIPPED=1 git commit', 'echo HUSKY=0', 'HUSKY_SKIP_HOOKS=0 git commit', 'GIT_CONFIG_KEY_0=core.pager git log'],
  },
  'git.hooks.exported': {
    hit: ['export HUSKY=0; git commit -m x', 'export LEFTHOOK=0 && git push', 'export A=1 HUSKY=0\ngit push'],
    miss: ['export HUSKY=1; git commit -m x', 'export FOO=0; git push', 'export NODE_ENV=test && git commit -m x'],
  },
  'git.hooks.skip': {
    hit: ['SKIP=eslint git commit -m x', 'export SKIP=eslint; git commit', 'SKIP=a,b pre-commit run', 'env SKIP=x git push'],
    miss: ['SKIP=1 npm test', 'SKIP= git commit -m x', 'SKIP=eslint git status', 'SKIP_BUILD=1 git commit -m x'],
  },
  'git.hooks.config-file': {
    hit: ['? GIT_CONFIG_GLOBAL=/dev/null git commit -m x', '? GIT_CONFIG_SYSTEM=/x git push', '? env GIT_CONFIG_GLOBAL=/x git merge t'],
    miss: ['GIT_CONFIG_GLOBAL=/dev/null git log', 'GIT_CONFIG_NOSYSTEM=1 git status', 'GIT_EDITOR=true git commit --amend'],
  },
  'git.hooks.uninstall': {
    hit: ['lefthook uninstall', 'pre-commit uninstall', 'npx husky uninstall', 'overcommit --uninstall', '? npm uninstall husky', '? pnpm remove lefthook', '? yarn remove simple-git-hooks'],
    miss: ['lefthook install', 'pre-commit run', 'npx husky init', 'npm uninstall lodash', 'npm install husky', 'lefthook run pre-push'],
  },
  'git.hooks.plumbing': {
    hit: ['? git commit-tree abc -m x', '? git commit-tree -p HEAD abc', '? git fast-import'],
    miss: ['git commit -m x', 'git write-tree', 'git fast-export main', 'git cat-file commit abc'],
  },
  'git.commit.unsigned': {
    hit: ['git commit --no-gpg-sign -m x', 'git -c commit.gpgsign=false commit -m x', 'git -c commit.gpgSign=0 merge x'],
    miss: ['git commit -S -m x', 'git commit -m --no-gpg-sign', 'git -c commit.gpgsign=true commit', 'git commit --no-gpg-sign -S -m x'],
  },
  'git.hooks.file': {
    hit: ['rm .git/hooks/pre-commit', 'chmod -x .git/hooks/pre-push', 'echo > .git/hooks/pre-commit', 'ln -sf /bin/true .git/hooks/pre-commit', 'cp x .git/hooks/pre-push', 'sed -i 1d .git/hooks/pre-commit', 'rm -rf .git/hooks', 'mv .git/hooks/pre-commit x', 'chmod 600 .git/hooks/pre-commit', 'rm .git/modules/a/hooks/pre-push', "python3 -c \"open('.git/hooks/pre-commit','w')\"", 'truncate -s 0 .git/hooks/pre-push', 'find .git/hooks -delete'],
    miss: ['ls .git/hooks', 'cat .git/hooks/pre-commit', 'chmod +x .git/hooks/pre-commit', 'chmod 755 .git/hooks/pre-commit', 'rm .git/hooks/pre-commit.sample', 'cp .git/hooks/pre-commit /tmp'],
  },
  'git.hooks.manager-file': {
    hit: ['rm -rf .husky', 'rm lefthook.yml', 'mv .pre-commit-config.yaml /tmp', 'rm .husky/pre-commit', 'chmod -x .husky/pre-push', 'unlink lefthook.yaml'],
    miss: ['cat lefthook.yml', 'echo "npm test" > .husky/pre-commit', 'sed -i s/a/b/ lefthook.yml', 'chmod +x .husky/pre-push', 'rm husky.md', 'rm -rf .huskyx'],
  },
};
