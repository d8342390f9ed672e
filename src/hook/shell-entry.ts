// Contract: the parser's bundle: what load-shell.ts loads. PURE.
export { parse } from 'unbash';
