// Contract: the bundle of the other languages, for src/hook/load-langs.ts. PURE.
export { languages } from './langs.ts';
