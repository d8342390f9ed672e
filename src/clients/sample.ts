// Contract: the two commands with which doctor and the demonstration ask the guard. PURE.

export function sampleCommand(kind: 'allow' | 'deny'): string {
  return kind === 'allow' ? 'git status' : 'git push --force';
}
