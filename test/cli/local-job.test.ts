import { describeStart } from '../../cli/local-job.ts';
import type { ServedCloud } from '../../local/serve.ts';

const at = (time: string) => Date.parse(`2026-11-21T${time}Z`);
const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:sweep-B';

const PIPE = { tableName: 'A', targetArn: 'arn:aws:events:us-east-1:123456789012:event-bus/orders' };

/** A cloud with two tables in one deployment. */
const served = {
  dynamoDbEndpoint: 'http://127.0.0.1:8000',
  endpoint: 'http://127.0.0.1:8083',
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
      pipes: [PIPE],
    },
    dynamoDb: { endpoint: 'http://127.0.0.1:1', startedHere: false },
    schedules: { upcoming: () => [{ schedule: { name: 'tick-B' }, at: at('09:01:00') }] },
  },
} as unknown as ServedCloud;
const idle = {
  ...served,
  cloud: { ...served.cloud, schedules: { upcoming: () => [] } },
} as unknown as ServedCloud;

test.each([
  ['fire', served, true, 'tick-B (next 09:01:00Z)'],
  ['do not, by the flag', served, false, 'none fires (--no-schedules)'],
  ['do not, by the configuration', idle, true, 'none is enabled'],
])(
  'the start says where pipes lead, and whether schedules fire: they %s',
  (_name, cloud, schedules, expected) => {
    const text = describeStart(cloud, { tableName: 'B', deployment: 'sweep-B' }, schedules, 'http://page/');
    expect(text).toContain(`
  pipe            A to event-bus/orders: its expiries are shown here, none is sent
  schedules       ${expected}
`);
  },
);
