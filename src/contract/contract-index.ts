// Contract: catalogues -> the bytes of contract.idx (layout: model/table.ts), which the hook reads by offset: its cost does not
// depend on how many operations there are. PURE and deterministic.
import { encodeTable, hashText, type SourceStamp } from '../model/table.ts';
import { normalName } from './catalogue.ts';
import type { Catalogue } from './catalogue-schema.ts';
import { gateFacts, type GateFacts } from './gate.ts';

export const CONTRACT_MAGIC = 'PRTLCIX\0';

/** Below the state directory: the catalogues as they were compiled, for the runtime: valid, with every default. */
export const COMPILED_DIRECTORY = 'catalogues';

/** Below the state directory: the tools as they were shown for approval. */
export const DEFINITIONS_DIRECTORY = 'definitions';
/** Below the state directory: one file a service, written by the runtime: tools whose live definition is not the approved one. */
export const QUARANTINE_DIRECTORY = 'quarantine';

export interface ContractMeta {
  readonly engine: string;
  /** The catalogues' files as they were read. */
  readonly sources: readonly SourceStamp[];
  /** Binding in normal form -> service id and the number of its source. */
  readonly servers: Readonly<Record<string, readonly [service: string, source: number]>>;
}

export interface CataloguedSource { readonly stamp: SourceStamp; readonly catalogue: Catalogue }

/** The key of an operation's rows. */
export function operationKey(service: string, tool: string): string {
  return `${service} ${normalName(tool)}`;
}

/** Names that two catalogues claim: such a set is not compiled. */
export function bindingClashes(sources: readonly CataloguedSource[]): string[] {
  const owners = new Map<string, string>();
  const clashes: string[] = [];
  for (const { catalogue: { service, bindings } } of sources) {
    for (const binding of new Set(bindings.map(normalName))) {
      const owner = owners.get(binding);
      if (owner !== undefined) clashes.push(`the server name ${binding} is bound by ${owner} and by ${service.id}`);
      owners.set(binding, service.id);
    }
  }
  return clashes;
}

export function encodeContracts(engine: string, sources: readonly CataloguedSource[]): Uint8Array {
  const servers: Record<string, readonly [string, number]> = {};
  const rows = new Map<string, GateFacts[]>();
  sources.forEach(({ catalogue }, number) => {
    for (const binding of catalogue.bindings) servers[normalName(binding)] = [catalogue.service.id, number];
    for (const operation of catalogue.operations) {
      const key = operationKey(catalogue.service.id, operation.mcpTool);
      const facts = gateFacts(catalogue, operation);
      const group = rows.get(key);
      if (group === undefined) rows.set(key, [facts]);
      else group.push(facts);
    }
  });
  const meta: ContractMeta = { engine, sources: sources.map(({ stamp }) => stamp), servers };
  const text = JSON.stringify(meta);
  return encodeTable(CONTRACT_MAGIC, text, hashText(text), [], [...rows].map(([key, group]) => ({ key, rows: group })));
}
