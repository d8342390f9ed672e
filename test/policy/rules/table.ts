// Contract: how the tables of cases read: for each rule, spellings that it must catch and neighbours that it must leave.
// A spelling that begins with `? ` is only asked about. Test-only.
export interface Cases { readonly hit: readonly string[]; readonly miss: readonly string[] }
export type Table = Readonly<Record<string, Cases>>;
