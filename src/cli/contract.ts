// Contract: `praetorctl contract import | review | approve | diff | lint | list | grant`: flags -> the pure rules of contract/ -> the
// store. What starts a program, approves or allows asks a person; agents are refused where they would approve themselves.
import { parseCatalogue, type Catalogue, type Operation } from '../contract/catalogue-schema.ts';
import { draftOperation, type Draft } from '../contract/classify.ts';
import { DEFINITIONS_DIRECTORY } from '../contract/contract-index.ts';
import { GRANT_MS_DEFAULT, GRANT_MS_MAX, GRANTS_DIRECTORY, type Grant } from '../contract/grant.ts';
import { canonicalJson, stops, toolPin, type ToolDefinition } from '../contract/pins.ts';
import { contradiction } from '../contract/redraft.ts';
import { approve, byName, mergeTools, selected, tierOf, unmatched } from '../contract/review.ts';
import { OWN_DIR_MODE, makeDirs, putFile, toBytes, toText, type StateDirs } from '../clientsetup/statefiles.ts';
import { ownDirsOf } from '../clientsetup/survey.ts';
import type { Host } from '../host.ts';
import { EXIT, PraetorError, exitFor } from '../model/diagnostic.ts';
import { isObject } from '../model/json.ts';
import { personOf, recordChange } from '../mcp/changes.ts';
import { exclusively } from '../mcp/exclusive.ts';
import { catalogueOf, compileCatalogues, readCatalogues, writeCatalogue, type StorePlace } from '../mcp/store.ts';
import { rootContext } from '../roots/context.ts';
import { joinPath } from '../roots/paths.ts';
import { loadSettings } from '../settings/load.ts';
import { durationMs } from '../settings/schema.ts';
import { changeLines, operationLines, reviewLines, summaryLine, visible } from './contract-view.ts';
import { serverLook, serverOfUpstream, type LookRequest } from './contract-live.ts';
import { openapiLook, problemLines, sameAddress, upstreamLines, withAddress, type Look } from './contract-openapi.ts';
import { findServers, guardedVariables, type FoundServer } from './contract-servers.ts';
import { needPerson, refuseAgents } from './person.ts';
import { VERSION, type Outcome } from './output.ts';
import type { CommandContext } from './program.ts';

const SHOWN_DIRECTORY = 'shown';

interface Ground { readonly host: Host; readonly dirs: StateDirs; readonly place: StorePlace; readonly name: string; readonly context: CommandContext }

function groundOf(context: CommandContext): Ground {
  const { host } = context.io;
  const dirs = ownDirsOf(host, rootContext(host));
  return { host, dirs, place: { state: dirs.state, config: dirs.config }, name: context.args[0] ?? '', context };
}

const done = (kind: string, body: Record<string, unknown>, lines: readonly string[], extra: Partial<Outcome> = {}): Outcome =>
  ({ exit: EXIT.ok, kind, body, text: lines.join('\n'), diagnostics: [], wrote: true, ...extra });

async function agreed({ context }: Ground, question: string): Promise<boolean> {
  if (context.options['yes'] === true) return true;
  if (!context.io.inIsTty) throw new PraetorError({ code: 'not-confirmed', message: 'there is no terminal to ask on', fix: 'run it in a terminal, or pass --yes' });
  const answer = (await context.io.ask(`${question} [y/N] `) ?? '').trim().toLowerCase();
  return answer === 'y' || answer === 'yes';
}

const NOT_DONE = (kind: string): Outcome => ({ exit: EXIT.interrupted, kind, body: {}, text: 'nothing was done', diagnostics: [], wrote: false });

// ---- import ----

/** What is looked at is shown before, and asked about. */
const lookRequest = (ground: Ground, service: string): LookRequest => ({
  host: ground.host, service,
  agreed: (shown, question) => {
    ground.context.io.err(shown);
    return agreed(ground, question);
  },
});

function sourceOf(ground: Ground): FoundServer {
  const { host, name, context } = ground;
  const root = rootContext(host);
  const loaded = loadSettings(host, ownDirsOf(host, root).config, {});
  if (!loaded.ok) throw new PraetorError(loaded.diagnostics[0] ?? { code: 'settings-invalid', message: 'the settings are invalid', fix: 'correct them' });
  const clients = (context.options['client'] as string[] | undefined) ?? [];
  const found = findServers(host, name, { context: root, settings: loaded.settings, clients, scope: 'user' });
  const first = found[0] ?? replacedServer(ground, clients);
  if (first === undefined) throw new PraetorError({ code: 'usage', message: `no server named ${name} is in the settings or in a client's file`, fix: 'praetorctl clients list, or name its client with --client' });
  return first;
}

