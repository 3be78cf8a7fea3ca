/** A datapoint of each period, the oldest first; undefined where there is none. */
export type Series = readonly (number | undefined)[];

/** An expression, which makes datapoints of those of its metric. */
export type MetricMath = (metric: Series) => Series;

/** An expression that is not understood; the message says what was expected. */
export class MetricMathError extends Error {
  override readonly name = 'MetricMathError';
}

/** A part of an expression: a series, or the same number for every period. */
type Value = Series | number;
type Part = (metric: Series) => Value;

/**
 * Reads an expression of one metric: the metric itself, numbers, `FILL(series, number | REPEAT)` and `IF(series, value[, value])`.
 * Everything else that CloudWatch knows is refused.
 *
 * @param metricId what the metric is called in it
 * @throws {MetricMathError}
 * @see CloudWatch User Guide, "Using math expressions with CloudWatch metrics"
 */
export function parseMetricMath(text: string, metricId: string): MetricMath {
  const tokens = text.match(/[A-Za-z_]\w*|\d+(?:\.\d+)?|[(),]|\S/g) ?? [];
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
    if (token === metricId) return metric => metric;
    if (token !== 'FILL' && token !== 'IF') {
      throw new MetricMathError(`${metricId}, a number, FILL or IF as the part ${at} of the expression`);
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
      return metric => filled(seriesOf(first(metric), metric), filler);
    }
    const yes = part();
    const no = tokens[at] === ',' ? rest() : undefined;
    take(')');
    return metric => chosen(seriesOf(first(metric), metric), yes(metric), no?.(metric));
  };
  const rest = (): Part => {
    take(',');
    return part();
  };
  const whole = part();
  if (at !== tokens.length) throw new MetricMathError(`its end after the part ${at}`);
  return metric => seriesOf(whole(metric), metric);
}

const seriesOf = (value: Value, metric: Series): Series =>
  typeof value === 'number' ? metric.map(() => value) : value;

/** REPEAT: with the last value before, so that nothing is filled before the first one. */
function filled(series: Series, filler: number | 'REPEAT'): Series {
  let last: number | undefined;
  return series.map(value => {
    if (value !== undefined) last = value;
    return value ?? (filler === 'REPEAT' ? last : filler);
  });
}

/** A condition that has no datapoint gives none; one that is true gives 0 where its value has none. */
function chosen(condition: Series, yes: Value, no: Value | undefined): Series {
  const of = (value: Value | undefined, index: number) =>
    typeof value === 'number' ? value : value?.[index];
  return condition.map((each, index) => {
    if (each === undefined) return undefined;
    return each === 0 ? of(no, index) : (of(yes, index) ?? 0);
  });
}
