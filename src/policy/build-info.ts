// Contract: which engine and which rules judged. The build defines both values; from source they read `dev`. PURE.
declare const __VERSION__: string | undefined;
declare const __POLICY_DIGEST__: string | undefined;

export const ENGINE_VERSION: string = typeof __VERSION__ === 'string' ? __VERSION__ : 'dev';
/** First 16 hex digits of the sha256 over the sources of src/policy. */
export const POLICY_DIGEST: string = typeof __POLICY_DIGEST__ === 'string' ? __POLICY_DIGEST__ : 'dev';
