// Contract: sha256 by node:crypto, which is loaded at the first use, not at the start: it costs a quarter of a bare node start. IO.
import type * as NodeCrypto from 'node:crypto';

export const crypto = (): typeof NodeCrypto => require('node:crypto') as typeof NodeCrypto;

export const sha256 = (text: string): string => crypto().createHash('sha256').update(text).digest('hex');
