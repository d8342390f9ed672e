// Contract: catalogues and definitions for a person. PURE. What a server says about its tools is text from outside: every invisible
// or control character is shown, so that what is approved is what was read.
import type { Catalogue, Operation } from '../contract/catalogue-schema.ts';
import type { Change, ToolDefinition } from '../contract/pins.ts';
import { tierOf } from '../contract/review.ts';
import { printable } from './style.ts';

const WIDTH_MAX = 2_000;

/** Characters that a terminal does not show, or that change what it shows, as their numbers. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{DI}]/gu, (c) => (c === '\n' || c === '\t' ? c : `\u27e8U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}\u27e9`));
}

const TIERS = { none: 'runs as it is', model: 'the model confirms', person: 'a person approves' } as const;

export function operationLines(catalogue: Catalogue, operation: Operation): string[] {
  const { mcpTool, id, effect, risk, reversible, idempotency, state, confirmationReason } = operation;
  return [
    '', `${visible(mcpTool)}  (${id}, ${state})`,
    `  ${effect}, risk ${risk}, ${reversible ? 'can be undone' : 'cannot be undone'}, idempotency ${idempotency}; ${TIERS[tierOf(catalogue, operation)]}`,
    ...(confirmationReason === undefined ? [] : [`  because ${visible(confirmationReason)}`]),
    ...operation.variants.map(({ when, set }) => `  except when ${visible(JSON.stringify(when))}: ${visible(JSON.stringify(set))}`),
  ];
}

export function definitionLines(tool: ToolDefinition | undefined): string[] {
  if (tool === undefined) return ['  (its definition is not here: import the server again)'];
  const text = visible(tool.description ?? '').split('\n').map((line) => `  | ${line.slice(0, WIDTH_MAX)}`);
  const properties = (tool.inputSchema['properties'] ?? {}) as Record<string, unknown>;
  return [
    ...(tool.title === undefined ? [] : [`  title: ${visible(tool.title)}`]), ...text,
    `  arguments: ${visible(Object.keys(properties).join(', ')) || 'none'}`,
    `  says of itself: ${visible(JSON.stringify(tool.annotations ?? {}))}`,
  ];
}

export function changeLines(changes: readonly Change[]): string[] {
  return changes.map(({ tool, severity, text }) => `  ${severity.padEnd(8)} ${printable(visible(tool))}: ${text}`);
}

export function summaryLine(catalogue: Catalogue, path: string): string {
  const { operations, service, bindings } = catalogue;
  const count = (test: (operation: Operation) => boolean): number => operations.filter(test).length;
  const waiting = count(({ state }) => state === 'review_required' || state === 'generated');
  return `${service.id}: ${operations.length} operations (${count(({ effect }) => effect === 'read')} read, ${count(({ effect }) => effect === 'mutation')} change things), ${count(({ state }) => state === 'approved')} approved, ${waiting} waiting; as ${bindings.join(', ')}; ${path}`;
}
