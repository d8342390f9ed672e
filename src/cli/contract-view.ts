// Contract: catalogues and definitions for a person. PURE. What a server says about its tools is text from outside: every invisible
// or control character is shown, so that what is approved is what was read.
import { hasMixedLetters, wordsOfServer } from '../contract/classify.ts';
import type { Catalogue, Operation } from '../contract/catalogue-schema.ts';
import type { Change, ToolDefinition } from '../contract/pins.ts';
import { tierOf } from '../contract/review.ts';
import { isObject } from '../model/json.ts';

/** A longer line is continued on the next one: nothing of it is left out. */
const PIECES = /.{1,2000}/gu;

/** Characters that a terminal does not show, or that change what it shows, as their numbers: what a server wrote stays in its line. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{DI}]/gu, (c) => `\u27e8U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}\u27e9`);
}

/** The name of a tool; one whose letters look like others says so. */
const nameOf = (name: string): string => `${visible(name)}${hasMixedLetters(name) ? ' (letters of two alphabets)' : ''}`;

const TIERS = { none: 'runs as it is', model: 'the model confirms', person: 'a person approves' } as const;

export function operationLines(catalogue: Catalogue, operation: Operation): string[] {
  const { mcpTool, id, effect, risk, reversible, idempotency, state, confirmationReason } = operation;
  return [
    '', `${nameOf(mcpTool)}  (${id}, ${state})`,
    `  ${effect}, risk ${risk}, ${reversible ? 'can be undone' : 'cannot be undone'}, idempotency ${idempotency}; ${TIERS[tierOf(catalogue, operation)]}`,
    ...(confirmationReason === undefined ? [] : [`  because ${visible(confirmationReason)}`]),
    ...operation.variants.map(({ when, set }) => `  except when ${visible(JSON.stringify(when))}: ${visible(JSON.stringify(set))}`),
  ];
}

export function definitionLines(tool: ToolDefinition | undefined): string[] {
  if (tool === undefined) return ['  (its definition is not here: import the server again)'];
  const text = wordsOfServer(tool.description).split('\n').flatMap((line) => visible(line).match(PIECES) ?? ['']).map((line) => `  | ${line}`);
  const { properties } = tool.inputSchema;
  return [
    ...(tool.title === undefined ? [] : [`  title: ${visible(wordsOfServer(tool.title))}`]), ...text,
    `  arguments: ${isObject(properties) ? visible(Object.keys(properties).join(', ')) || 'none' : 'none'}`,
    `  says of itself: ${visible(JSON.stringify(tool.annotations ?? {}))}`,
  ];
}

/** What the catalogue says of an operation against each definition that the server gives of it. */
export function reviewLines(catalogue: Catalogue, operation: Operation, tools: readonly ToolDefinition[], doubts: readonly string[]): string[] {
  return [
    ...operationLines(catalogue, operation), ...doubts.map((doubt) => `  ! ${doubt}`), ...(tools.length > 1 ? [`  ! listed ${tools.length} times`] : []),
    ...(tools.length === 0 ? definitionLines(undefined) : tools.flatMap(definitionLines)),
  ];
}

export function changeLines(changes: readonly Change[]): string[] {
  return changes.map(({ tool, severity, text }) => `  ${severity.padEnd(8)} ${nameOf(tool)}: ${text}`);
}

export function summaryLine(catalogue: Catalogue, path: string): string {
  const { operations, service, bindings } = catalogue;
  const count = (test: (operation: Operation) => boolean): number => operations.filter(test).length;
  const waiting = count(({ state }) => state === 'review_required' || state === 'generated');
  return `${service.id}: ${operations.length} operations (${count(({ effect }) => effect === 'read')} read, ${count(({ effect }) => effect === 'mutation')} change things), ${count(({ state }) => state === 'approved')} approved, ${waiting} waiting; as ${bindings.join(', ')}; ${path}`;
}
