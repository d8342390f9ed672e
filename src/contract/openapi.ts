// Contract: an OpenAPI 3.x document -> tools with the request that each becomes, and drafts of their postures. PURE and deterministic.
// A document is text from outside: what cannot be sent as it says is left out with the reason, never guessed.
import { isObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { METHODS, normalName } from './catalogue.ts';
import type { HttpRequest, Operation } from './catalogue-schema.ts';
import { draftOperation, freeName, type Draft } from './classify.ts';
import { copySchema, copying, propertiesOf, shortened, type Copying } from './openapi-schema.ts';
import { refReader, type Problem, type Resolve } from './openapi-refs.ts';
import type { ToolDefinition } from './pins.ts';
import { FORM_TYPE, requestLine } from './request.ts';

export const TOOL_NAME_CHARS_MAX = 64;
export const OPENAPI_OPERATIONS_MAX = 20_000;
const DESCRIPTION_CHARS_MAX = 4_000;
const ARGUMENTS_MAX = 500;

export interface CompiledTool {
  readonly tool: ToolDefinition;
  readonly request: HttpRequest;
  /** A header of the document that is for a key. */
  readonly key?: { readonly header: string; readonly required: boolean };
  readonly flags: readonly string[];
}

export interface CompiledDocument {
  readonly title: string;
  readonly version: string;
  /** Undefined: it names no server with an address of its own. */
  readonly baseUrl: string | undefined;
  /** Headers that carry credentials. */
  readonly headers: readonly string[];
  readonly tools: readonly CompiledTool[];
  /** Operations that are not there, and references that lead nowhere. */
  readonly problems: readonly Problem[];
}

interface Reading { readonly document: JsonObject; readonly resolve: Resolve; readonly problems: Problem[]; readonly schemes: ReadonlyMap<string, string | undefined> }

const PROBLEMS_MAX = 1_000;
const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** A sentence instead of a document where it is none of 3.x. */
export function compileOpenapi(document: JsonValue, sha256: (text: string) => string): CompiledDocument | string {
  if (!isObject(document)) return 'it is no object';
  if (!/^3\.[0-9]+(\.|$)/.test(textOf(document['openapi']))) return 'it does not say openapi: 3.x (a Swagger 2.0 document has to be converted)';
  if (!isObject(document['paths'])) return 'it has no paths';
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const resolve = refReader(document, (problem) => {
    const key = `${problem.where}\0${problem.message}`;
    if (problems.length < PROBLEMS_MAX && !seen.has(key)) problems.push(problem);
    seen.add(key);
  });
  const reading: Reading = { document, resolve, problems, schemes: schemesOf(document, resolve) };
  const found = operationsOf(reading);
  const names = toolNames(found, sha256);
  const tools = found.flatMap((one, i) => compiled(reading, one, names[i] ?? '') ?? []);
  const info = isObject(document['info']) ? document['info'] : {};
  const headers = [...new Set(tools.flatMap(({ request }) => (request.auth ?? []).flat()))].sort();
  return { title: shortened(textOf(info['title']), 160), version: textOf(info['version']), baseUrl: serverOf(document['servers']), headers, tools, problems };
}

// ---- operations and their names ----

interface Found { readonly method: HttpRequest['method']; readonly path: string; readonly item: JsonObject; readonly operation: JsonObject; readonly where: string }

function operationsOf({ document, resolve, problems }: Reading): Found[] {
  const out: Found[] = [];
  for (const [path, value] of Object.entries(document['paths'] as JsonObject)) {
    const item = resolve(value, path);
    if (!isObject(item) || !path.startsWith('/')) continue;
    for (const method of METHODS) {
      const where = `${method} ${path}`.slice(0, 300);
      const operation = item[method.toLowerCase()];
      if (!isObject(operation)) continue;
      if (out.length >= OPENAPI_OPERATIONS_MAX) return [...out, ...(problems.push({ where, message: `more than ${OPENAPI_OPERATIONS_MAX} operations: the rest is left out` }), [])];
      out.push({ method, path, item, operation, where });
    }
  }
  return out;
}

/** By operationId, else by method and path. What two would have, or what is too long, gets a digest, whatever stands first. */
function toolNames(found: readonly Found[], sha256: (text: string) => string): string[] {
  const plain = found.map(({ method, path, operation }) => {
    const id = textOf(operation['operationId']);
    return (id === '' ? `${method.toLowerCase()}${path}` : id).replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^_+|_+$/g, '') || method.toLowerCase();
  });
  const count = new Map<string, number>();
  for (const name of plain) count.set(normalName(name), (count.get(normalName(name)) ?? 0) + 1);
  return plain.map((name, i) => {
    if (name.length <= TOOL_NAME_CHARS_MAX && count.get(normalName(name)) === 1) return name;
    return `${name.slice(0, TOOL_NAME_CHARS_MAX - 9)}_${sha256(found[i]?.where ?? '').slice(0, 8)}`;
  });
}

