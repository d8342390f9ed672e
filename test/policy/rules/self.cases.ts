// Contract: cases of the rules about the guard itself. Test-only data.
import type { Table } from './table.ts';

export const SELF_CASES: Table = {
  'self.files': {
    hit: ['rm ~/.codex/hooks.json', 'rm ~/.claude/settings.json', 'mv ~/.claude /tmp/c', 'chmod 000 ~/.claude/settings.json', "echo '{}' > ~/.claude/settings.json", 'ln -sf /dev/null ~/.gemini/settings.json', '? cp /tmp/x ~/.claude/settings.json', "sed -i '/hooks/,/]/d' ~/.claude/settings.json", "sed -i 's/\"hooks\"/\"_hooks\"/' ~/.claude/settings.json", "sed -i '/praetorctl/d' ~/.claude/settings.json", "sed -i 's/\"disableAllHooks\": false/\"disableAllHooks\": true/' ~/.claude/settings.json", 'rm ~/.local/bin/praetorctl', 'ln -sf /bin/true ~/.local/bin/praetorctl', 'rm -rf /usr/local/lib/node_modules/praetorctl', 'truncate -s 0 ~/.local/state/praetorctl/receipts/receipts.jsonl', 'echo x >> ~/.config/praetorctl/settings.yaml', '? echo "hooks" >> ~/.codex/config.toml', "printf '[features]\\nhooks = false\\n' >> ~/.codex/config.toml", 'mv /tmp/codex-hooks.json ~/.codex/hooks.json', '? rm .praetorctl/settings.yaml', "python3 -c \"open('/home/dev/.codex/hooks.json','w').write('{}')\"", "sed -i 's/hooks = true/hooks = false/' ~/.codex/config.toml"],
    miss: ['cat ~/.codex/hooks.json', 'cp ~/.claude/settings.json /tmp', "sed -i 's/^model = .*/model = \"x\"/' ~/.codex/config.toml", "echo 'model = \"x\"' >> ~/.codex/config.toml", 'jq . ~/.claude/settings.json', 'rm -rf ~/work/.codex-old', 'ls ~/.local/bin', 'rm ~/.local/bin/other', 'rm test/fixtures/.codex/hooks.json', 'git diff .claude/settings.json', 'cat > /tmp/x.json < ~/.claude/settings.json'],
  },
  'self.code': {
    hit: ["python3 - <<'E'\nimport json,os\np=os.path.expanduser('~/.claude/settings.json')\njson.dump({},open(p,'w'))\nE", "node -e \"require('fs').writeFileSync(process.env.HOME+'/.codex/hooks.json','{}')\"", "python3 -c \"from pathlib import Path; (Path.home()/'.claude'/'settings.json').write_text('{}')\""],
    miss: ["python3 -c \"import json; print(json.load(open('/home/dev/.claude/settings.json')))\"", "node -e \"console.log(require('/home/dev/.claude/settings.json').model)\"", "python3 -c \"open('out.txt','w').write('x')\""],
  },
  'self.filter': {
    hit: ["jq '.disableAllHooks=true' ~/.claude/settings.json", "jq 'del(.hooks)' ~/.claude/settings.json", "yq '.hooksConfig.enabled = false' ~/.gemini/settings.json", "cat ~/.claude/settings.json | jq '.disableAllHooks = true'", "sed 's/hooks = true/hooks = false/' ~/.codex/config.toml"],
    miss: ["jq '.hooks' ~/.claude/settings.json", "jq '.disableAllHooks' ~/.claude/settings.json", "jq '.disableAllHooks=true' fixture.json", "jq '.model' ~/.claude/settings.json"],
  },
  'self.client.unguarded': {
    hit: ['claude --dangerously-skip-permissions -p x', 'codex --dangerously-bypass-approvals-and-sandbox exec x', 'gemini --yolo', 'gemini -y -p x', 'claude --bare', 'claude --setting-sources project', 'codex --disable hooks', 'codex -c features.hooks=false exec x', 'codex --config features.hooks=false', "claude --settings '{\"disableAllHooks\":true}'", 'CLAUDE_CODE_SIMPLE=1 claude -p x', '? codex --dangerously-bypass-hook-trust', 'claude --permission-mode bypassPermissions', 'gemini hooks disable praetorctl', 'codex features disable hooks', '? gemini --skip-trust'],
    miss: ['claude -p "explain disableAllHooks=true please now"', 'codex exec "set features.hooks=false in the docs"', 'gemini -p hello', 'claude --version', 'claude --setting-sources user,project', 'codex -c model=x', 'claude mcp list', 'codex --enable hooks'],
  },
  'self.client.moved': {
    hit: ['? CLAUDE_CONFIG_DIR=/tmp/c claude -p x', '? CODEX_HOME=/tmp/c codex exec x', 'export PRAETORCTL_CONFIG_DIR=/tmp', 'export CLAUDE_CODE_SIMPLE=1', '? export CODEX_HOME=/tmp/x', 'PRAETORCTL_STATE_DIR=/tmp claude', 'export PRAETORCTL_DATA_DIR=/tmp'],
    miss: ['CODEX_HOME=/tmp/c npm test', 'export FOO=1', 'PRAETORCTL_CONFIG_DIR=/tmp npm test', 'CLAUDE_MODEL=x claude', 'echo $CODEX_HOME'],
  },
  'self.command': {
    hit: ['praetorctl clients remove', 'praetorctl clients remove --yes', 'praetorctl clients rollback', 'praetorctl policy allow abc', 'praetorctl workstation install --from /tmp/x', 'praetorctl workstation rollback --to 0', 'praetorctl workstation unpin', 'praetorctl workstation pin', 'praetorctl workstation update --now', 'npx praetorctl workstation update', 'praetorctl schedule remove --yes', 'praetorctl schedule --color never install', 'praetorctl fork promote /tmp/c --sign key', 'praetorctl receipts verify --accept h1', 'praetorctl receipts verify --accept=h1', 'npx praetorctl clients remove', 'praetorctl --color never clients remove', '~/.local/bin/praetorctl clients remove'],
    miss: ['praetorctl clients plan', 'praetorctl clients verify', 'praetorctl workstation status', 'praetorctl workstation update --check', 'praetorctl schedule render', 'praetorctl schedule remove --dry-run', 'praetorctl fork plan', 'praetorctl receipts verify', 'praetorctl clients remove --dry-run', 'praetorctl policy explain x', 'praetorctl doctor', 'praetorctl clients remove --help'],
  },
  'self.uninstall': {
    hit: ['npm uninstall -g praetorctl', 'npm rm --global praetorctl', 'pnpm remove -g praetorctl', 'yarn global remove praetorctl', '? npm uninstall praetorctl', 'bun remove -g praetorctl', 'brew uninstall praetorctl'],
    miss: ['npm install -g praetorctl', 'npm view praetorctl', 'npm uninstall -g other', 'npm ls -g praetorctl'],
  },
  'self.kill': {
    hit: ['pkill praetorctl', 'pkill -f "praetorctl hook"', 'killall praetorctl', 'sudo pkill -9 praetorctl'],
    miss: ['pgrep praetorctl', 'pkill node-app', 'killall vite', 'ps aux | grep praetorctl'],
  },
  'self.schedule': {
    hit: ['systemctl --user disable --now praetorctl-update.timer', 'systemctl --user stop "praetorctl-*.timer"', 'systemctl --user mask praetorctl-update.service', 'launchctl bootout gui/501/io.praetorctl.update', 'launchctl unload ~/Library/LaunchAgents/io.praetorctl.update.plist', "schtasks /Delete /TN '\\praetorctl\\update' /F", "schtasks /change /tn '\\praetorctl\\update' /disable"],
    miss: ['systemctl --user status praetorctl-update.timer', 'systemctl --user list-timers "praetorctl-*"', 'systemctl --user stop my-app.timer', 'launchctl print gui/501/io.praetorctl.update', "schtasks /Query /TN '\\praetorctl\\update'"],
  },
  'self.shadow': {
    hit: ['alias praetorctl=true', 'hash -p /bin/true praetorctl', "alias praetorctl='echo'"],
    miss: ['alias ll=ls', 'hash -r', 'alias p=praetorctl', 'hash praetorctl'],
  },
  'self.path': {
    hit: ['? export PATH=/usr/bin:/bin', '? export PATH=', '? export PATH=/x A=1'],
    miss: ['export PATH="$PATH:/x"', 'export PATH=/x:$PATH', 'PATH=/x ls', 'export PATHS=/x'],
  },
  'self.rights': {
    hit: ['chmod -x $(command -v praetorctl)', 'rm "$(command -v praetorctl)"', 'mv $(command -v praetorctl) /tmp', '? rm praetorctl'],
    miss: ['ls -l $(which praetorctl)', 'chmod +x script.sh', 'rm "$(mktemp)"'],
  },
};