function newCatalogue(host: Host, service: string, binding: string, { tools, version, source, upstream }: Look): Catalogue {
  // Tool by tool, because the bound of a definition is none of the list.
  const digest = `sha256:${host.sha256(tools.map((tool) => canonicalJson(tool as never)).join('\n'))}`;
  const document = { schema: 'praetor.catalogue/1', bindings: [binding], service: { id: service, version, source: { ...source, digest } }, upstream, operations: [] };
  const parsed = parseCatalogue(service, JSON.stringify(document));
  if (!parsed.ok) throw new PraetorError(parsed.diagnostics[0] ?? { code: 'catalogue-invalid', message: 'the catalogue is invalid', fix: 'choose another name' });
  return parsed.catalogue;
}

/** A catalogue's id is its file's name and a word of the command line. */
function serviceId(name: string): string {
  const id = name.toLowerCase().replace(/[^a-z0-9_-]+/g, '-').replace(/^[^a-z]+|[^a-z0-9]+$/g, '').slice(0, 64);
  if (id === '') throw new PraetorError({ code: 'usage', message: `no catalogue can be named after ${name.slice(0, 40)}`, fix: 'rename the server' });
  return id;
}

/** The runtime stands in its place already: what it starts is looked at, with the variables of that entry. */
function replacedServer({ host, place, name }: Ground, clients: readonly string[]): FoundServer | undefined {
  const known = readCatalogues(host, place).catalogues.find(({ catalogue }) => catalogue.service.id === serviceId(name))?.catalogue;
  if (known === undefined) return undefined;
  return serverOfUpstream(known, guardedVariables(host, name, rootContext(host), clients));
}

/** Two names may become one word; then they are one catalogue only where they are one server. */
function refuseOther({ service, bindings, upstream }: Catalogue, name: string, look: Look): void {
  if (bindings.includes(name) || upstream === undefined || sameAddress(upstream, look.upstream)) return;
  throw new PraetorError({ code: 'foreign-entry', message: `${name} would share the catalogue ${service.id} with ${bindings.join(', ')}, which is another server`, fix: `rename one of the two servers, then praetorctl contract import ${service.id}` });
}

export async function contractImport(context: CommandContext): Promise<Outcome> {
  const ground = groundOf(context);
  const { host, name } = ground;
  const { openapi: file, baseUrl } = context.options as { openapi?: string; baseUrl?: string };
  const service = serviceId(name);
  const look = file === undefined ? await serverLook(lookRequest(ground, service), sourceOf(ground)) : await openapiLook(host, { file, baseUrl, service });
  if (look === undefined) return NOT_DONE('contract-import');
  return exclusively(host, ground.dirs, () => takeLook(ground, service, look));
}

function takeLook({ host, place, name }: Ground, service: string, look: Look): Outcome {
  const known = readCatalogues(host, place).catalogues.find(({ catalogue }) => catalogue.service.id === service)?.catalogue;
  if (known !== undefined) refuseOther(known, name, look);
  const before = known === undefined ? undefined : withAddress(known, look.upstream);
  const { catalogue, added, redrafted, changes } = mergeTools(before ?? newCatalogue(host, service, name, look), look.tools, (text) => host.sha256(text), look.draftOf);
  const path = writeCatalogue(host, place, catalogue);
  keepDefinitions(host, place, service, look.tools);
  recordChange(host, place, { action: 'import', service, operations: added.map(({ operation }) => operation.id), from: look.from });
  const compiled = compileCatalogues(host, place, VERSION);
  const lines = [summaryLine(catalogue, path), ...upstreamLines(look, service), ...problemLines(look).map(visible), ...changeLines(changes), ...flagLines([...added, ...redrafted]), `next: praetorctl contract review ${service}`];
  return done('contract-import', { service, path, operations: catalogue.operations.length, added: added.length, changes, dependent: look.dependent, problems: look.problems }, lines, { exit: exitFor(compiled.diagnostics), diagnostics: compiled.diagnostics });
}

function flagLines(added: readonly Draft[]): string[] {
  return added.flatMap(({ operation, flags, suggests }) => [...flags, ...(suggests === undefined ? [] : [`its name says that it only ${suggests}s: set effect to read if that is so`])].map((flag) => `  ${visible(operation.mcpTool)}: ${flag}`));
}

