// Contract: the verdict of the operation catalogues on one MCP call. IO, a bundle of its own (part `contract`), loaded only for MCP
// tools, and only where there are catalogues or the settings refuse servers without one. What is damaged or changed since it was
// compiled refuses the calls of the servers concerned; calls of other servers pass.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { CONTRACTS_DIRECTORY, normalName } from '../contract/catalogue.ts';
import { CONTRACT_MAGIC, operationKey, QUARANTINE_DIRECTORY, type ContractMeta } from '../contract/contract-index.ts';
import type { ContractDecision } from '../contract/decide.ts';
import type { GateFacts } from '../contract/gate.ts';
import { decideCall, unreadableIndex, type ContractIndex, type ContractPolicy } from '../contract/lookup.ts';
import { callDigest } from '../contract/pins.ts';
import { pairsOf } from '../model/mcp-names.ts';
import type { ToolCall } from '../model/payload.ts';
import { sha256Hex } from '../model/sha256.ts';
import { NEUTRAL, type CataloguedTool, type Verdict } from '../model/verdict.ts';
import { below } from '../roots/own-dirs.ts';
import { CONTRACT_FILE, type ContractPlace } from './contract-place.ts';
import { lookAt, openTable, sameStamp, stampOf, type TableDocument } from './index-reader.ts';

export { passOn, takeGrant } from './grants.ts';

const QUARANTINE_BYTES_MAX = 1024 * 1024;
const CATALOGUE_BYTES_MAX = 64 * 1024 * 1024;

/** For the receipt of a call about which a person was asked: how the runtime knows it again. */
export function callEvidence({ callId, input }: ToolCall, about: CataloguedTool): string | undefined {
  return callId === undefined ? undefined : callDigest(sha256Hex, { callId, ...about }, input);
}

type Opened = TableDocument<ContractMeta, GateFacts>;

/** `spell`: how the client writes names of tools. */
export function contractVerdict(place: ContractPlace, tool: ToolCall, spell: (name: string) => string, policy: ContractPolicy): Verdict {
  const name = tool.mcp;
  if (name === undefined) return NEUTRAL;
  const call = { pairs: pairsOf(name), spell: name.apart === true ? asItIs : spell };
  const index = place.state === undefined ? 'missing' : openTable<ContractMeta, GateFacts>(below(place.platform, place.state, CONTRACT_FILE), CONTRACT_MAGIC);
  if (typeof index === 'string') {
    const bound = boundNames(place);
    const governed = call.pairs.find(({ server }) => bound.includes(normalName(server)));
    return verdictOf(governed === undefined ? decideCall(NO_SERVERS, call, tool.input, policy) : unreadableIndex(governed.server));
  }
  const stale = call.pairs.find(({ server }) => {
    const found = index.meta.servers[normalName(server)];
    return found !== undefined && isStale(index, found[1]);
  });
  try {
    return verdictOf(stale === undefined ? decideCall(reading(place, index), call, tool.input, policy) : unreadableIndex(stale.server));
  } catch {
    return verdictOf(unreadableIndex(name.server));
  }
}

const asItIs = (name: string): string => name;

const NO_SERVERS: ContractIndex = { serverOf: () => undefined, operationsOf: () => [], isQuarantined: () => false };

function reading(place: ContractPlace, index: Opened): ContractIndex {
  return {
    serverOf: (server) => {
      const found = index.meta.servers[normalName(server)];
      return found === undefined ? undefined : { service: found[0] };
    },
    operationsOf: (service, tool) => index.rowsFor(operationKey(service, tool)),
    isQuarantined: (service, tool) => quarantinedTools(place, service).includes(normalName(tool)),
  };
}

function isStale(index: Opened, number: number): boolean {
  const source = index.meta.sources[number];
  if (source === undefined) return true;
  const stat = lookAt(source.path);
  return stat === undefined || !sameStamp(source, stampOf(source.path, stat));
}

/** In normal form. Throws where the list is there and cannot be read. */
function quarantinedTools(place: ContractPlace, service: string): readonly string[] {
  if (place.state === undefined) return [];
  const path = below(place.platform, below(place.platform, place.state, QUARANTINE_DIRECTORY), `${service}.json`);
  const stat = lookAt(path);
  if (stat === undefined) return [];
  if (!stat.isFile() || stat.size > QUARANTINE_BYTES_MAX) throw new Error('the list of changed tools cannot be read');
  const names: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (!Array.isArray(names)) throw new Error('the list of changed tools cannot be read');
  return names.map((name) => normalName(String(name)));
}

/** Without an index the catalogues themselves say whose calls must not pass; one that cannot be read governs the server of its own name. */
function boundNames(place: ContractPlace): string[] {
  if (place.config === undefined) return [];
  const directory = below(place.platform, place.config, CONTRACTS_DIRECTORY);
  let names: string[];
  try {
    names = readdirSync(directory).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  return names.flatMap((name) => [normalName(name.slice(0, -'.json'.length)), ...bindingsIn(below(place.platform, directory, name))]);
}

function bindingsIn(path: string): string[] {
  try {
    if (statSync(path).size > CATALOGUE_BYTES_MAX) return [];
    const value = JSON.parse(readFileSync(path, 'utf8')) as { bindings?: unknown };
    return Array.isArray(value.bindings) ? value.bindings.map((name) => normalName(String(name))) : [];
  } catch {
    return [];
  }
}

function verdictOf(decision: ContractDecision): Verdict {
  if (decision.decision === 'none') return decision.context === undefined ? NEUTRAL : { ...NEUTRAL, context: decision.context };
  const { decision: word, code, reason } = decision;
  return { decision: word, rule: `contract.${code}`, reason, ...(decision.decision === 'ask' ? { operation: decision.operation, about: { service: decision.service ?? '', tool: decision.tool } } : {}) };
}
