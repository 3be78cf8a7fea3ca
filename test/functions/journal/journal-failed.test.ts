import { LocalCloudWatch } from 'aws-on-loopback/cloudwatch/cloudwatch';
import { VirtualClock } from 'stepfunctions-emulator';
import type { Journal } from '../../../functions/journal/journal.ts';
import { withMetric } from '../../../functions/journal/journal-failed.ts';
import { deploymentMetrics } from '../../../functions/runtime/deployment-metric.ts';
import { JournalUnreadableError, JournalUnwritableError } from '../../../functions/runtime/errors.ts';

const NOW = Date.parse('2026-11-20T09:00:00Z');

function watched(journal: Partial<Journal>) {
  const lines: string[] = [];
  const record = deploymentMetrics({
    namespace: 'PreciseTtl',
    deployment: 'precise-ttl',
    print: line => lines.push(line),
    clock: () => NOW,
  });
  return { lines, journal: withMetric(journal as Journal, record) };
}

test.each<[keyof Journal, Error]>([
  ['read', new JournalUnreadableError('no')],
  ['writeWatermarks', new JournalUnwritableError('no')],
  ['putRows', new JournalUnwritableError('no')],
  ['takeHandOver', new JournalUnwritableError('no')],
  ['renewHandOver', new JournalUnwritableError('no')],
  ['endHandOver', new JournalUnwritableError('no')],
  ['replayed', new JournalUnwritableError('no')],
])('%s that fails is a metric of the deployment, and still fails', async (call, error) => {
  const { lines, journal } = watched({ [call]: () => Promise.reject(error) });
  await expect((journal[call] as () => Promise<unknown>)()).rejects.toBe(error);
  expect(lines).toHaveLength(1);
  const cloudWatch = new LocalCloudWatch({ clock: new VirtualClock(NOW), alarms: [], queues: [] });
  for (const line of lines) cloudWatch.addLine(line);
  const metric = {
    namespace: 'PreciseTtl',
    name: 'JournalFailed',
    dimensions: { Deployment: 'precise-ttl' },
  };
  expect(cloudWatch.metrics.statistic(metric, 'Sum', NOW, NOW + 60_000)).toBe(1);
});

test('what goes well is no metric, and has its arguments and its answer', async () => {
  const taken: unknown[] = [];
  const { lines, journal } = watched({
    takeHandOver: async (...args) => {
      taken.push(args);
      return true;
    },
  });
  expect(await journal.takeHandOver('Sessions', 7, 'one')).toBe(true);
  expect([taken, lines]).toEqual([[['Sessions', 7, 'one']], []]);
});

test('another error is no metric of the journal', async () => {
  const { lines, journal } = watched({ read: () => Promise.reject(new TypeError('no')) });
  await expect(journal.read()).rejects.toThrow(TypeError);
  expect(lines).toEqual([]);
});
