import type { Json } from './json.ts';

export type WorkflowType = 'STANDARD' | 'EXPRESS';

/**
 * The limits of Step Functions. Sources: the pages "Service quotas", "Passing data with variables" and
 * "Map state" of the AWS Step Functions Developer Guide, unless a line says otherwise.
 */
export interface Limits {
  /** Bytes of UTF-8 of one input, result or output of a state, a task or an execution. */
  readonly payloadBytes: number;
  /** Maximum number of events of a Standard execution; at the limit, the last event is the execution's failure. */
  readonly standardHistoryEvents: number;
  /** Number of events stored for an Express execution. AWS stores none; further events are dropped without an error. */
  readonly expressHistoryEvents: number;
  readonly expressDurationMs: number;
  readonly standardDurationMs: number;
  /** Maximum number of concurrent iterations of an inline Map, also when MaxConcurrency is 0 or above this limit. */
  readonly inlineMapConcurrency: number;
  readonly distributedMapConcurrency: number;
  /** Maximum size of one variable, and of all variables of one Assign together, bytes. */
  readonly variableBytes: number;
  readonly allVariablesBytes: number;
}

export const AWS_LIMITS: Limits = {
  payloadBytes: 262_144,
  standardHistoryEvents: 25_000,
  expressHistoryEvents: 25_000,
  expressDurationMs: 5 * 60_000,
  standardDurationMs: 365 * 86_400_000,
  inlineMapConcurrency: 40,
  distributedMapConcurrency: 10_000,
  variableBytes: 262_144,
  allVariablesBytes: 10 * 1_048_576,
};

/** Characters of the name of a state, of a variable and of an execution. */
export const NAME_LENGTH = 80;
export const LABEL_LENGTH = 40;
/** Bytes of UTF-8 of a definition. */
export const DEFINITION_BYTES = 1_048_576;
/** Highest number of seconds and attempts (Amazon States Language, "Retry" and "Wait"). */
export const MAX_SECONDS = 99_999_999;
/** Highest MaxDelaySeconds: one second below a leap year (366 days). */
export const MAX_DELAY_SECONDS = 31_622_399;
/**
 * Time limit for the evaluation of one JSONata expression, milliseconds. AWS allows one second of evaluation. Here many executions share a
 * thread and a wall clock: the limit is higher, and stops only endless evaluations.
 */
export const EXPRESSION_TIMEOUT_MS = 10_000;
export const REGEX_TIMEOUT_MS = 3_000;
/**
 * Number of states that a branch or the execution itself may enter without time passing: on a virtual clock, an endless loop without a Wait
 * never reaches its timeout. The number equals the maximum number of events of a Standard execution.
 */
export const STATES_WITHOUT_TIME = 25_000;
/**
 * Maximum number of nodes of a JSONata expression whose evaluation has begun and not ended. AWS documents no number. Measured with
 * TestState in August 2026: AWS refused five kinds of nesting from 99 to 101 on (https://github.com/floci-io/floci/issues/2737).
 */
export const EXPRESSION_DEPTH = 100;
/**
 * Largest size of a JSONata expression's data, bytes. In the measurements for EXPRESSION_DEPTH, AWS accepted `[1..873782]` and refused
 * `[1..873783]`. A number takes 8 bytes.
 */
export const EXPRESSION_BYTES = 873_782 * 8;

/** A value with its JSON text: histories and size limits need the text. */
export interface Payload {
  readonly value: Json;
  readonly text: string;
}

export const payload = (value: Json): Payload => ({ value, text: JSON.stringify(value) });
