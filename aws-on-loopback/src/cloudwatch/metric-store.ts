/** The identity of a metric: each combination of dimensions is a metric of its own. */
export interface MetricId {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** Values that were measured at one time. */
interface Measurement extends MetricId {
  /** Epoch milliseconds. */
  readonly timestamp: number;
  /** Each value, and the number of its measurements. */
  readonly values: readonly (readonly [value: number, count: number])[];
}

const MINUTE_MS = 60_000;

/** Retention of a metric in minutes: two days, twice the longest period that an alarm can look back. */
const KEPT_MINUTES = 2 * 24 * 60;

/** The values of a minute, and how often each occurred. */
type Minute = Map<number, number>;

interface Metric {
  readonly id: MetricId;
  /** Minutes by their start, epoch milliseconds, in the order of their first measurement. */
  readonly minutes: Map<number, Minute>;
}

/** Metrics with one datapoint a minute, as CloudWatch keeps those of standard resolution. */
export class MetricStore {
  readonly #metrics = new Map<string, Metric>();

  add({ timestamp, values, ...id }: Measurement): void {
    const key = keyOf(id);
    let metric = this.#metrics.get(key);
    if (metric === undefined) {
      metric = { id, minutes: new Map() };
      this.#metrics.set(key, metric);
    }
    const start = Math.floor(timestamp / MINUTE_MS) * MINUTE_MS;
    let minute = metric.minutes.get(start);
    if (minute === undefined) {
      minute = new Map();
      metric.minutes.set(start, minute);
      const [oldest] = metric.minutes.keys();
      if (metric.minutes.size > KEPT_MINUTES && oldest !== undefined) metric.minutes.delete(oldest);
    }
    for (const [value, count] of values) minute.set(value, (minute.get(value) ?? 0) + count);
  }

  /** Lists every metric that has measurements. */
  list(): readonly MetricId[] {
    return [...this.#metrics.values()].map(({ id }) => id);
  }

  /**
   * Calculates a statistic of the values in [from, to), epoch milliseconds; undefined when there is none.
   * @param statistic `SampleCount`, `Sum`, `Average`, `Minimum`, `Maximum` or a percentile such as `p99`
   */
  statistic(id: MetricId, statistic: string, from: number, to: number): number | undefined {
    const minutes = this.#metrics.get(keyOf(id))?.minutes;
    const values: [number, number][] = [];
    for (let start = Math.ceil(from / MINUTE_MS) * MINUTE_MS; start < to; start += MINUTE_MS) {
      values.push(...(minutes?.get(start) ?? []));
    }
    return values.length === 0 ? undefined : statisticOf(values, statistic);
  }
}

function statisticOf(values: readonly (readonly [number, number])[], statistic: string): number | undefined {
  const count = values.reduce((sum, [, times]) => sum + times, 0);
  const sum = values.reduce((all, [value, times]) => all + value * times, 0);
  switch (statistic) {
    case 'SampleCount':
      return count;
    case 'Sum':
      return sum;
    case 'Average':
      return sum / count;
    case 'Minimum':
      return Math.min(...values.map(([value]) => value));
    case 'Maximum':
      return Math.max(...values.map(([value]) => value));
  }
  const share = PERCENTILE.exec(statistic)?.[1];
  return share === undefined ? undefined : percentile(values, Number(share) / 100, count);
}

const PERCENTILE = /^p(\d+(?:\.\d+)?)$/;

/** Returns the smallest value that is not exceeded by this share of all values. */
function percentile(values: readonly (readonly [number, number])[], share: number, count: number): number {
  const sorted = [...values].sort(([one], [other]) => one - other);
  let rank = Math.max(1, Math.ceil(share * count));
  for (const [value, times] of sorted) {
    rank -= times;
    if (rank <= 0) return value;
  }
  return sorted.at(-1)?.[0] ?? 0;
}

function keyOf({ namespace, name, dimensions }: MetricId): string {
  return JSON.stringify([namespace, name, Object.entries(dimensions).sort()]);
}

/** The values that CloudWatch accepts for a metric in a document: a number, numbers, or a histogram. */
type Target =
  | number
  | readonly number[]
  | { readonly Values: readonly number[]; readonly Counts?: readonly number[] };

/**
 * Returns the metrics in a line in the embedded metric format that a function printed; an empty list for other lines.
 * @param timestamp when it was printed, epoch milliseconds. The document's own is the wall clock's, which is not the clock that the
 *   local cloud runs by.
 * @see CloudWatch User Guide, "Embedded metric format specification"
 */
export function embeddedMetrics(line: string, timestamp: number): Measurement[] {
  const document = parse(line);
  const directives = (document?.['_aws'] as { readonly CloudWatchMetrics?: unknown } | undefined)
    ?.CloudWatchMetrics;
  if (document === undefined || !Array.isArray(directives)) return [];
  return (directives as readonly Directive[]).flatMap(
    ({ Namespace: namespace = '', Dimensions = [], Metrics = [] }) =>
      Dimensions.flatMap(names =>
        Metrics.flatMap(({ Name: name = '' }) => {
          const values = valuesOf(document[name] as Target | undefined);
          const dimensions = Object.fromEntries(names.map(each => [each, String(document[each])]));
          return values.length === 0 ? [] : [{ namespace, name, dimensions, timestamp, values }];
        }),
      ),
  );
}

interface Directive {
  readonly Namespace?: string;
  readonly Dimensions?: readonly (readonly string[])[];
  readonly Metrics?: readonly { readonly Name?: string }[];
}

function valuesOf(target: Target | undefined): Measurement['values'] {
  if (typeof target === 'number') return [[target, 1]];
  if (Array.isArray(target)) return (target as readonly number[]).map(value => [value, 1] as const);
  if (typeof target !== 'object' || !('Values' in target)) return [];
  return target.Values.map((value, index) => [value, target.Counts?.[index] ?? 1] as const);
}

function parse(line: string): Record<string, unknown> | undefined {
  // Most lines contain no metrics.
  if (!line.includes('"CloudWatchMetrics"')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
