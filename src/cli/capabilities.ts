// Contract: what each client can enforce, from its row alone. docs/clients.md is generated from the same rows. PURE.
import { NO_HOOK, NO_HOOK_SURFACE } from '../clients/mcp-only.ts';
import type { ClientDefinition, Fact } from '../model/client.ts';

/** What becomes of a call. `depends`: on the version, the exit code or the place of the fault; the fact says on what. */
export type Outcome = 'closed' | 'open' | 'depends' | 'none';
/** `denied`: a person is not asked, the call is refused. `partly`: asked at some calls, refused at the others. */
export type Asking = 'asks' | 'denied' | 'partly' | 'none';
export type Surface = 'hooks in settings' | 'files of our own' | 'none';

export interface CapabilityRow {
  readonly id: string;
  readonly name: string;
  readonly vendor: string;
  readonly surface: Surface;
  /** The verdicts below in one word each. */
  readonly brief: { readonly ask: Asking; readonly crash: Outcome; readonly timeout: Outcome; readonly missingBinary: Outcome };
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

/** Never better than the words: whoever mentions that a tool runs is not closed. */
export function outcomeOf({ text }: Fact): Outcome {
  if (text === NO_HOOK) return 'none';
  const blocks = /\b(?:block|blocks|blocked|rejects|stops|refuses)\b/.test(text);
  const runs = /\bruns\b/.test(text);
  if (blocks === runs || /disagree|older/.test(text)) return /unless it is exit 2/.test(text) ? 'open' : 'depends';
  return blocks ? 'closed' : 'open';
}

export function askingOf({ text }: Fact): Asking {
  if (text === NO_HOOK) return 'none';
  if (!text.includes('degraded to deny')) return 'asks';
  return text.startsWith('native') ? 'partly' : 'denied';
}

function surfaceOf({ hooks: { shape, events } }: ClientDefinition): Surface {
  if (events.length === 0) return 'none';
  return shape === 'artefact' ? 'files of our own' : 'hooks in settings';
}

export function capabilityRows(clients: readonly ClientDefinition[]): CapabilityRow[] {
  return clients.map((client) => {
    const { denyEffect, ...verdicts } = client.verdicts;
    return {
      id: client.id, name: client.name, vendor: client.vendor, seenOn: client.seenOn, surface: surfaceOf(client),
      brief: { ask: askingOf(verdicts.ask), crash: outcomeOf(verdicts.crash), timeout: outcomeOf(verdicts.timeout), missingBinary: outcomeOf(verdicts.missingBinary) },
      verdicts, denyEffect, mcp: { toolNaming: client.mcp.toolNaming },
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
