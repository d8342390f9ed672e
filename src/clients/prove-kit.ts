// Contract: what the rows share when a proof starts their clients. PURE.

/** In the place of the person's key: a model on loopback asks for none. */
export const PROVE_KEY = 'praetorctl-not-a-key';

/** Where a client wants a name for the model. */
export const PROVE_MODEL = 'praetorctl-prove';

export const PROVE_PROMPT = 'Do what the script says.';
