/** A datapoint of each period, the oldest first; undefined where there is none. */
export type Series = readonly (number | undefined)[];

/** A metric math expression: it calculates datapoints from metrics, which it refers to by id. All series have the same length. */
export type MetricMath = (metrics: Readonly<Record<string, Series>>) => Series;

/** Error of a metric math expression that cannot be parsed; the message says what was expected. */
export class MetricMathError extends Error {
  override readonly name = 'MetricMathError';
}

/** A value in an expression: a series, or the same number for every period. */
type Value = Series | number;
type Part = (metrics: Readonly<Record<string, Series>>) => Value;

/**
 * Parses a metric math expression: a metric id, numbers, `FILL(series, number | REPEAT)`, `IF(series, value[, value])`, and sums of these.
 * All other functions of CloudWatch are refused.
 * @param metricIds what the metrics are called in it
 * @throws {MetricMathError}
 * @see CloudWatch User Guide, "Using math expressions with CloudWatch metrics"
 */
export function parseMetricMath(text: string, metricIds: readonly string[]): MetricMath {
  const tokens = text.match(/[A-Za-z_]\w*|\d+(?:\.\d+)?|[(),+]|\S/g) ?? [];
  let at = 0;
  const take = (expected: string): void => {
    if (tokens[at] !== expected)
      throw new MetricMathError(`"${expected}" as the part ${at + 1} of the expression`);
    at += 1;
  };
  const part = (): Part => {
    const token = tokens[at] ?? '';
    at += 1;
    if (/^\d/.test(token)) return () => Number(token);
    if (metricIds.includes(token)) return metrics => metrics[token] ?? [];
    if (token !== 'FILL' && token !== 'IF') {
      throw new MetricMathError(
        `${metricIds.join(', ')}, a number, FILL or IF as the part ${at} of the expression`,
      );
    }
    take('(');
    const first = part();
    take(',');
    if (token === 'FILL') {
      const filler = tokens[at] === 'REPEAT' ? 'REPEAT' : Number(tokens[at]);
      if (Number.isNaN(filler))
        throw new MetricMathError(`a number or REPEAT as the part ${at + 1} of the expression`);
      at += 1;
      take(')');
      return metrics => filled(seriesOf(first(metrics), metrics), filler);
    }
    const yes = part();
    const no = tokens[at] === ',' ? rest() : undefined;
    take(')');
    return metrics => chosen(seriesOf(first(metrics), metrics), yes(metrics), no?.(metrics));
  };
  const rest = (): Part => {
    take(',');
    return part();
  };
  const terms = [part()];
  while (tokens[at] === '+') {
    at += 1;
    terms.push(part());
  }
  if (at !== tokens.length) throw new MetricMathError(`its end after the part ${at}`);
  return metrics => terms.map(term => seriesOf(term(metrics), metrics)).reduce(added);
}

function seriesOf(value: Value, metrics: Readonly<Record<string, Series>>): Series {
  if (typeof value !== 'number') return value;
  const [one = []] = Object.values(metrics);
  return one.map(() => value);
}

/** A sum has a datapoint only where both series have one. */
function added(one: Series, other: Series): Series {
  return one.map((value, index) => {
    const more = other[index];
    return value === undefined || more === undefined ? undefined : value + more;
  });
}

/** REPEAT fills a gap with the last value before it, so nothing is filled before the first value. */
function filled(series: Series, filler: number | 'REPEAT'): Series {
  let last: number | undefined;
  return series.map(value => {
    if (value !== undefined) last = value;
    return value ?? (filler === 'REPEAT' ? last : filler);
  });
}

/** A missing condition gives no datapoint; a true one gives 0 where its value is missing. */
function chosen(condition: Series, yes: Value, no: Value | undefined): Series {
  const of = (value: Value | undefined, index: number) =>
    typeof value === 'number' ? value : value?.[index];
  return condition.map((each, index) => {
    if (each === undefined) return undefined;
    return each === 0 ? of(no, index) : (of(yes, index) ?? 0);
  });
}
