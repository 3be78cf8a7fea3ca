import type { Moment } from '../../demo/live/moment.ts';

/** Samples in each second, as many as the terminal shows. */
export const SAMPLES_PER_SECOND = 4;
/** Seconds from the beginning of a recording to the first expiry, and length of a recording. */
const LEAD_SECONDS = 6;
export const RECORDED_SECONDS = 30;

/** From this sample on there are this many. */
export type Change = readonly [sample: number, count: number];

/** The items that expire in one second of a run. */
export interface Column {
  /** Seconds from the beginning of the recording to the expiry of these items. */
  readonly at: number;
  /** How many items are in the table; `gone` counts those that were seen to be deleted. */
  readonly there: readonly Change[];
  readonly gone: readonly Change[];
}

/** The figures of a run at the end of a second. */
export interface Figures {
  readonly written: number;
  readonly expired: number;
  readonly deleted: number;
  readonly overdue: number;
  /** The lag of the last few seconds, milliseconds; -1 before the first deletion. */
  readonly p50: number;
  readonly max: number;
  readonly sweep: string;
}

/** A recording of the seconds around the first expiry of a run. */
export interface Recording {
  readonly columns: readonly Column[];
  readonly figures: readonly Figures[];
}

/** Makes a recording of the moments of a run. @param moments in the order of their time */
export function recordingOf(moments: readonly Moment[]): Recording {
  const [first] = moments;
  if (first === undefined) return { columns: [], figures: [] };
  const start = first.firstTtl - LEAD_SECONDS;
  const placed = moments.map(moment => ({ moment, sample: sampleOf(moment, start) }));
  // The last moment of each sample is taken; a sample without one repeats the moment before it.
  const samples = Array.from(
    { length: RECORDED_SECONDS * SAMPLES_PER_SECOND },
    (_, sample) => placed.findLast(each => each.sample <= sample)?.moment,
  ).map(moment => moment ?? first);
  const ttls = new Set(samples.flatMap(({ seconds }) => seconds.map(({ ttl }) => ttl)));
  const countsOf = samples.map(({ seconds }) => new Map(seconds.map(second => [second.ttl, second])));
  return {
    columns: [...ttls]
      .sort((one, other) => one - other)
      .map(ttl => ({
        at: ttl - start,
        there: changesOf(countsOf.map(counts => counts.get(ttl)?.there ?? 0)),
        gone: changesOf(countsOf.map(counts => counts.get(ttl)?.gone ?? 0)),
      })),
    figures: samples
      .filter((_, sample) => sample % SAMPLES_PER_SECOND === SAMPLES_PER_SECOND - 1)
      .map(figuresOf),
  };
}

function sampleOf({ now }: Moment, start: number): number {
  return Math.floor((now / 1000 - start) * SAMPLES_PER_SECOND);
}

function changesOf(counts: readonly number[]): Change[] {
  return counts.flatMap((count, sample) =>
    count === (counts[sample - 1] ?? 0) ? [] : [[sample, count] as const],
  );
}

function figuresOf({ tally, lags, sweep }: Moment): Figures {
  const { p50 = -1, max = -1 } = lags.findLast(span => span !== undefined) ?? {};
  return { ...tally, p50, max, sweep };
}
