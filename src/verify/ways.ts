// Contract: the catalogue of the checks that are the same for every client: what stands where, and the fix. Together with each
// row's own catalogue it is the whole list of docs/verify.md; a check that is in neither is a fault (tested). PURE.
import { ALL_CODES } from '../model/diagnostic.ts';

export interface SharedWay {
  readonly id: string;
  readonly looks: string;
  readonly fix: string;
}

const PLAN = 'praetorctl clients plan shows what should stand there; praetorctl clients apply puts it back';
const RUN = 'let the client run one harmless command';

/** Entries, programs and directories: found by comparing with what we wrote. */
export const SHARED_WAYS: readonly SharedWay[] = [
  { id: 'entry.gone', looks: 'no hook of ours is left in a file that we wrote', fix: 'praetorctl clients apply' },
  { id: 'entry.missing', looks: 'a hook is missing, or its command was edited so that it is not ours any more', fix: PLAN },
  { id: 'entry.surplus', looks: 'a hook of ours stands where none is desired', fix: PLAN },
  { id: 'entry.matcher', looks: 'the matcher of a hook was changed: fewer tools reach it', fix: PLAN },
  { id: 'entry.async', looks: '`async` was added to a hook: its answer comes too late', fix: PLAN },
  { id: 'entry.condition', looks: 'an `if` was added to a hook: it runs for some calls only, or for none', fix: PLAN },
  { id: 'entry.timeout', looks: 'the timeout of a hook was changed: where a timeout runs the tool, a short one is an open gate', fix: PLAN },
  { id: 'entry.failure', looks: '`onFailure` of a hook was changed: a hook that fails lets the call pass', fix: PLAN },
  { id: 'entry.command', looks: 'the command of a hook was written in another form of ours, for example with a path', fix: PLAN },
  { id: 'entry.type', looks: 'the type of a hook was changed', fix: PLAN },
  { id: 'entry.body', looks: 'a plugin file of ours was edited', fix: PLAN },
  { id: 'entry.twice', looks: 'a hook of ours stands there twice', fix: PLAN },
  { id: 'entry.key', looks: 'any other key of a hook of ours was added, changed or taken away', fix: PLAN },
  { id: 'entrypoint.path', looks: 'praetorctl is in no directory of PATH', fix: 'put its directory (~/.local/bin after an apply) on PATH' },
  { id: 'entrypoint.not-executable', looks: 'the praetorctl on PATH may not be executed', fix: 'chmod +x' },
  { id: 'entrypoint.launcher', looks: 'the launcher in ~/.local/bin is gone or holds something else', fix: PLAN },
  { id: 'root.moved', looks: 'a variable moves the client\'s directory away from where we registered', fix: 'unset that variable, or praetorctl clients apply' },
  { id: 'double.other-client', looks: 'the client also runs the hooks of another one, which are registered too: each call is judged twice', fix: 'nothing has to be done' },
  { id: 'record.on', looks: '`PRAETORCTL_HOOK_RECORD_DIR` in the environment: the hook records and refuses nothing', fix: 'unset PRAETORCTL_HOOK_RECORD_DIR' },
  { id: 'trust.untrusted', looks: 'the client has no record of trust for a hook of ours, or for its position', fix: 'trust it in the client itself' },
  { id: 'trust.modified', looks: 'a hook changed after the person trusted it', fix: 'trust it again in the client itself' },
  { id: 'trust.disabled', looks: 'the person\'s record of trust has the hook disabled', fix: 'enable it in the client itself' },
];

/** What a receipt does not say, so that `observed` is not said or is stale. */
export const RECEIPT_WAYS: readonly SharedWay[] = [
  { id: 'receipt.none', looks: 'no receipt of a tool call since the installation', fix: RUN },
  { id: 'receipt.earlier', looks: 'the newest receipt, or its session, is from before the registration was last changed', fix: `${RUN} in a new session` },
  { id: 'receipt.void', looks: 'there are receipts, but something that is known now keeps the hook from running', fix: 'the fix of that check' },
  { id: 'receipt.unread', looks: 'the receipts cannot be read', fix: 'praetorctl doctor' },
  { id: 'receipt.no-evidence', looks: 'receipts of doctor, of the demonstration, of a hook run by hand, of another client, from before the registration, or from the future', fix: RUN },
  { id: 'receipt.aged', looks: 'the newest receipt is older than clients.verified_max_age (7 days unless the settings say otherwise)', fix: RUN },
  { id: 'receipt.other-program', looks: 'the program of the client changed since the newest receipt: its file, its link or the package around it', fix: RUN },
  { id: 'receipt.other-version', looks: 'the version of praetorctl changed since the newest receipt', fix: RUN },
  { id: 'receipt.other-policy', looks: 'the policy changed since the newest receipt', fix: RUN },
  { id: 'receipt.other-registration', looks: 'the registration is not as desired any more', fix: PLAN },
  { id: 'receipt.error', looks: 'the newest receipt says that praetorctl could not judge the call', fix: 'praetorctl doctor' },
];

/** `file.CODE`: the file with our hooks. `layer.CODE`: another file that could hold a switch. CODE says what is wrong with it. */
export const UNREAD_PREFIXES = ['file', 'layer'] as const;

/** Is this the id of a check that the catalogues know? */
export function isKnownCheck(id: string, ofRow: readonly { readonly id: string }[]): boolean {
  const [prefix, code] = [id.slice(0, id.indexOf('.')), id.slice(id.indexOf('.') + 1)];
  if ((UNREAD_PREFIXES as readonly string[]).includes(prefix)) return (ALL_CODES as readonly string[]).includes(code);
  return [...SHARED_WAYS, ...RECEIPT_WAYS, ...ofRow].some((way) => way.id === id);
}