// ---- what was shown ----

function definitionsPath(host: Host, place: StorePlace, service: string): string {
  return joinPath(host.platform, place.state, DEFINITIONS_DIRECTORY, `${service}.json`);
}

/** The tools as the server gave them, for review: a catalogue holds their digests only. */
function keepDefinitions(host: Host, place: StorePlace, service: string, tools: readonly ToolDefinition[]): void {
  makeDirs(host, joinPath(host.platform, place.state, DEFINITIONS_DIRECTORY), OWN_DIR_MODE);
  putFile(host, definitionsPath(host, place, service), toBytes(JSON.stringify(tools)));
}

/** The definitions as they were read last, by name; a server may have listed one name more than once. */
function definitionsOf(host: Host, place: StorePlace, service: string): ReadonlyMap<string, readonly ToolDefinition[]> {
  try {
    return byName(JSON.parse(toText(host.readFile(definitionsPath(host, place, service), 256 * 1024 * 1024))) as ToolDefinition[]);
  } catch {
    return new Map();
  }
}

/** Where the definition says more than the catalogue. One that is not here cannot speak for the catalogue. */
function doubtsOf(host: Host, { service }: Catalogue, operation: Operation, tools: readonly ToolDefinition[]): string[] {
  if (tools.length === 0) return ['its definition is not here'];
  return tools.flatMap((tool) => contradiction(operation, draftOperation(service.id, tool, (text) => host.sha256(text))) ?? []);
}

function shownPath(host: Host, place: StorePlace, service: string): string {
  return joinPath(host.platform, place.state, SHOWN_DIRECTORY, `${service}.json`);
}

/** Definition digests that a person has seen, by tool. */
function shownOf(host: Host, place: StorePlace, service: string): Record<string, string> {
  try {
    const value: unknown = JSON.parse(toText(host.readFile(shownPath(host, place, service), 64 * 1024 * 1024)));
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, digest]) => [key, String(digest)])) : {};
  } catch {
    return {};
  }
}

function show(ground: Ground, catalogue: Catalogue, operations: readonly Operation[]): string[] {
  const { host, place } = ground;
  const tools = definitionsOf(host, place, catalogue.service.id);
  const shown = { ...shownOf(host, place, catalogue.service.id) };
  for (const { mcpTool, pin } of operations) {
    // Only a text that has this digest is what will be approved.
    if (tools.get(mcpTool)?.some((tool) => toolPin(tool, (text) => host.sha256(text)).definition === pin.definition) === true) shown[mcpTool] = pin.definition;
  }
  makeDirs(host, joinPath(host.platform, place.state, SHOWN_DIRECTORY), OWN_DIR_MODE);
  putFile(host, shownPath(host, place, catalogue.service.id), toBytes(JSON.stringify(shown)));
  return operations.flatMap((operation) => {
    const given = tools.get(operation.mcpTool) ?? [];
    return reviewLines(catalogue, operation, given, given.length === 0 ? [] : doubtsOf(host, catalogue, operation, given));
  });
}

export async function contractReview(context: CommandContext): Promise<Outcome> {
  const ground = groundOf(context);
  const { catalogue, path } = catalogueOf(ground.host, ground.place, ground.name);
  const all = context.options['all'] === true;
  const operations = catalogue.operations.filter(({ state }) => all || state === 'review_required' || state === 'generated');
  const lines = await exclusively(ground.host, ground.dirs, () => show(ground, catalogue, operations));
  const next = operations.some(({ effect }) => effect === 'read') ? `praetorctl contract approve ${ground.name} --reads` : `praetorctl contract approve ${ground.name} TOOL...`;
  const body = { service: ground.name, path, operations: operations.map((operation) => ({ ...operation, tier: tierOf(catalogue, operation) })) };
  return done('contract-review', body, operations.length === 0 ? ['nothing waits for a review'] : [...lines, '', `next: ${next} (change what is wrong in the catalogue before: effect, risk, reversible, confirmationRequired, ...)`]);
}

// ---- approve ----

/** What was shown is what is approved: nothing of it may have changed while the person read. */
function refuseMoved(chosen: readonly Operation[], now: Catalogue, name: string): void {
  const operations = new Map(now.operations.map((operation) => [operation.mcpTool, canonicalJson(operation as never)]));
  const moved = chosen.filter((operation) => operations.get(operation.mcpTool) !== canonicalJson(operation as never));
  if (moved.length === 0) return;
  throw new PraetorError({ code: 'changed-underneath', message: `${moved.map(({ mcpTool }) => visible(mcpTool)).join(', ').slice(0, 200)} changed in the catalogue while it was being approved`, fix: `praetorctl contract review ${name}` });
}

