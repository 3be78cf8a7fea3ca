import type { Json } from './json.ts';

export type WorkflowType = 'STANDARD' | 'EXPRESS';

/**
 * The limits of Step Functions. Sources: the pages "Service quotas", "Passing data with variables" and
 * "Map state" of the AWS Step Functions Developer Guide, unless a line says otherwise.
 */
export interface Limits {
  /** Bytes of UTF-8 of one input, result or output of a state, a task or an execution. */
  readonly payloadBytes: number;
  /** Events in the history of a Standard execution; the last of them is its failure. */
  readonly standardHistoryEvents: number;
  /** Number of events stored for an Express execution. AWS stores none; further events are dropped without an error. */
  readonly expressHistoryEvents: number;
  readonly expressDurationMs: number;
  readonly standardDurationMs: number;
  /** Concurrent iterations of an inline Map, also when MaxConcurrency is 0 or higher than this. */
  readonly inlineMapConcurrency: number;
  readonly distributedMapConcurrency: number;
  /** Bytes of one variable, and of all that one Assign sets. */
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
/** MaxDelaySeconds must be below one leap year (366 days). */
export const MAX_DELAY_SECONDS = 31_622_399;
/**
 * Time limit for one JSONata expression, after which it counts as endless, milliseconds. AWS stops it after one second of its own time;
 * here many executions share a thread and a wall clock, hence the margin.
 */
export const EXPRESSION_TIMEOUT_MS = 10_000;
export const REGEX_TIMEOUT_MS = 3_000;
/**
 * Number of states that a branch or the execution itself may enter without time passing: on a virtual clock, an endless loop without a
 * Wait never reaches its timeout. The number is that of the events in a Standard execution.
 */
export const STATES_WITHOUT_TIME = 25_000;
/**
 * Nodes of a JSONata expression that may be under way at a time. AWS documents none; measured with TestState in August
 * 2026, where five kinds of nesting were refused from 99 to 101 on (https://github.com/floci-io/floci/issues/2737).
 */
export const EXPRESSION_DEPTH = 100;
/**
 * Largest size of a JSONata expression's data, bytes. By the same measurements `[1..873782]` is accepted and `[1..873783]` is not, at the
 * 8 bytes of a number.
 */
export const EXPRESSION_BYTES = 873_782 * 8;

/** A value together with its JSON text, which histories and size limits need anyway. */
export interface Payload {
  readonly value: Json;
  readonly text: string;
}

export const payload = (value: Json): Payload => ({ value, text: JSON.stringify(value) });
