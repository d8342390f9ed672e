// Contract: where catalogues are, and whether any could concern a call: two file looks, so that calls of MCP tools stay cheap where
// there is none. IO.
import { CONTRACTS_DIRECTORY } from '../contract/catalogue.ts';
import type { ContractSettings } from '../policy/operator-index.ts';
import { below } from '../roots/own-dirs.ts';
import { lookAt } from './index-reader.ts';

/** Below the state directory: all catalogues, compiled. */
export const CONTRACT_FILE = 'contract.idx';

export interface ContractPlace { readonly platform: string; readonly state: string | undefined; readonly config: string | undefined }

export function hasContracts({ platform, state, config }: ContractPlace, { unlisted }: ContractSettings): boolean {
  if (unlisted === 'deny') return true;
  const isThere = (directory: string | undefined, name: string): boolean => directory !== undefined && lookAt(below(platform, directory, name)) !== undefined;
  return isThere(state, CONTRACT_FILE) || isThere(config, CONTRACTS_DIRECTORY);
}
