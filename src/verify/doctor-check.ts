// Contract: what a check of doctor is. The checks are one list (doctor.ts); the rows of text and JSON, and docs/doctor.md, come from
// it. A check reads, and may start programs; it writes nothing itself. PURE (types and tiny constructors).
import type { ClientDefinition } from '../model/client.ts';
import type { ClientEvidence, Seen } from '../model/evidence.ts';
import type { Ground } from './verify.ts';

export type DoctorStatus = 'ok' | 'info' | 'warning' | 'error' | 'skipped' | 'unknown';
export interface DoctorRow { readonly status: DoctorStatus; readonly id: string; readonly message: string; readonly fix: string; readonly check?: string; readonly evidence?: Seen }

export interface Patient { readonly client: ClientDefinition; readonly evidence: ClientEvidence }

/** Everything that a check may look at. */
export interface Exam {
  readonly ground: Ground;
  /** Of the scope that was asked for. */
  readonly patients: readonly Patient[];
  readonly user: readonly Patient[];
  readonly project: readonly Patient[];
  /** Clients with a hook of ours in either scope, once each. */
  readonly registered: readonly Patient[];
  /** Of the program that is running. */
  readonly version: string;
}

export interface Check {
  /** The id of its rows, or what they begin with where there is a row for each client. */
  readonly id: string;
  /** What is looked at. */
  readonly about: string;
  /** When a row is no `ok`. */
  readonly otherwise: string;
  readonly run: (exam: Exam) => readonly DoctorRow[];
}

export const row = (status: DoctorStatus, id: string, message: string, fix = ''): DoctorRow => ({ status, id, message, fix });

export const isRegistered = ({ evidence }: Patient): boolean => evidence.files.some((file) => file.commands.length > 0);