// ---- one operation ----

interface Argument { readonly name: string; readonly in: 'path' | 'query' | 'header' | 'body'; readonly schema: JsonObject; readonly required: boolean; readonly whole?: true; readonly join?: true }

function compiled(reading: Reading, found: Found, name: string): CompiledTool | undefined {
  const { operation, item, method, path, where } = found;
  const state = copying(reading.resolve, where);
  const leave = (message: string): undefined => void reading.problems.push({ where, message: `left out: ${message}` });
  if (operation['servers'] !== undefined || item['servers'] !== undefined) return leave('it has a server of its own');
  if (!/^\/[^?#\s\\]*$/.test(path) || path.length > 2048 || /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) return leave('its path is not one that can be sent');
  const parameters = parametersOf(state, found);
  if (typeof parameters === 'string') return leave(parameters);
  const holes = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, hole]) => hole);
  const undeclared = holes.find((hole) => !parameters.list.some((one) => one.in === 'path' && one.name === hole));
  if (undeclared !== undefined) return leave(`the path's ${undeclared} is no parameter`);
  const body = bodyOf(state, operation);
  if (typeof body === 'string') return leave(body);
  const auth = authOf(reading, operation);
  if (auth === undefined) return leave('its credential is neither a header nor a bearer token');
  const all = [...parameters.list.filter((one) => one.in !== 'path' || holes.includes(one.name)), ...body.list];
  if (all.length > ARGUMENTS_MAX) return leave(`it has more than ${ARGUMENTS_MAX} arguments`);
  const named = argumentNames(all);
  const request: HttpRequest = {
    method, path, ...(body.type === undefined ? {} : { body: body.type }), ...(auth.length === 0 ? {} : { auth }),
    arguments: Object.fromEntries(named.map(([argument, one]) => [argument, { in: one.in, name: one.name, ...(one.whole === undefined ? {} : { whole: one.whole }), ...(one.join === undefined ? {} : { join: one.join }) }])),
  };
  const required = named.filter(([, one]) => one.required).map(([argument]) => argument);
  const inputSchema: JsonObject = { type: 'object', properties: Object.fromEntries(named.map(([argument, one]) => [argument, one.schema])), ...(required.length > 0 ? { required } : {}), additionalProperties: false };
  const said = [textOf(operation['summary']), textOf(operation['description'])].map((text) => text.trim()).filter((text, i, texts) => text !== '' && texts.indexOf(text) === i).join('\n\n');
  const description = [...(said === '' ? [] : [shortened(said, DESCRIPTION_CHARS_MAX)]), requestLine(request)].join('\n\n');
  return {
    tool: { name, description, inputSchema, ...annotationsOf(method) }, request, ...(parameters.key === undefined ? {} : { key: parameters.key }),
    flags: operation['deprecated'] === true ? ['its document calls it deprecated'] : [],
  };
}

/** What HTTP says of a method; POST and PATCH say nothing. */
function annotationsOf(method: string): Pick<ToolDefinition, 'annotations'> {
  if (method === 'GET' || method === 'HEAD') return { annotations: { readOnlyHint: true } };
  if (method === 'DELETE') return { annotations: { destructiveHint: true, idempotentHint: true } };
  return method === 'PUT' ? { annotations: { idempotentHint: true } } : {};
}

