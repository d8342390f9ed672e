// Contract: two helpers about words that rules use; the taking off of wrappers itself is in shell/. PURE.
export { isAssignment, programOf } from './shell/call.ts';
