// Contract: what the rows share when a proof starts their clients. PURE.

/** In the place of the person's key: a model on loopback asks for none. */
export const PROVE_KEY = 'praetorctl-not-a-key';

/** Where a client wants a name for the model. */
export const PROVE_MODEL = 'praetorctl-prove';

export const PROVE_PROMPT = 'Do what the script says.';

/** Nothing listens on the discard port: what is not for loopback goes nowhere. */
const NOWHERE = 'http://127.0.0.1:9';
const LOOPBACK = '127.0.0.1,localhost,::1';
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);

/**
 * Keeps a client on loopback. The person's own configuration may set the same names, and where that beats the environment of
 * the process a row gives them once more in a higher layer.
 */
export const LOOPBACK_ONLY: Readonly<Record<string, string>> = { ...Object.fromEntries(PROXIES.map((name) => [name, NOWHERE])), NO_PROXY: LOOPBACK, no_proxy: LOOPBACK };

/** For a client that has one option for its proxy. */
export const PROVE_PROXY = NOWHERE;

/** OpenTelemetry sends the person's own headers along, so nothing is exported. */
export const NO_TELEMETRY: Readonly<Record<string, string>> = {
  OTEL_SDK_DISABLED: 'true', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none',
  OTEL_EXPORTER_OTLP_HEADERS: '', OTEL_EXPORTER_OTLP_METRICS_HEADERS: '', OTEL_EXPORTER_OTLP_LOGS_HEADERS: '', OTEL_EXPORTER_OTLP_TRACES_HEADERS: '',
};