/** These are the transport's own, or carry credentials: never an argument. */
const OWN_HEADERS = ['accept', 'content-type', 'authorization', 'proxy-authorization', 'host', 'content-length', 'connection', 'transfer-encoding', 'cookie', 'te', 'trailer', 'upgrade', 'keep-alive', 'expect'];
const KEY_HEADER = /^(?:x-)?idempotency-?(?:key|token)$/i;

function parametersOf(state: Copying, { item, operation }: Found): string | { readonly list: Argument[]; readonly key?: { header: string; required: boolean } } {
  const raw = [item['parameters'], operation['parameters']].flatMap((list) => (Array.isArray(list) ? list : []));
  // The operation's own parameter counts where the path has it too.
  const byPlace = new Map<string, Argument>();
  let key: { header: string; required: boolean } | undefined;
  for (const one of raw) {
    const parameter = state.resolve(one, state.where);
    if (!isObject(parameter)) return 'a parameter cannot be read';
    const [name, where, required] = [textOf(parameter['name']), textOf(parameter['in']), parameter['required'] === true];
    if (!isName(name)) return 'a parameter has no usable name';
    if (where === 'cookie') {
      if (required) return 'it needs a cookie';
      continue;
    }
    if (where !== 'path' && where !== 'query' && where !== 'header') return `a parameter is in ${where.slice(0, 40) || 'no place'}`;
    if (where === 'header' && OWN_HEADERS.includes(name.toLowerCase())) continue;
    if (where === 'header' && !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) return 'a header has no usable name';
    if (where === 'header' && KEY_HEADER.test(name)) key = { header: name, required };
    else byPlace.set(`${where} ${name}`, { name, in: where, required: required || where === 'path', schema: parameterSchema(state, parameter), ...(parameter['explode'] === false ? { join: true } : {}) });
  }
  return { list: [...byPlace.values()], ...(key === undefined ? {} : { key }) };
}

function parameterSchema(state: Copying, parameter: JsonObject): JsonObject {
  const content = isObject(parameter['content']) ? Object.values(parameter['content'])[0] : undefined;
  const schema = copySchema(state, parameter['schema'] ?? (isObject(content) ? content['schema'] : undefined), 1);
  const description = textOf(parameter['description']);
  return description === '' ? schema : { ...schema, description: shortened(description, 1_000) };
}

const isName = (name: string): boolean => name !== '' && name.length <= 128 && name !== '__proto__' && !/[\u0000-\u001f\u007f]/.test(name);

function bodyOf(state: Copying, operation: JsonObject): string | { readonly type?: string; readonly list: Argument[] } {
  if (operation['requestBody'] === undefined) return { list: [] };
  const body = state.resolve(operation['requestBody'], state.where);
  if (!isObject(body) || !isObject(body['content'])) return 'its body cannot be read';
  const types = Object.keys(body['content']);
  const plain = (type: string): string => type.toLowerCase().split(';')[0]?.trim() ?? '';
  const chosen = types.find((type) => plain(type) === 'application/json') ?? types.find((type) => /^application\/[a-z0-9.-]+\+json$/.test(plain(type))) ?? types.find((type) => plain(type) === FORM_TYPE) ?? types.find((type) => plain(type) === '*/*');
  const needed = body['required'] === true;
  if (chosen === undefined) return needed || types.length > 0 ? `its body is ${types.join(', ').slice(0, 100) || 'of no type'}, which is not sent` : { list: [] };
  const type = plain(chosen) === '*/*' ? 'application/json' : plain(chosen);
  const media = body['content'][chosen];
  const schema = isObject(media) ? media['schema'] : undefined;
  const fields = propertiesOf(state, schema);
  if (fields === undefined || fields.properties.length > ARGUMENTS_MAX || fields.properties.some(([name]) => !isName(name))) {
    return { type, list: [{ name: 'body', in: 'body', whole: true, required: needed, schema: copySchema(state, schema, 1) }] };
  }
  const list = fields.properties.filter(([, value]) => !isReadOnly(value)).map(([name, value]): Argument => ({ name, in: 'body', required: needed && fields.required.includes(name), schema: copySchema(state, value, 2) }));
  return { type, list };
}

