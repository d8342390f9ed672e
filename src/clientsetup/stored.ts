// Contract: a plan kept in a file with the digests of its inputs, so that what was reviewed is what is applied. It holds no
// file contents: apply plans again and refuses when inputs or results differ from what was stored.
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import { isObject } from '../model/json.ts';
import type { Plan } from '../model/plan.ts';
import type { SettingsChoice } from '../settings/load.ts';
import type { Request } from './survey.ts';

const STORED_BYTES_MAX = 1024 * 1024;

interface StoredFile { readonly path: string; readonly action: string; readonly before: string; readonly after: string }

export interface Stored {
  readonly request: Pick<Request, 'clients' | 'scope' | 'adopt' | 'documents'>;
  /** Throws `plan-outdated` unless the plan is the stored one. */
  readonly check: (plan: Plan) => void;
}

function filesOf(host: Host, plan: Plan): StoredFile[] {
  return plan.files.filter((file) => file.action !== 'none').map((file) => ({
    path: file.spec.path, action: file.action,
    before: file.before.state === 'file' ? file.before.stamp.digest : 'absent',
    after: file.after === null ? 'absent' : host.sha256(file.after),
  }));
}

/** Writes a new file; an existing one is never overwritten. */
export function storePlan(host: Host, path: string, request: Request, plan: Plan): void {
  const { clients, scope, adopt, documents } = request;
  const document = { schema: 'praetorctl/stored-plan', schemaVersion: 1, request: { clients, scope, adopt, documents: documents ?? {} }, files: filesOf(host, plan) };
  try {
    host.writeNew(path, new TextEncoder().encode(`${JSON.stringify(document, null, 2)}\n`), 0o600);
  } catch (error) {
    throw new PraetorError({ code: 'write-failed', where: { path }, message: 'the plan could not be stored (the file must not exist yet)', fix: 'name a new file in a directory you may write to' }, error);
  }
}

function invalid(path: string, cause?: unknown): PraetorError {
  return new PraetorError({ code: 'usage', where: { path }, message: 'this is not a plan stored by praetorctl clients plan --out', fix: 'praetorctl clients plan --out FILE' }, cause);
}

/** A plan of an earlier version names the person's own document as `settingsPath`. */
function documentsOf(value: unknown): SettingsChoice {
  const named = (key: keyof SettingsChoice): string | undefined => (isObject(value) && typeof value[key] === 'string' ? value[key] : undefined);
  return { settings: named('settings'), fleet: named('fleet'), organisation: named('organisation') };
}

export function readStored(host: Host, path: string): Stored {
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(host.readFile(path, STORED_BYTES_MAX)));
  } catch (error) {
    throw invalid(path, error);
  }
  if (!isObject(document) || document['schema'] !== 'praetorctl/stored-plan' || document['schemaVersion'] !== 1) throw invalid(path);
  const { request, files } = document;
  if (!isObject(request) || !Array.isArray(request['clients']) || !Array.isArray(files)) throw invalid(path);
  const expected = JSON.stringify(files);
  return {
    request: {
      clients: request['clients'].map(String), scope: request['scope'] === 'project' ? 'project' : 'user', adopt: request['adopt'] === true,
      documents: documentsOf(request['documents'] ?? { settings: request['settingsPath'] ?? null }),
    },
    check: (plan) => {
      if (JSON.stringify(filesOf(host, plan)) === expected) return;
      throw new PraetorError({ code: 'plan-outdated', where: { path }, message: 'files or settings changed since this plan was stored', fix: 'praetorctl clients plan --out NEWFILE' });
    },
  };
}
