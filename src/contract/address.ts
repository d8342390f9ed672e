// Contract: which addresses an MCP server over HTTP may have, at import and at the start of the runtime. PURE.
const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/;
const SECRET_KEY = /key|token|secret|passw|auth|credential/i;

/** Why calls may not go there; undefined: they may. Credentials belong into a header, whose value no catalogue holds. */
export function addressFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'it is no address';
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.test(url.hostname))) return 'it is neither https nor on this machine';
  if (url.username !== '' || url.password !== '') return 'it holds a user name or a password';
  if (url.hash !== '') return 'it has a fragment';
  return [...url.searchParams.keys()].some((key) => SECRET_KEY.test(key)) ? 'its query looks like a credential' : undefined;
}
