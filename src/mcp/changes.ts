// Contract: who changed which catalogue when, and from where: one line a change in `<config>/contracts/changes.jsonl`, beside the
// catalogues, so that it travels with them. Through Host. Names and ids only.
import { OWN_DIR_MODE, makeDirs, putFile, toBytes, toText } from '../clientsetup/statefiles.ts';
import type { Host } from '../host.ts';
import { joinPath } from '../roots/paths.ts';
import { catalogueDirectory, type StorePlace } from './store.ts';

export const CHANGES_FILE = 'changes.jsonl';
const CHANGES_BYTES_MAX = 16 * 1024 * 1024;

export interface CatalogueChange {
  readonly action: 'import' | 'approve' | 'loosen' | 'grant' | 'bind';
  readonly service: string;
  readonly operations: readonly string[];
  /** `bind`: names under which clients see the server from now on. */
  readonly bindings?: readonly string[];
  /** Where it came from: a client, a file, a terminal. */
  readonly from: string;
}

/** The name that the system gives this person. */
export function personOf(host: Host): string {
  return (host.env['USER'] ?? host.env['LOGNAME'] ?? host.env['USERNAME'] ?? 'unknown').slice(0, 256).replace(/[\u0000-\u001f\u007f]/g, '');
}

export function recordChange(host: Host, place: StorePlace, change: CatalogueChange): void {
  const directory = catalogueDirectory(host, place);
  const path = joinPath(host.platform, directory, CHANGES_FILE);
  makeDirs(host, directory, OWN_DIR_MODE);
  const before = host.stat(path) === undefined ? '' : toText(host.readFile(path, CHANGES_BYTES_MAX));
  const line = JSON.stringify({ time: new Date(host.now()).toISOString(), by: personOf(host), ...change });
  putFile(host, path, toBytes(`${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${line}\n`));
}