export async function contractApprove(context: CommandContext): Promise<Outcome> {
  const ground = groundOf(context);
  const { host, place, name } = ground;
  refuseAgents(host, `praetorctl contract approve ${name}`);
  const { catalogue } = catalogueOf(host, place, name);
  const patterns = context.args.slice(1);
  const missing = unmatched(catalogue, patterns);
  if (missing.length > 0) throw new PraetorError({ code: 'usage', message: `no operation is named ${missing.join(', ').slice(0, 200)}`, fix: `praetorctl contract review ${name} --all` });
  const definitions = definitionsOf(host, place, name);
  const isContradicted = (operation: Operation): boolean => doubtsOf(host, catalogue, operation, definitions.get(operation.mcpTool) ?? []).length > 0;
  const choice = { reads: context.options['reads'] === true, all: context.options['all'] === true, patterns };
  const chosen = selected(catalogue, { ...choice, isContradicted });
  const left = choice.reads ? selected(catalogue, choice).filter((operation) => !chosen.includes(operation)).map(({ mcpTool }) => `  ${visible(mcpTool)}: not approved as a read, because its definition says more than the catalogue: praetorctl contract review ${name}`) : [];
  if (chosen.length === 0) return done('contract-approve', { service: name, approved: [] }, ['nothing that waits for approval is meant', ...left], { wrote: false });
  if (context.options['yes'] !== true) context.io.err(`${(await exclusively(host, ground.dirs, () => show(ground, catalogue, chosen))).join('\n')}\n`);
  const shown = shownOf(host, place, name);
  const unseen = chosen.filter(({ mcpTool, pin }) => shown[mcpTool] !== pin.definition);
  if (unseen.length > 0) {
    throw new PraetorError({ code: 'not-confirmed', message: `the definition of ${unseen.map(({ mcpTool }) => visible(mcpTool)).join(', ').slice(0, 200)} was not shown as it is now`, fix: `praetorctl contract import ${name}, then praetorctl contract review ${name}` });
  }
  if (!await agreed(ground, `Approve ${chosen.length === 1 ? 'this operation' : `these ${chosen.length} operations`}?`)) return NOT_DONE('contract-approve');
  const note = typeof context.options['note'] === 'string' ? context.options['note'] : undefined;
  const compiled = await exclusively(host, ground.dirs, () => {
    const { catalogue: now } = catalogueOf(host, place, name);
    refuseMoved(chosen, now, name);
    writeCatalogue(host, place, approve(now, chosen.map(({ mcpTool }) => mcpTool), personOf(host), new Date(host.now()).toISOString(), note));
    recordChange(host, place, { action: 'approve', service: name, operations: chosen.map(({ id }) => id), from: 'terminal' });
    return compileCatalogues(host, place, VERSION);
  });
  return done('contract-approve', { service: name, approved: chosen.map(({ id }) => id) }, [`${chosen.length} approved`, ...left, 'next: praetorctl clients apply'], { exit: exitFor(compiled.diagnostics), diagnostics: compiled.diagnostics });
}

// ---- diff, lint, list ----

/** The source itself: the server is started, a document read again. */
async function liveLook(ground: Ground, catalogue: Catalogue): Promise<Look | undefined> {
  const { upstream, service } = catalogue;
  const server = serverOfUpstream(catalogue);
  if (server !== undefined) return serverLook(lookRequest(ground, service.id), server);
  if (upstream?.transport === 'openapi' && upstream.document !== undefined) return openapiLook(ground.host, { file: upstream.document, baseUrl: upstream.baseUrl, service: service.id });
  throw new PraetorError({ code: 'usage', message: `the catalogue of ${service.id} names nothing to look at`, fix: `praetorctl contract diff ${service.id}` });
}

export async function contractDiff(context: CommandContext): Promise<Outcome> {
  const ground = groundOf(context);
  const { host, place, name } = ground;
  const { catalogue } = catalogueOf(host, place, name);
  let look: Pick<Look, 'tools' | 'draftOf'> | undefined = { tools: [...definitionsOf(host, place, name).values()].flat() };
  if (context.options['live'] === true) look = await liveLook(ground, catalogue);
  if (look === undefined) return NOT_DONE('contract-diff');
  const { changes } = mergeTools(catalogue, look.tools, (text) => host.sha256(text), look.draftOf);
  const open = changes.filter((change) => stops(change) || change.part === 'new');
  const lines = changes.length === 0 ? ['no change'] : changeLines(changes);
  return done('contract-diff', { service: name, changes }, lines, { exit: open.some(stops) ? EXIT.no : EXIT.ok, wrote: false });
}

