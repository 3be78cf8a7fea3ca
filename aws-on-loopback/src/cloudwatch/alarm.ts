/** A datapoint of each period, the oldest first; undefined where there is none. */
export type Series = readonly (number | undefined)[];

/** A metric math expression: it calculates datapoints from metrics, which it refers to by id. All series have the same length. */
type MetricMath = (metrics: Readonly<Record<string, Series>>) => Series;

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

export const COMPARISONS = [
  'GreaterThanThreshold',
  'GreaterThanOrEqualToThreshold',
  'LessThanThreshold',
  'LessThanOrEqualToThreshold',
] as const;

export type Comparison = (typeof COMPARISONS)[number];

export const MISSING_DATA = ['missing', 'breaching', 'notBreaching', 'ignore'] as const;

export type MissingData = (typeof MISSING_DATA)[number];

/** An alarm on one metric, or on an expression of one or several of the same period. */
export interface AlarmResource {
  readonly address: string;
  readonly name: string;
  readonly arn: string;
  readonly region: string;
  readonly description?: string;
  readonly namespace: string;
  readonly metricName: string;
  readonly dimensions: Readonly<Record<string, string>>;
  /** The expression that the alarm evaluates instead of the metric. */
  readonly expression?: AlarmExpression;
  /** `Sum`, `p99`… */
  readonly statistic: string;
  /** Seconds, a multiple of 60. */
  readonly period: number;
  /** N of "M out of N". */
  readonly evaluationPeriods: number;
  /** M of "M out of N". */
  readonly datapointsToAlarm: number;
  readonly threshold: number;
  readonly comparison: Comparison;
  readonly treatMissingData: MissingData;
  readonly alarmActions: readonly string[];
  readonly okActions: readonly string[];
}

/** A metric in an expression. */
export type AlarmedMetric = Pick<AlarmResource, 'namespace' | 'metricName' | 'dimensions' | 'statistic'>;

export interface AlarmExpression {
  readonly text: string;
  readonly math: MetricMath;
  /** Metrics by their ids, the alarm's own metric first. */
  readonly metrics: Readonly<Record<string, AlarmedMetric>>;
}

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/** Value of a datapoint; undefined when nothing was measured. */
export type Datapoint = number | undefined;

/** The rule by which an alarm is evaluated. */
export type AlarmRule = Pick<
  AlarmResource,
  'evaluationPeriods' | 'datapointsToAlarm' | 'threshold' | 'comparison' | 'treatMissingData'
>;

export interface Evaluation {
  readonly state: AlarmState;
  /** Reason of the state, one sentence. */
  readonly reason: string;
}

/**
 * Number of datapoints that CloudWatch reads beyond those that it evaluates, in place of missing ones. Its documents give no number; their
 * examples have two. Source: CloudWatch User Guide, "Configuring how CloudWatch alarms treat missing data".
 */
const FURTHER_DATAPOINTS = 2;

/** Number of datapoints that {@link evaluate} needs. */
export function datapointsOf({ evaluationPeriods }: Pick<AlarmRule, 'evaluationPeriods'>): number {
  return evaluationPeriods + FURTHER_DATAPOINTS;
}

/**
 * The next state of an alarm.
 *
 * 1. When there are as many real datapoints as evaluation periods, the newest of them decide, however old, and missing ones do not matter.
 * 2. Otherwise all real ones count, and missing ones are filled in by the alarm's setting.
 * 3. `missing` and `ignore` fill in nothing. Without any datapoint the alarm becomes INSUFFICIENT_DATA for `missing`, and keeps its
 *    state for `ignore`. When the real ones that breach are too few, but all others behind the oldest one are missing, `missing` is
 *    an alarm: otherwise a metric that ends while it breaches would never raise one. `ignore` keeps the state.
 *
 * @param points the newest first, as many as {@link datapointsOf} says
 * @param current the state before
 * @see CloudWatch User Guide, "Configuring how CloudWatch alarms treat missing data", with the tables that the test has
 */
export function evaluate(rule: AlarmRule, points: readonly Datapoint[], current: AlarmState): Evaluation {
  const { evaluationPeriods, datapointsToAlarm, treatMissingData } = rule;
  const real = points.filter(point => point !== undefined);
  const considered = real.slice(0, evaluationPeriods);
  const breaching = considered.filter(point => breaches(point, rule)).length;
  const missing = evaluationPeriods - considered.length;
  if (missing <= 0) return judged(breaching >= datapointsToAlarm, breaching);
  if (treatMissingData === 'breaching' || treatMissingData === 'notBreaching') {
    const filled = treatMissingData === 'breaching' ? missing : 0;
    const all = breaching + filled;
    return judged(all >= datapointsToAlarm, breaching, missing);
  }
  if (considered.length === 0) {
    return treatMissingData === 'ignore'
      ? kept('no datapoint was received')
      : { state: 'INSUFFICIENT_DATA', reason: `No datapoint was received in ${points.length} periods.` };
  }
  if (breaching >= datapointsToAlarm) return judged(true, breaching);
  const oldestBreaching = points.findLastIndex(point => point !== undefined && breaches(point, rule));
  const isOldEnough = oldestBreaching + 1 >= datapointsToAlarm;
  const isAllBreaching = breaching > 0 && breaching === considered.length;
  if (isAllBreaching && isOldEnough) {
    return treatMissingData === 'ignore'
      ? kept('too few datapoints were received')
      : judged(true, breaching, missing);
  }
  return judged(false, breaching, missing);

  function judged(isAlarm: boolean, count: number, missed = 0): Evaluation {
    const state = isAlarm ? 'ALARM' : 'OK';
    const values = considered.length === 0 ? '' : ` [${considered.join(', ')}]`;
    const not = missed > 0 ? `; ${missed} missing, treated as ${words(treatMissingData)}` : '';
    return {
      state,
      reason:
        `Threshold ${isAlarm ? 'crossed' : 'not crossed'}: ${count} of ${considered.length} datapoints${values} ` +
        `${WORDS[rule.comparison]} ${rule.threshold}${not}.`,
    };
  }
  function kept(why: string): Evaluation {
    return { state: current, reason: `Unchanged: ${why}.` };
  }
}

function breaches(
  value: number,
  { comparison, threshold }: Pick<AlarmRule, 'comparison' | 'threshold'>,
): boolean {
  switch (comparison) {
    case 'GreaterThanThreshold':
      return value > threshold;
    case 'GreaterThanOrEqualToThreshold':
      return value >= threshold;
    case 'LessThanThreshold':
      return value < threshold;
    case 'LessThanOrEqualToThreshold':
      return value <= threshold;
  }
}

const WORDS: Readonly<Record<Comparison, string>> = {
  GreaterThanThreshold: 'above',
  GreaterThanOrEqualToThreshold: 'at or above',
  LessThanThreshold: 'below',
  LessThanOrEqualToThreshold: 'at or below',
};

const words = (treat: MissingData): string => (treat === 'notBreaching' ? 'not breaching' : treat);
