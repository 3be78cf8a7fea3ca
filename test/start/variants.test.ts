/** @jest-environment ./test/support/dynamodb-environment.ts */
import { EXIT_STATUS } from '../../bench/demo/main-job.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { SESSION_DATA } from '../support/configs.ts';
import { type JobOptions, runJob } from '../support/main-job.ts';

/*
 * The job of npm start in each of its modes, from the configuration to the verdict; only the time is a virtual clock's. Types of keys,
 * settings of tables and destinations of events are tested where they are read.
 */

const TOKENS: PreciseTtlProps = { tableName: 'Tokens', partitionKey: 'TokenId' };
const OWN_NAMES = {
  ttlAttribute: 'a "quoted" ttl',
  index: { attribute: 'Window-1', name: 'by.window' },
} as const;

const WRITTEN_BEFORE = 'if written before the minute in which they expire; items written later:';
const WITHIN = (seconds: string) => ` gone within ${seconds} s of expiry, `;
const FOLLOWED = [' of 2 pipes\n', '  ✓ events wrongly '];

test.concurrent.each<[string, readonly PreciseTtlProps[], says: readonly string[], JobOptions?]>([
  [
    'what is shipped',
    [SESSION_DATA],
    [
      `${WITHIN('2.0')}${WRITTEN_BEFORE} with the next tick\n`,
      ...['swept as SessionData\n', 'made permanent in their last seconds (seed 1)'],
    ],
  ],
  [
    'a number as the only key, in batches, and events to a function',
    [
      {
        ...{ ...TOKENS, partitionKey: { name: 'TokenId', type: 'N' }, deleteMode: 'batch' },
        events: { to: 'arn:aws:lambda:us-east-1:123456789012:function:own-function', oldImage: true },
      },
    ],
    // Where records are judged items go a second later.
    [
      ...[WITHIN('3.0'), "none is renewed: deleteMode 'batch'", ' of the pipe\n'],
      'to function:own-function, for which this run stands',
    ],
  ],
  [
    'a binary only key, polled, names of its own',
    [{ ...TOKENS, ...OWN_NAMES, partitionKey: { name: 'TokenId', type: 'B' }, pollSeconds: 5 }],
    [`${WITHIN('2.0')}${WRITTEN_BEFORE} at the next read, at most 5 s later\n`],
  ],
  [
    'by second, an existing table, --archive, and events on a bus',
    [
      {
        ...{ ...SESSION_DATA, existingTable: true, index: { by: 'second' } },
        events: { to: 'arn:aws:events:us-east-1:123456789012:event-bus/own-bus' },
      },
    ],
    [
      ...[...FOLLOWED, WITHIN('3.0'), 'swept as the existing SessionData\n'],
      'to event-bus/own-bus, for which this run stands',
    ],
    { archive: true },
  ],
  [
    'the first of two tables, an existing one with keys of two types, in batches once a minute',
    [
      {
        ...{ ...SESSION_DATA, existingTable: true, partitionKey: { name: 'UserName', type: 'N' } },
        ...{ sortKey: { name: 'SessionId', type: 'B' }, index: { shards: 4 } },
        ...{ deleteMode: 'batch', precision: 'minute' },
      },
      TOKENS,
    ],
    [
      `${WITHIN('61.1')}with the next tick: one sweep a minute\n`,
      'the existing SessionData, one of the 2 tables of the configuration (--table)\n',
    ],
  ],
])('%s', async (_name, tables, says, options = {}) => {
  const { result, violations, doubts, printed } = await runJob(tables, { rate: 1, ...options });
  expect({ violations, doubts, status: EXIT_STATUS[result.verdict as 'kept'] }).toEqual({
    ...{ violations: [], doubts: [], status: 0 },
  });
  expect(result.deleted).toBeGreaterThan(20);
  expect(printed).toMatch(
    /24 sessions expired while nobody swept\.[\s\S]*24 expired sessions, gone in \d+\.\d s\n/,
  );
  expect(result.backlog).toMatchObject({ items: 24, deleted: 24 });
  for (const text of [...says, 'Every promise was kept.']) expect(printed).toContain(text);
  expect(printed.includes('deletes what expires in the minute that runs')).toBe(
    tables[0]?.precision !== 'minute',
  );
});