export async function contractLint(context: CommandContext): Promise<Outcome> {
  const { host, dirs, place } = groundOf(context);
  refuseAgents(host, 'praetorctl contract lint');
  const { services, operations, loosened, diagnostics } = await exclusively(host, dirs, () => {
    const compiled = compileCatalogues(host, place, VERSION, context.options['allowLoosening'] === true);
    for (const [service, changed] of Object.entries(compiled.loosened)) recordChange(host, place, { action: 'loosen', service, operations: changed, from: 'terminal' });
    return compiled;
  });
  const loose = diagnostics.filter(({ code }) => code === 'catalogue-loosened').length;
  const failed = diagnostics.length > 0;
  const body = { services, operations, loosened: failed ? loose : Object.values(loosened).flat().length };
  return done('contract-lint', body, failed ? [] : [`${services} ${services === 1 ? 'catalogue' : 'catalogues'}, ${operations} operations in force`], { exit: exitFor(diagnostics), diagnostics, wrote: !failed });
}

export function contractList(context: CommandContext): Outcome {
  const { host, place } = groundOf(context);
  const { catalogues, diagnostics } = readCatalogues(host, place);
  const services = catalogues.map(({ catalogue, path }) => ({
    service: catalogue.service.id, path, bindings: catalogue.bindings, operations: catalogue.operations.length,
    approved: catalogue.operations.filter(({ state }) => state === 'approved').length, waiting: catalogue.operations.filter(({ state }) => state === 'review_required' || state === 'generated').length,
  }));
  const lines = catalogues.length === 0 ? ['no catalogue. make one of a server that a client has: praetorctl contract import SERVER'] : catalogues.map(({ catalogue, path }) => summaryLine(catalogue, path));
  return done('contract-list', { services }, lines, { exit: exitFor(diagnostics), diagnostics, wrote: false });
}

// ---- grant ----

export async function contractGrant(context: CommandContext): Promise<Outcome> {
  const ground = groundOf(context);
  const { host, place, name } = ground;
  needPerson(context.io, `praetorctl contract grant ${/^[a-z0-9_.-]{1,256}$/.test(name) ? name : 'OPERATION'}`);
  const found = readCatalogues(host, place).catalogues.flatMap(({ catalogue }) => catalogue.operations.filter(({ id }) => id === name).map((operation) => ({ catalogue, operation })))[0];
  if (found === undefined) throw new PraetorError({ code: 'usage', message: `no catalogue has an operation ${name.slice(0, 100)}`, fix: 'the refusal names it; praetorctl contract list shows the catalogues' });
  const text = context.options['for'];
  const ms = text === undefined ? GRANT_MS_DEFAULT : /^[1-9][0-9]{0,4}[smh]$/.test(String(text)) ? durationMs(String(text)) : 0;
  if (ms <= 0 || ms > GRANT_MS_MAX) throw new PraetorError({ code: 'usage', message: '--for takes a duration of at most 8h, for example 10m', fix: `praetorctl contract grant ${name} --for 10m` });
  context.io.err(`${operationLines(found.catalogue, found.operation).join('\n')}\n`);
  const answer = (await context.io.ask(`Allow one call of it within ${Math.round(ms / 1000)} s? [y/N] `) ?? '').trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') return NOT_DONE('contract-grant');
  const grant: Grant = { v: 1, operation: name, expiresMs: host.now() + ms, by: personOf(host), at: new Date(host.now()).toISOString() };
  await exclusively(host, ground.dirs, () => {
    const directory = joinPath(host.platform, place.state, GRANTS_DIRECTORY);
    makeDirs(host, directory, OWN_DIR_MODE);
    // The record first: a grant that could be used is never one that nobody can find again.
    recordChange(host, place, { action: 'grant', service: found.catalogue.service.id, operations: [name], from: 'terminal' });
    putFile(host, joinPath(host.platform, directory, `${host.nonce(8)}.json`), toBytes(JSON.stringify(grant)));
  });
  return done('contract-grant', { operation: name, expires: new Date(grant.expiresMs).toISOString() }, [`allowed once until ${new Date(grant.expiresMs).toISOString()}: let the client call it again`]);
}
