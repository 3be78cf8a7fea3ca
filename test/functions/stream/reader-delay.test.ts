import { deploymentMetrics } from '../../../functions/runtime/deployment-metric.ts';
import type { DynamoDbStreamEvent } from '../../../functions/stream/event.ts';
import { MIN_DELAY_SECONDS, recordDelay } from '../../../functions/stream/reader-delay.ts';

const NOW = Date.parse('2026-11-20T09:00:00.900Z');

/** What a reader prints for records that have waited for so many seconds; undefined for one without a time. */
function printedFor(...seconds: readonly (number | undefined)[]): Record<string, unknown>[] {
  const printed: string[] = [];
  const record = deploymentMetrics({
    ...{ namespace: 'PreciseTtl', deployment: 'sweep', clock: () => NOW },
    print: line => printed.push(line),
  });
  const at = (ago: number | undefined) => (ago === undefined ? undefined : Math.floor(NOW / 1000) - ago);
  const Records = seconds.map(ago => ({ dynamodb: { ApproximateCreationDateTime: at(ago) } }));
  recordDelay({ Records } as unknown as DynamoDbStreamEvent, record, NOW);
  return printed.map(line => JSON.parse(line));
}

test('the delay of the oldest record is recorded, of the whole deployment', () => {
  expect(printedFor(10, 4000, 20)).toEqual([
    {
      _aws: {
        Timestamp: NOW,
        CloudWatchMetrics: [
          {
            Namespace: 'PreciseTtl',
            Dimensions: [['Deployment']],
            Metrics: [{ Name: 'ReaderDelay', Unit: 'Seconds' }],
          },
        ],
      },
      Deployment: 'sweep',
      ReaderDelay: 4000,
    },
  ]);
});

test.each([
  ['keeps up', [0, MIN_DELAY_SECONDS - 1]],
  ['gets no records', []],
  ['gets a record without a time', [9000, undefined]],
])('a reader that %s records nothing', (_what, seconds) => {
  expect(printedFor(...seconds)).toEqual([]);
});

test('from five minutes on it is recorded', () => {
  expect(printedFor(MIN_DELAY_SECONDS)).toMatchObject([{ ReaderDelay: MIN_DELAY_SECONDS }]);
});
