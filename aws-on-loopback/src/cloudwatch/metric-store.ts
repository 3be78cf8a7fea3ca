/** The identity of a metric: each combination of dimensions is a metric of its own. */
export interface MetricId {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** Values that were measured at one time. */
export interface Measurement extends MetricId {
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
