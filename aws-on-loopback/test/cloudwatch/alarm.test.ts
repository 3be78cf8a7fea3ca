import fc from 'fast-check';
import {
  type AlarmRule,
  type AlarmState,
  datapointsOf,
  evaluate,
  MISSING_DATA,
  type MissingData,
} from '../../src/cloudwatch/alarm.ts';

const rule = (
  datapointsToAlarm: number,
  treatMissingData: MissingData,
  evaluationPeriods = 3,
): AlarmRule => ({
  evaluationPeriods,
  datapointsToAlarm,
  threshold: 10,
  comparison: 'GreaterThanThreshold',
  treatMissingData,
});

/** As the User Guide writes them: the oldest first, `X` breaches, `0` does not, `-` is missing. */
const points = (text: string) =>
  text
    .split(' ')
    .map(each => ({ X: 11, 0: 0, '-': undefined })[each])
    .reverse();

/** The tables of the CloudWatch User Guide, "Configuring how CloudWatch alarms treat missing data". */
const DOCUMENTED: readonly (readonly [
  number,
  string,
  Readonly<Record<MissingData, AlarmState | 'retain'>>,
])[] = [
  [3, '0 - X - X', { missing: 'OK', ignore: 'OK', breaching: 'OK', notBreaching: 'OK' }],
  [3, '- - - - 0', { missing: 'OK', ignore: 'OK', breaching: 'OK', notBreaching: 'OK' }],
  [
    3,
    '- - - - -',
    { missing: 'INSUFFICIENT_DATA', ignore: 'retain', breaching: 'ALARM', notBreaching: 'OK' },
  ],
  [3, '0 X X - X', { missing: 'ALARM', ignore: 'ALARM', breaching: 'ALARM', notBreaching: 'ALARM' }],
  [3, '- - X - -', { missing: 'ALARM', ignore: 'retain', breaching: 'ALARM', notBreaching: 'OK' }],
  [2, '0 - X - X', { missing: 'ALARM', ignore: 'ALARM', breaching: 'ALARM', notBreaching: 'ALARM' }],
  [2, '0 0 X 0 X', { missing: 'ALARM', ignore: 'ALARM', breaching: 'ALARM', notBreaching: 'ALARM' }],
  [2, '0 - X - -', { missing: 'OK', ignore: 'OK', breaching: 'ALARM', notBreaching: 'OK' }],
  [2, '- - - - 0', { missing: 'OK', ignore: 'OK', breaching: 'ALARM', notBreaching: 'OK' }],
  [2, '- - - X -', { missing: 'ALARM', ignore: 'retain', breaching: 'ALARM', notBreaching: 'OK' }],
];

test.each(
  DOCUMENTED.flatMap(([datapoints, text, states]) =>
    MISSING_DATA.map(treat => [datapoints, text, treat, states[treat]] as const),
  ),
)('%i of 3 with %s, missing data %s: %s', (datapoints, text, treat, expected) => {
  for (const current of ['OK', 'ALARM', 'INSUFFICIENT_DATA'] as const) {
    const { state } = evaluate(rule(datapoints, treat), points(text), current);
    expect(state).toBe(expected === 'retain' ? current : expected);
  }
});

test.each([
  ['GreaterThanThreshold', 10, 'OK'],
  ['GreaterThanOrEqualToThreshold', 10, 'ALARM'],
  ['LessThanThreshold', 10, 'OK'],
  ['LessThanOrEqualToThreshold', 10, 'ALARM'],
  ['LessThanThreshold', 9.99, 'ALARM'],
] as const)('%s at 10 with %d is %s', (comparison, value, expected) => {
  expect(evaluate({ ...rule(1, 'missing', 1), comparison }, [value], 'OK').state).toBe(expected);
});

test('a reason is a sentence with the values, the threshold and what is missing', () => {
  expect(evaluate(rule(2, 'breaching'), points('- - X - -'), 'OK').reason).toBe(
    'Threshold crossed: 1 of 1 datapoints [11] above 10; 2 missing, treated as breaching.',
  );
});

const datapoint = fc.option(fc.constantFrom<number>(0, 11), { nil: undefined });

test('a datapoint more that breaches never ends an alarm, and one that does not never makes one', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom('breaching' as const, 'notBreaching' as const),
      fc.array(datapoint, { minLength: 7, maxLength: 7 }),
      fc.nat(6),
      (most, least, treat, seen, at) => {
        const periods = Math.max(most, least);
        const of = rule(Math.min(most, least), treat, periods);
        const some = seen.slice(0, datapointsOf(of));
        if (some[at] === undefined || at >= some.length) return;
        const state = (value: number) => evaluate(of, some.with(at, value), 'OK').state;
        expect([state(0), state(11)]).not.toEqual(['ALARM', 'OK']);
      },
    ),
  );
});
