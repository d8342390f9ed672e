// Contract: how a row says a fact: its basis, and the versions with which that was so. PURE.
import type { Fact } from '../model/client.ts';

export const documented = (text: string): Fact => ({ text, basis: 'documented' });
export const unknown = (text: string): Fact => ({ text, basis: 'unknown' });

/** Facts with versions: `const measured = measuredOn('1.2.3')`. */
export const measuredOn = (versions: string) => (text: string): Fact => ({ text, basis: 'measured', versions });
export const documentedFor = (versions: string) => (text: string): Fact => ({ text, basis: 'documented', versions });