const isReadOnly = (value: JsonValue): boolean => isObject(value) && value['readOnly'] === true;

/** One name is one argument; the same name in two places is two, which say where they go. */
function argumentNames(all: readonly Argument[]): [string, Argument][] {
  const taken: string[] = [];
  return all.map((one) => {
    const name = taken.includes(one.name) ? freeName(taken, `${one.in}_${one.name}`) : one.name;
    taken.push(name);
    return [name, one];
  });
}

// ---- credentials, server ----

/** Scheme -> the header that carries it; undefined where it is no header. */
function schemesOf(document: JsonObject, resolve: Resolve): Map<string, string | undefined> {
  const components = isObject(document['components']) ? document['components'] : {};
  const all = isObject(components['securitySchemes']) ? components['securitySchemes'] : {};
  return new Map(Object.entries(all).map(([name, value]) => {
    const scheme = resolve(value, `securitySchemes ${name}`);
    if (!isObject(scheme)) return [name, undefined];
    const header = textOf(scheme['name']);
    const isOwn = OWN_HEADERS.includes(header.toLowerCase()) && header.toLowerCase() !== 'authorization';
    if (scheme['type'] === 'apiKey') return [name, scheme['in'] === 'header' && /^[A-Za-z0-9_-]{1,128}$/.test(header) && !isOwn ? header : undefined];
    return [name, scheme['type'] === 'mutualTLS' ? undefined : 'Authorization'];
  }));
}

/** Sets of headers, one of which is needed. Empty: the document says nothing. Undefined: none of them can be sent. */
function authOf({ document, schemes }: Reading, operation: JsonObject): string[][] | undefined {
  const security = operation['security'] ?? document['security'];
  if (!Array.isArray(security)) return [];
  if (security.length === 0) return [[]];
  const sets = security.flatMap((one) => {
    const headers = isObject(one) ? Object.keys(one).map((name) => schemes.get(name)) : [undefined];
    return headers.some((header) => header === undefined) ? [] : [[...new Set(headers as string[])].sort()];
  });
  return sets.length === 0 ? undefined : sets.filter((set, i) => sets.findIndex((other) => other.join('\n') === set.join('\n')) === i);
}

function serverOf(servers: JsonValue | undefined): string | undefined {
  const [first] = Array.isArray(servers) ? servers : [];
  if (!isObject(first)) return undefined;
  const variables = isObject(first['variables']) ? first['variables'] : {};
  const url = textOf(first['url']).replace(/\{([^{}]+)\}/g, (all, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isObject(variable) ? textOf(variable['default']) : all;
  });
  return isBaseUrl(url) ? url : undefined;
}

/** An address that calls may go below. */
export function isBaseUrl(text: string): boolean {
  try {
    const url = new URL(text);
    return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.search === '' && url.hash === '' && !text.includes('{');
  } catch {
    return false;
  }
}

// ---- drafts ----

/** As for a tool of a server, with what only the document knows. */
export function draftOf(service: string, { tool, request, key, flags }: CompiledTool, sha256: (text: string) => string): Draft {
  const draft = draftOperation(service, tool, sha256);
  const { operation } = draft;
  const taken = [...Object.keys(request.arguments), operation.confirmationInput];
  const mutation = operation.effect === 'mutation';
  const basis = Object.fromEntries(Object.entries(operation.basis).map(([field, from]) => [field, from === 'annotation' ? 'http_method' : from]));
  const needsKey: Partial<Operation> = mutation && key?.required === true ? { idempotency: 'required', retrySafe: true } : {};
  const takesKey: Partial<Operation> = mutation && key !== undefined && operation.idempotency === 'none' ? { idempotency: 'key_supported', retrySafe: true } : {};
  return {
    ...draft, flags: [...draft.flags, ...flags],
    operation: {
      ...operation, ...takesKey, ...needsKey, request, basis,
      ...(key === undefined ? {} : { idempotencyKey: { input: freeName(taken, 'idempotency_key'), derive: 'none', carrier: { in: 'header', name: key.header } } }),
      ...(mutation ? { dryRun: { input: freeName(taken, 'dry_run'), by: 'runtime' } } : {}),
    },
  };
}
