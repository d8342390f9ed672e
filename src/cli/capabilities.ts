// Contract: what each client can enforce, from its row alone. docs/clients.md is generated from the same rows. PURE.
import { NO_HOOK_SURFACE } from '../clients/mcp-only.ts';
import type { ClientDefinition, Fact } from '../model/client.ts';

export interface CapabilityRow {
  readonly id: string;
  readonly name: string;
  readonly seenOn: Fact;
  readonly events: readonly { readonly canonical: string; readonly native: string; readonly note: string | null }[];
  readonly verdicts: Readonly<Record<'deny' | 'ask' | 'neutral' | 'crash' | 'timeout' | 'missingBinary', Fact>>;
  readonly denyEffect: string;
  readonly mcp: { readonly toolNaming: string };
  readonly trust: boolean;
  readonly gaps: readonly Fact[];
  /** How `verify --probe` asks the client itself. */
  readonly probe: Readonly<Record<'source' | 'cost' | 'effects', Fact>> | null;
}

export function capabilityRows(clients: readonly ClientDefinition[]): CapabilityRow[] {
  return clients.map((client) => {
    const { denyEffect, ...verdicts } = client.verdicts;
    return {
      id: client.id, name: client.name, seenOn: client.seenOn, verdicts, denyEffect, mcp: { toolNaming: client.mcp.toolNaming },
      events: client.hooks.events.map((e) => ({ canonical: e.canonical, native: e.native, note: e.note ?? null })),
      trust: client.trust !== undefined, gaps: client.gaps,
      probe: client.probe === undefined ? null : { source: client.probe.source, cost: client.probe.cost, effects: client.probe.effects },
    };
  }).sort((a, b) => (a.id < b.id ? -1 : 1));
}

const LABELS = [['deny', 'deny'], ['ask', 'ask'], ['neutral', 'no opinion'], ['crash', 'hook crashes'], ['timeout', 'hook times out'], ['missingBinary', 'program missing']] as const;

function block(row: CapabilityRow): string {
  const lines = [
    `${row.name} (${row.id}), ${row.seenOn.basis}: ${row.seenOn.text}`,
    `  events: ${row.events.length === 0 ? NO_HOOK_SURFACE : row.events.map((e) => `${e.canonical}=${e.native}`).join(', ')}`,
    ...(row.events.length === 0 ? [] : LABELS).map(([key, label]) => `  ${label.padEnd(15)} ${row.verdicts[key].text} [${row.verdicts[key].basis}]`),
    `  ${'MCP tool names'.padEnd(15)} ${row.mcp.toolNaming}`,
    ...(row.probe === null ? [] : [`  verify --probe  ${row.probe.source.text}; ${row.probe.cost.text}; ${row.probe.effects.text} [${row.probe.source.basis}]`]),
    ...row.gaps.map((gap) => `  gap: ${gap.text} [${gap.basis}]`),
  ];
  return lines.join('\n');
}

export function renderCapabilities(rows: readonly CapabilityRow[]): string {
  return rows.map(block).join('\n\n');
}
