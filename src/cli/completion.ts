// Contract: completion scripts from the command tree, so that they cannot drift from it. PURE.
import type { Command, Option } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish', 'pwsh'] as const;
export type Shell = (typeof SHELLS)[number];

interface Node { readonly path: string; readonly words: readonly string[]; readonly options: readonly Option[]; readonly about: string }

/** Every command with its sub-commands and flags, the root first. */
export function treeNodes(root: Command, path = ''): Node[] {
  const here: Node = {
    path, words: root.commands.map((c) => c.name()), about: root.description(),
    options: root.options,
  };
  return [here, ...root.commands.flatMap((c) => treeNodes(c, path === '' ? c.name() : `${path} ${c.name()}`))];
}

function wordsOf(node: Node): string[] {
  const flags = node.options.flatMap((o) => [o.long, o.short].filter((f): f is string => typeof f === 'string'));
  const args = node.path === 'completion' ? [...SHELLS] : [];
  return [...node.words, ...args, ...flags].sort();
}

const cases = (nodes: readonly Node[], line: (node: Node) => string): string => nodes.map(line).join('\n');

function bash(nodes: readonly Node[]): string {
  return `# bash completion for praetorctl
_praetorctl() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    [[ "$word" == -* ]] || path="\${path:+$path }$word"
  done
  local words=""
  case "$path" in
${cases(nodes, (n) => `    "${n.path}") words="${wordsOf(n).join(' ')}" ;;`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _praetorctl praetorctl
`;
}

function zsh(nodes: readonly Node[]): string {
  return `#compdef praetorctl
_praetorctl() {
  local path="" word
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    [[ "$word" == -* ]] || path="\${path:+$path }$word"
  done
  case "$path" in
${cases(nodes, (n) => `    "${n.path}") compadd -- ${wordsOf(n).join(' ')} ;;`)}
  esac
}
if [ "$funcstack[1]" = "_praetorctl" ]; then _praetorctl "$@"; else compdef _praetorctl praetorctl; fi
`;
}

const fishText = (text: string): string => text.replace(/\\/g, '\\\\').replace(/'/g, `\\'`);

function fish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap((node) => {
    const condition = `__praetorctl_at '${node.path}'`;
    const words = [...node.words, ...(node.path === 'completion' ? SHELLS : [])].map((w) => `complete -c praetorctl -f -n "${condition}" -a '${w}'`);
    const flags = node.options.map((o) => `complete -c praetorctl -f -n "${condition}"${o.short === undefined ? '' : ` -s ${o.short.slice(1)}`} -l ${(o.long ?? '').slice(2)} -d '${fishText(o.description)}'`);
    return [...words, ...flags];
  });
  return `# fish completion for praetorctl
function __praetorctl_at
  set -l path
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; or set -a path $word
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function pwsh(nodes: readonly Node[]): string {
  return `# PowerShell completion for praetorctl
Register-ArgumentCompleter -Native -CommandName praetorctl -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $path = (@($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" } | Where-Object { $_ -notlike '-*' -and $_ -ne $wordToComplete })) -join ' '
  $words = switch ($path) {
${cases(nodes, (n) => `    '${n.path}' { @(${wordsOf(n).map((w) => `'${w}'`).join(', ')}) }`)}
    default { @() }
  }
  $words | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`;
}

export function completionScript(root: Command, shell: Shell): string {
  const nodes = treeNodes(root);
  return { bash, zsh, fish, pwsh }[shell](nodes);
}
