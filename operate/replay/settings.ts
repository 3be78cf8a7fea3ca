import { type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import { type InputSettings, readReplayInput } from '../../functions/plan-sweep/sweep-input.ts';
import type { InvalidExecutionInputError } from '../../functions/runtime/errors.ts';
import type { ReplayOptions, Span } from '../changes.ts';
import { chooseTables } from '../deployment/subject.ts';
import { InputError } from '../errors.ts';
import { defaultLabel, freshLabel, LABEL, splitSpan, usualSplit } from './pieces.ts';

/** Default number of parallel executions. */
export const DEFAULT_CONCURRENCY = 4;

/** How a replay is divided into executions. */
export interface ReplaySettings {
  readonly span: Span;
  readonly pieces: readonly Span[];
  readonly splitMinutes: number;
  readonly concurrency: number;
  readonly label: string;
  readonly tables: readonly {
    readonly props: PreciseTtlProps;
    /** Delete limit of each execution; undefined: no limit. */
    readonly maxDeletesPerSecond: number | undefined;
  }[];
}

/**
 * Decides how a replay is divided into executions.
 *
 * @param now epoch milliseconds
 * @throws {InputError}
 */
export function replaySettings(request: ReplayOptions, now: number): ReplaySettings {
  const { config, dryRun = false } = request;
  const tables = chooseTables(config, request.table);
  const [first] = tables;
  if (first === undefined) throw new TypeError('checkConfig refuses a configuration without tables');
  const span = readSpan(request, now, resolveProps(first));
  const splitMinutes = request.splitMinutes ?? usualSplit(span);
  const pieces = splitSpan(span, splitMinutes);
  const named = request.run ?? defaultLabel(span);
  if (!LABEL.test(named)) {
    throw new InputError('run', `expected 1 to 20 letters, digits, "_" and "-", got "${named}"`);
  }
  const limitOf = (table: PreciseTtlProps) =>
    dryRun ? undefined : (request.maxPerSecond ?? (resolveProps(table).maxDeletesPerSecond || undefined));
  // No more executions at once than deletes per second, because each execution needs a limit of at least one.
  const limits = tables.flatMap(table => limitOf(table) ?? []);
  const concurrency = Math.min(request.concurrency ?? DEFAULT_CONCURRENCY, ...limits);
  const atOnce = Math.min(concurrency, pieces.length);
  return {
    ...{ span, pieces, splitMinutes, concurrency },
    label: dryRun ? freshLabel(now) : named,
    tables: tables.map(props => {
      const limit = limitOf(props);
      return { props, maxDeletesPerSecond: limit === undefined ? undefined : Math.floor(limit / atOnce) };
    }),
  };
}

/**
 * Reads a span and checks it by the rules of the state machine, so that no execution starts only to be refused.
 *
 * @param nowMs epoch milliseconds
 * @throws {InputError}
 */
export function readSpan(
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
  nowMs: number,
  settings: InputSettings,
): Span {
  for (const [field, value] of Object.entries({ from, to })) {
    if (value !== undefined) continue;
    throw new InputError(
      field,
      'expected a time in ISO-8601 with a zone, got nothing; give one such as 2026-11-20T09:00:00Z',
    );
  }
  const request = asInput(() => readReplayInput({ from, to }, nowMs, settings));
  if (Date.parse(String(to)) > nowMs) {
    throw new InputError(
      'to',
      `expected a time that has passed, got "${to}"; items that expire later are alive, and the replay would ` +
        'count that part as done',
    );
  }
  return { from: request.from, to: request.before };
}

function asInput<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error && 'problem' in error)) throw error;
    const { problem } = error as InvalidExecutionInputError;
    throw new InputError(problem.field, `expected ${problem.expected}, got ${JSON.stringify(problem.got)}`);
  }
}
