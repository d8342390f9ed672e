// Contract: the code of a failed call to the machine. PURE.

/** `ENOENT`, `EACCES`, ..., or undefined. */
export function hostErrorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String((error as { code: unknown }).code) : undefined;
}
