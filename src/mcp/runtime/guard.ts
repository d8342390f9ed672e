// Contract: the session of a guarded server with what it needs of this machine: settings, evidence, receipts, quarantine. IO. A bundle
// of its own (part `guard`): it is read while the server starts.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Catalogue } from '../../contract/catalogue-schema.ts';
import { QUARANTINE_DIRECTORY } from '../../contract/contract-index.ts';
import { GRANTS_DIRECTORY } from '../../contract/grant.ts';
import type { HookPlace } from '../../hook/facts.ts';
import { SETTINGS_PARTS } from '../../hook/load-parts.ts';
import { readSettings } from '../../hook/settings-index.ts';
import { ENGINE_VERSION, POLICY_DIGEST } from '../../policy/build-info.ts';
import { below } from '../../roots/own-dirs.ts';
import { createSession } from '../session.ts';
import type { Session } from '../session-types.ts';
import { crypto, sha256 } from './digest.ts';
import { grantTaker, hookEvidence, USED_DIRECTORY } from './evidence.ts';
import { receiptWriter } from './receipt-writer.ts';

/** Written whole or not at all; the hook reads it at every call. */
function writeQuarantine(place: HookPlace, service: string, tools: readonly string[]): void {
  if (place.state === undefined) return;
  const directory = below(place.platform, place.state, QUARANTINE_DIRECTORY);
  const path = below(place.platform, directory, `${service}.json`);
  if (tools.length === 0) return rmSync(path, { force: true });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(tools)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}

let secret: Buffer | undefined;

export function guardOf(place: HookPlace, catalogue: Catalogue): Session {
  const executes = catalogue.upstream?.transport === 'openapi';
  const { contract } = readSettings(place, undefined, SETTINGS_PARTS);
  const service = catalogue.service.id;
  return createSession({
    catalogue, floor: contract.floor, humanEvidence: contract.evidence, hostsPinned: executes, executes, sha256,
    hmac: (text) => crypto().createHmac('sha256', secret ??= crypto().randomBytes(32)).update(text).digest('hex'), nonce: () => crypto().randomBytes(12).toString('hex'), now: Date.now,
    takeHookEvidence: hookEvidence(place.receipts, place.state === undefined ? undefined : below(place.platform, place.state, USED_DIRECTORY), Date.now),
    takeGrant: grantTaker(place.state === undefined ? undefined : below(place.platform, place.state, GRANTS_DIRECTORY), Date.now),
    note: receiptWriter(place.receipts, { service, engine: ENGINE_VERSION, policy: POLICY_DIGEST }),
    quarantine: (tools) => writeQuarantine(place, service, tools),
  });
}
