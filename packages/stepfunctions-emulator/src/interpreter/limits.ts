import type { Json } from './json.ts';

export type WorkflowType = 'STANDARD' | 'EXPRESS';

/**
 * Limits of Step Functions. Sources: the pages "Service quotas", "Passing data with variables" and "Map state" of the Developer Guide,
 * unless a comment names another source.
 */
export interface Limits {
  /** Maximum size of one input, result or output of a state or an execution, bytes of UTF-8. */
  readonly payloadBytes: number;
  /** Maximum number of events of a Standard execution. An execution that needs more events fails, with the failure as the last event. */
  readonly standardHistoryEvents: number;
  /** Maximum number of events that the emulator stores for an Express execution (AWS stores none). Later events are dropped. */
  readonly expressHistoryEvents: number;
  readonly expressDurationMs: number;
  readonly standardDurationMs: number;
  /** Maximum number of iterations of an inline Map at the same time, even when MaxConcurrency is 0 or larger than this limit. */
  readonly inlineMapConcurrency: number;
  readonly distributedMapConcurrency: number;
  /** Maximum size of one variable, bytes; also the maximum size of all variables of one Assign together. */
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

/** Maximum length of a name (state machine, execution, state or variable), characters. */
export const NAME_LENGTH = 80;
export const LABEL_LENGTH = 40;
/** Maximum size of a definition, bytes of UTF-8. */
export const DEFINITION_BYTES = 1_048_576;
/** Largest value of MaxAttempts and of all fields in seconds but MaxDelaySeconds (Amazon States Language, "Retry" and "Wait"). */
export const MAX_SECONDS = 99_999_999;
/** Largest value of MaxDelaySeconds: one second less than a leap year (366 days). */
export const MAX_DELAY_SECONDS = 31_622_399;
/**
 * Maximum time of one JSONata evaluation, milliseconds. AWS allows one second. In the emulator, executions share one thread and slow each
 * other down, so the limit is higher.
 */
export const EXPRESSION_TIMEOUT_MS = 10_000;
export const REGEX_TIMEOUT_MS = 3_000;
/**
 * Maximum number of states entered one after another while the clock stands still. With more, the execution times out: on a virtual
 * clock, an endless loop without a Wait would otherwise never end.
 */
export const STATES_WITHOUT_TIME = 25_000;
/**
 * Maximum depth of one JSONata evaluation, nodes. AWS documents no maximum. In August 2026, the smallest depth that AWS's TestState
 * refused was 99, 100 or 101, depending on the kind of nesting (https://github.com/floci-io/floci/issues/2737).
 */
export const EXPRESSION_DEPTH = 100;
/**
 * Maximum size of the result of each node of a JSONata expression, bytes, with 8 bytes for a number. AWS accepted the array
 * `[1..873782]` and refused `[1..873783]` (source: see EXPRESSION_DEPTH).
 */
export const EXPRESSION_BYTES = 873_782 * 8;

/** A value with its JSON text, which events and size limits need. */
export interface Payload {
  readonly value: Json;
  readonly text: string;
}

export const payload = (value: Json): Payload => ({ value, text: JSON.stringify(value) });
