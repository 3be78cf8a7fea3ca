/** @jest-environment ./test/support/dynamodb-environment.ts */
import { SWEEP_METRICS } from '../../functions/record-metrics/metrics.ts';
import { useLocalSweep } from '../support/local-sweep.ts';

const lines: string[] = [];
const local = useLocalSweep(
  [
    {
      tableName: 'Measured',
      partitionKey: 'id',
      index: { granularityMinutes: 1 },
    },
  ],
  {
    functions: { maxConcurrency: 2, onLog: (_functionName, line) => lines.push(line) },
  },
);

interface EmbeddedMetrics {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
    }[];
  };
  readonly [metric: string]: unknown;
}

test('a sweep prints one line in the embedded metric format, with every metric of the list that has something to say', async () => {
  const ttl = Math.floor(Date.now() / 60_000) * 60 - 600;
  const expirationWindow = `${new Date(ttl * 1000).toISOString()}_${new Date((ttl + 60) * 1000).toISOString()}`;
  await local.put('Measured', [
    { id: 'a', ttl, expirationWindow },
    { id: 'b', ttl: ttl + 1, expirationWindow },
  ]);
  const { report } = await local.sweep('Measured', {
    from: new Date((ttl - 60) * 1000).toISOString(),
    to: new Date().toISOString(),
  });
  expect(report.deleted).toBe(2);

  const embedded = lines
    .filter(line => line.includes('"_aws"'))
    .map((line): EmbeddedMetrics => JSON.parse(line));
  expect(embedded).toHaveLength(1);
  const [emf] = embedded;
  const [directive] = emf?._aws.CloudWatchMetrics ?? [];
  expect(directive?.Namespace).toBe('PreciseTtl');
  expect(directive?.Dimensions).toEqual([['service', 'Deployment']]);
  expect(directive?.Metrics.map(({ Name, Unit }) => [Name, Unit])).toEqual(
    SWEEP_METRICS.filter(({ onlyAboveZero }) => !onlyAboveZero).map(({ name, unit }) => [name, unit]),
  );
  expect(emf).toMatchObject({
    Deployment: 'precise-ttl',
    ItemsFound: 2,
    ItemsDeleted: 2,
    ItemsFailed: 0,
    ShardsSwept: 1,
  });
  expect(emf?.['SweepDuration']).toBeGreaterThan(0);
});

test('everything else that the functions print is a structured log line', async () => {
  await local.sweep('Measured', { scheduledTime: new Date().toISOString() });
  const logs = lines.filter(line => !line.includes('"_aws"')).map(line => JSON.parse(line));
  expect(logs.length).toBeGreaterThan(0);
  for (const log of logs) expect(log).toMatchObject({ level: 'INFO', service: expect.any(String) });
});
