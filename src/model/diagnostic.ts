// Contract: one error class, stable codes, and the single table from code to exit code. PURE.

/** Exit codes of every command except `hook` (see docs/cli.md). 2 is never used: hooks read it as "deny". */
export const EXIT = { ok: 0, failed: 1, no: 3, conflict: 4, usage: 64, interrupted: 130 } as const;

const EXIT_OF = {
  'usage': EXIT.usage,
  'unknown-client': EXIT.usage,
  'unknown-event': EXIT.usage,
  'not-confirmed': EXIT.usage,
  'root-override-relative': EXIT.usage,
  'root-override-missing': EXIT.usage,
  'no-home': EXIT.usage,
  'settings-invalid': EXIT.usage,
  'settings-unreadable': EXIT.failed,
  'settings-loosened': EXIT.failed,
  'settings-conflict': EXIT.failed,
  'catalogue-invalid': EXIT.usage,
  'catalogue-unreadable': EXIT.failed,
  'catalogue-loosened': EXIT.no,
  'launch-refused': EXIT.no,
  'not-detected': EXIT.ok,
  'unverified-root': EXIT.ok,
  'note': EXIT.ok,
  'trust-needed': EXIT.ok,
  'trust-shift': EXIT.ok,
  'entrypoint-not-on-path': EXIT.ok,
  'invalid-document': EXIT.failed,
  'merge-conflict-markers': EXIT.failed,
  'not-an-object': EXIT.failed,
  'duplicate-key': EXIT.failed,
  'wrong-type': EXIT.failed,
  'too-deep': EXIT.failed,
  'too-large': EXIT.failed,
  'undecodable': EXIT.failed,
  'nul-filled': EXIT.failed,
  'empty-file': EXIT.failed,
  'client-rejects': EXIT.failed,
  'dangling-link': EXIT.failed,
  'link-loop': EXIT.failed,
  'hard-link': EXIT.failed,
  'not-a-file': EXIT.failed,
  'unreadable': EXIT.failed,
  'write-failed': EXIT.failed,
  'readback-failed': EXIT.failed,
  'state-damaged': EXIT.failed,
  'not-installed': EXIT.failed,
  'record-newer': EXIT.failed,
  'launcher-broken': EXIT.failed,
  'version-unknown': EXIT.usage,
  'version-fails': EXIT.failed,
  'signing-failed': EXIT.failed,
  'receipts-diverged': EXIT.no,
  'export-failed': EXIT.failed,
  'internal': EXIT.failed,
  'changed-underneath': EXIT.conflict,
  'lock-held': EXIT.conflict,
  'foreign-entry': EXIT.conflict,
  'rollback-changed': EXIT.conflict,
  'plan-outdated': EXIT.conflict,
  'unknown-run': EXIT.usage,
  'command-failed': EXIT.failed,
  'git-unavailable': EXIT.failed,
  'git-failed': EXIT.failed,
  'git-bounds': EXIT.failed,
  'artefact-invalid': EXIT.failed,
  'fork-refused': EXIT.failed,
  'fork-exists': EXIT.failed,
  'fork-unclean': EXIT.conflict,
  'fork-moved': EXIT.conflict,
  'gate-failed': EXIT.failed,
  'promotions-damaged': EXIT.failed,
  'promotion-refused': EXIT.failed,
} as const;

export type Code = keyof typeof EXIT_OF;
export type Severity = 'error' | 'warning' | 'info';

export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  /** File (home shown as `~` by the view), with line and column (1-based) where they are known. */
  readonly where?: { readonly path: string; readonly line?: number; readonly column?: number };
  readonly client?: string;
  /** One sentence. Never file contents, environment or values. */
  readonly message: string;
  /** The exact next command or action. */
  readonly fix: string;
}

export function exitOf(code: Code): number {
  return EXIT_OF[code];
}

export const ALL_CODES = Object.keys(EXIT_OF) as Code[];

export class PraetorError extends Error {
  readonly diagnostic: Diagnostic;

  constructor(diagnostic: Omit<Diagnostic, 'severity'> & { severity?: Severity }, cause?: unknown) {
    super(diagnostic.message, cause === undefined ? undefined : { cause });
    this.name = 'PraetorError';
    this.diagnostic = { severity: 'error', ...diagnostic };
  }
}

/** The exit code that a list of diagnostics asks for: the first error decides (conflicts only when nothing is worse). */
export function exitFor(diagnostics: readonly Diagnostic[]): number {
  const errors = diagnostics.filter((d) => d.severity === 'error').map((d) => exitOf(d.code)).filter((c) => c !== EXIT.ok);
  if (errors.length === 0) return EXIT.ok;
  return errors.find((code) => code !== EXIT.conflict) ?? EXIT.conflict;
}
