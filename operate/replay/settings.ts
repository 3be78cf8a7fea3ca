import { modelOf } from '../../config/model-of.ts';
import { type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import { indexLayout } from '../../functions/table/index-layout.ts';
import type { ReplayOptions } from '../changes.ts';
import { chooseTables } from '../choose-tables.ts';
import { InputError } from '../input-error.ts';
import { defaultLabel, freshLabel, LABEL, splitSpan, usualSplit } from './pieces.ts';
import { checkPieces, longestMinutes, readSpan, type Span, type SpanSettings } from './span.ts';

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
  const span = readSpan(request, now, settingsOf(tables[0]));
  const most = Math.min(...tables.map(table => longestMinutes(settingsOf(table))));
  const splitMinutes = request.splitMinutes ?? usualSplit(span, most);
  const pieces = splitSpan(span, splitMinutes);
  for (const table of tables) checkPieces(pieces, settingsOf(table));
  const named = request.run ?? defaultLabel(span);
  if (!LABEL.test(named)) {
    throw new InputError('run', `expected 1 to 20 letters, digits, "_" and "-", got "${named}"`);
  }
  const limitOf = (table: PreciseTtlProps) =>
    dryRun ? undefined : (request.maxPerSecond ?? (resolveProps(table).maxDeletesPerSecond || undefined));
  // Each execution needs a limit of at least one delete per second.
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

function settingsOf(table: PreciseTtlProps | undefined): SpanSettings {
  if (table === undefined) throw new TypeError('checkConfig refuses a configuration without tables');
  const { lookbackMinutes, precisionSeconds, maxDeletesPerSecond, graceSeconds } = resolveProps(table);
  const { windowSeconds, shards } = indexLayout(modelOf(table));
  return { lookbackMinutes, precisionSeconds, maxDeletesPerSecond, graceSeconds, windowSeconds, shards };
}
