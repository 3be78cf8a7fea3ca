import { MetricMathError, parseMetricMath, type Series } from 'aws-on-loopback/cloudwatch/alarm';
import { HEARTBEAT } from '../../../stacks/config/alarms.ts';

/** `1 - 0`: the oldest first, `-` is missing. */
const series = (text: string): Series =>
  text.split(' ').map(each => (each === '-' ? undefined : Number(each)));
const text = (values: Series) => values.map(each => each ?? '-').join(' ');
const math = (expression: string, metric: string) =>
  text(parseMetricMath(expression, ['m1'])({ m1: series(metric) }));

test.each([
  ['m1', '- 1 -', '- 1 -'],
  ['FILL(m1, 0)', '- 1 -', '0 1 0'],
  ['FILL(m1,REPEAT)', '- 1 - 3 -', '- 1 1 3 3'],
  // The tables of the User Guide, as far as one metric has them.
  ['IF(m1, 5)', '1 1 0 0 -', '5 5 - - -'],
  ['IF(m1, 5, 2)', '1 1 0 0 -', '5 5 2 2 -'],
  ['IF(FILL(m1, 1), m1, 5)', '30 - 0', '30 0 5'],
])('%s of %s is %s', (expression, metric, expected) => {
  expect(math(expression, metric)).toBe(expected);
});

test.each([
  ['- - - -', '- - - -'],
  ['- - 3 -', '- - 3 0'],
  ['5 5 5 -', '5 5 5 0'],
  ['5 - - 1', '5 0 0 1'],
])('a heartbeat of %s is %s: silence is 0, but not before the first', (metric, expected) => {
  const { expression, metricId } = HEARTBEAT;
  expect(text(parseMetricMath(expression, [metricId])({ [metricId]: series(metric) }))).toBe(expected);
});

test.each([
  ['m1 + m2', '1 - 3', '5 5 -', '6 - -'],
  ['FILL(m1, 0) + FILL(m2, 0)', '1 - -', '- 5 -', '1 5 0'],
  ['m1 + 1', '1 - 3', '- - -', '2 - 4'],
])('%s of %s and %s is %s', (expression, m1, m2, expected) => {
  const math = parseMetricMath(expression, ['m1', 'm2']);
  expect(text(math({ m1: series(m1), m2: series(m2) }))).toBe(expected);
});

test.each([
  ['m2', 'm1, a number, FILL or IF as the part 1'],
  ['FILL(m1, LINEAR)', 'a number or REPEAT as the part 5'],
  ['RUNNING_SUM(m1)', 'm1, a number, FILL or IF'],
  ['IF(m1 > 0, 1)', '"," as the part 4'],
  ['m1 - 1', 'its end after the part 1'],
  ['m1 +', 'm1, a number, FILL or IF as the part 3'],
  ['FILL(m1, 0', '")" as the part 6'],
])('%s is refused: expected %s', (expression, message) => {
  expect(() => parseMetricMath(expression, ['m1'])).toThrow(MetricMathError);
  expect(() => parseMetricMath(expression, ['m1'])).toThrow(message);
});
