// Contract: events as JSON Lines, as OTLP logs (the JSON of OTLP/HTTP) and as OCSF. The first is the source, the others are mappings of it:
// nothing is in them that is not in the event. PURE.
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { EvidenceEvent } from './event.ts';

export const EVENT_FORMATS = ['jsonl', 'otlp', 'ocsf'] as const;
export type EventFormat = (typeof EVENT_FORMATS)[number];
/** Of the OCSF schema that the mapping was read in (repository at a5cfc68); no record was run through its validator. */
export const OCSF_VERSION = '1.9.0-dev';

type Attribute = JsonObject;
const text = (key: string, value: string): Attribute => ({ key, value: { stringValue: value } });
/** 64-bit integers are strings in OTLP's JSON. */
const int = (key: string, value: number): Attribute => ({ key, value: { intValue: String(value) } });
const flag = (key: string, value: boolean): Attribute => ({ key, value: { boolValue: value } });

const nanos = (at: string): string => `${Date.parse(at)}000000`;
const severityOf = (verdict: EvidenceEvent['verdict']): { number: number; text: string } => (verdict === 'error' ? { number: 17, text: 'ERROR' } : verdict === 'deny' ? { number: 13, text: 'WARN' } : { number: 9, text: 'INFO' });

/** Fields that stand elsewhere: in the resource, as the time, as the severity. */
const ELSEWHERE = new Set(['schema', 'at', 'host', 'os']);
const NAMED: Readonly<Record<string, string>> = { id: 'log.record.uid', session: 'session.id', tool: 'gen_ai.tool.name', user: 'user.hash' };

function attributesOf(event: EvidenceEvent): Attribute[] {
  return Object.entries(event).filter(([key]) => !ELSEWHERE.has(key)).map(([key, value]: [string, JsonValue]) => {
    const name = NAMED[key] ?? `praetor.${key}`;
    return typeof value === 'number' ? int(name, value) : typeof value === 'boolean' ? flag(name, value) : text(name, value === null ? '' : String(value));
  });
}

function otlpRecord(event: EvidenceEvent): JsonObject {
  const { number, text: severityText } = severityOf(event.verdict);
  return { timeUnixNano: nanos(event.at), observedTimeUnixNano: nanos(event.at), severityNumber: number, severityText, eventName: 'praetor.hook', body: { stringValue: `${event.client} ${event.event} ${event.verdict}` }, attributes: attributesOf(event) };
}

/** Process activity for a shell's command, API activity for every other tool and event. */
function ocsfRecord(event: EvidenceEvent): JsonObject {
  const isShell = event.kind === 'shell';
  const [classUid, categoryUid, activityId] = isShell ? [1007, 1, 1] : [6003, 6, 99];
  const denied = event.verdict === 'deny';
  const [actionId, dispositionId] = denied ? [2, 2] : event.verdict === 'error' ? [99, 99] : [1, 1];
  const { schema: _schema, at, host, os, engine, seq, id, session, user, tool, ...rest } = event;
  return {
    class_uid: classUid, category_uid: categoryUid, activity_id: activityId, type_uid: classUid * 100 + activityId, time: Date.parse(at), severity_id: event.verdict === 'error' ? 4 : denied ? 3 : 1,
    action_id: actionId, disposition_id: dispositionId, metadata: { version: OCSF_VERSION, uid: id, sequence: seq, product: { name: 'praetorctl', vendor_name: 'praetorctl', version: engine } },
    device: { uid: host, type_id: 0, os: { name: os, type_id: os === 'win32' ? 100 : os === 'darwin' ? 300 : os === 'linux' ? 200 : 0 } },
    actor: { app_name: event.caller, ...(session === undefined ? {} : { session: { uid: session } }), ...(user === undefined ? {} : { user: { uid: user } }) },
    ...(isShell ? { process: { name: tool ?? 'shell' } } : { api: { operation: tool ?? event.event } }), unmapped: { ...rest } as JsonObject,
  };
}

export function recordText(format: EventFormat, event: EvidenceEvent): string {
  return JSON.stringify(format === 'jsonl' ? event : format === 'otlp' ? otlpRecord(event) : ocsfRecord(event));
}

export interface Envelope { readonly host: string; readonly os: string; readonly version: string }

/** The records of one batch as one body: lines, or one OTLP request. With its line end, so that files of both are lines. */
export function bodyOf(format: EventFormat, records: readonly string[], { host, os, version }: Envelope): string {
  if (format !== 'otlp') return records.map((record) => `${record}\n`).join('');
  const resource = JSON.stringify({ attributes: [text('service.name', 'praetorctl'), text('service.version', version), text('host.id', host), text('os.type', os === 'win32' ? 'windows' : os)] });
  const scope = JSON.stringify({ name: 'praetorctl', version });
  return `{"resourceLogs":[{"resource":${resource},"scopeLogs":[{"scope":${scope},"logRecords":[${records.join(',')}]}]}]}\n`;
}
