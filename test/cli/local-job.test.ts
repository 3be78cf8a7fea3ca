import fc from 'fast-check';
import { describeStart, planSeed, type Seeded, seedTable } from '../../cli/local-job.ts';
import { checkConfig } from '../../config/config.ts';
import type { PipeResource } from '../../local/pipes/pipes.ts';
import type { ServedCloud } from '../../local/serve.ts';
import { configOf } from '../support/configs.ts';

const at = (time: string) => Date.parse(`2026-11-21T${time}Z`);
const iso = (epochMilliseconds: number) => new Date(epochMilliseconds).toISOString();
const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:sweep-B';

/** A cloud with two tables in one deployment. */
const served = {
  dynamoDbEndpoint: 'http://127.0.0.1:8000',
  endpoint: 'http://127.0.0.1:8083',
  schedulerEndpoint: 'http://127.0.0.1:8085',
  cloudWatchEndpoint: 'http://127.0.0.1:8084',
  region: 'us-east-1',
  cloud: {
    synthesized: {
      tables: [{ name: 'A' }, { name: 'B' }],
      existingTables: [],
      stateMachines: [
        { name: 'sweep-B', arn: ARN },
        { name: 'sweep-B-replay', arn: `${ARN}-replay` },
      ],
      schedules: [{ targetArn: ARN }],
      alarms: [{}, {}],
      pipes: [],
    },
    dynamoDb: { endpoint: 'http://127.0.0.1:1', startedHere: false },
    schedules: [{}, {}],
    upcoming: () => [{ schedule: { name: 'tick-B' }, at: at('09:01:00') }],
  },
} as unknown as ServedCloud;
const first = { tableName: 'B', sweep: 'sweep-B' };
const idle = { ...served, cloud: { ...served.cloud, upcoming: () => [] } } as unknown as ServedCloud;

const seeded: Seeded = {
  tableName: 'B',
  expired: { count: 5, from: at('07:00:00'), to: at('08:00:00') },
  soon: { count: 3, from: at('09:02:00'), to: at('09:03:00') },
  staying: { count: 2, from: 0, to: 0 },
};

test.each([
  ['fire', served, true, 'tick-B (next 09:01:00Z)'],
  ['do not, by the flag', served, false, 'none fires (--no-schedules)'],
  ['do not, by the configuration', idle, true, 'none is enabled'],
])('the start says whether schedules fire: they %s', (_name, cloud, schedules, expected) => {
  expect(describeStart(cloud, { first, schedules })).toContain(`\n  schedules       ${expected}\n`);
});

const PIPE = {
  address: 'aws_pipes_pipe.A-events',
  tableName: 'A',
  targetArn: 'arn:aws:events:us-east-1:123456789012:event-bus/orders',
} as PipeResource;

test('the start says where pipes lead', () => {
  const synthesized = { ...served.cloud.synthesized, pipes: [PIPE] };
  const cloud = { ...served.cloud, synthesized };
  const text = describeStart({ ...served, cloud } as unknown as ServedCloud, { first, schedules: true });
  expect(text).toContain(
    '\n  pipe            A to event-bus/orders: its expiries are shown here, none is sent\n',
  );
});

test('the start says what was seeded, and the example replays what has expired of it', () => {
  const text = describeStart(served, { first, schedules: true, seeded });
  expect(text).toContain(
    [
      '  sessions        10 written into B:',
      '                  5 expired 2026-11-21 07:00 to 08:00 UTC, longer ago than the sweeps look back: replay them, see below',
      '                  3 expire 2026-11-21 09:02 to 09:03 UTC, and go with the next ticks',
      '                  2 stay until tomorrow',
    ].join('\n'),
  );
  expect(text).toContain(
    `--state-machine-arn ${ARN}-replay --input '{"table":"B","from":"2026-11-21T07:00:00.000Z","to":"2026-11-21T08:00:00.000Z"}'`,
  );
});

test('half has expired before the two days that the first tick looks back, some expires in the minute of the next tick', () => {
  const { expired, soon, staying } = planSeed(100, at('09:00:20.5'));
  expect([expired.count, soon.count, staying.count]).toEqual([50, 30, 20]);
  expect([expired.from, expired.to].map(iso)).toEqual([
    '2026-11-18T08:00:00.000Z',
    '2026-11-18T09:00:00.000Z',
  ]);
  // The tick of 09:01 owns the items that expire from 09:02 on.
  expect([soon.from, soon.to]).toEqual([at('09:02:00'), at('09:03:00')]);
  expect(staying.from).toBe(at('09:00:00') + 86_400_000);
});

test.each([
  ['there is time to write before the next tick', '09:00:50', '09:02:00'],
  ['there is too little time', '09:00:50.001', '09:03:00'],
])('the minute is that of the first tick that sees them: %s', (_name, now, from) => {
  expect(iso(planSeed(10, at(now)).soon.from)).toBe(iso(at(from)));
});

test('of any number, none is left out and at least one has expired', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), count => {
      const { expired, soon, staying } = planSeed(count, at('09:00:00'));
      expect(expired.count + soon.count + staying.count).toBe(count);
      expect(Math.min(expired.count, soon.count + 1, staying.count + 1)).toBeGreaterThanOrEqual(1);
    }),
  );
});

test("fails for somebody else's table, and takes one that is made here", () => {
  const config = (existingTable: boolean) =>
    checkConfig(configOf({ tableName: 'Sessions', partitionKey: 'id', existingTable }));
  expect(() => seedTable(config(true), false)).toThrow(
    /^--seed: expected a first table that is made here, got "Sessions with existingTable: true/,
  );
  expect(() => seedTable(config(true), true)).not.toThrow();
  expect(() => seedTable(config(false), false)).not.toThrow();
});
