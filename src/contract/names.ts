// Contract: when two names are one for a reader of another make. PURE.

/** Case does not count, nor do letters that such a reader takes for one of ASCII (the Kelvin sign, the long s). */
export const folded = (name: string): string => name.toUpperCase().toLowerCase();
