/** @jest-environment ./test/support/dynamodb-environment.ts */
import { EXIT_STATUS } from '../../bench/demo/main-job.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { SESSION_DATA } from '../support/configs.ts';
import { runJob } from '../support/main-job.ts';

/*
 * The job of npm start in each of its modes, from the configuration to the verdict; only the time is a virtual clock's. Types of keys,
 * settings of tables and destinations of events are tested where they are read.
 */

const TOKENS: PreciseTtlProps = { tableName: 'Tokens', partitionKey: 'TokenId' };
const OWN_NAMES = {
  ttlAttribute: 'a "quoted" ttl',
  index: { attribute: 'Window-1', name: 'by.window' },
} as const;

/** What every run here must have come to, and the parts of the text that depend on the mode. */
interface Expected {
  readonly promised: string;
  readonly says?: readonly string[];
}
const TO_THE_SECOND: Expected = {
  promised:
    'gone within 2.0 s of expiry, if written before the minute in which they expire; items written later: with the next tick',
};
const BY_MINUTE: Expected = {
  promised: 'gone within 61.1 s of expiry, with the next tick: one sweep a minute',
};

/** Where records are judged items go a second later. */
function withMargin(mode: Expected): Expected {
  return {
    ...mode,
    promised: mode.promised.replace(/\d+(?=\.0 s of)/, seconds => String(Number(seconds) + 1)),
  };
}

const FOLLOWED = [' of 2 pipes\n', '  ✓ events wrongly '];

test.concurrent.each<[string, readonly PreciseTtlProps[], Expected]>([
  [
    'what is shipped',
    [SESSION_DATA],
    { ...TO_THE_SECOND, says: ['swept as SessionData\n', 'made permanent in their last seconds (seed 1)'] },
  ],
  [
    'a number as the only key, in batches, and events to a function',
    [
      {
        ...{
          ...TOKENS,
          partitionKey: { name: 'TokenId', type: 'N' },
          deleteMode: 'batch',
        },
        events: { to: 'arn:aws:lambda:us-east-1:123456789012:function:own-function', oldImage: true },
      },
    ],
    {
      ...withMargin(TO_THE_SECOND),
      says: [
        "none is renewed: deleteMode 'batch'",
        ' of the pipe\n',
        'to function:own-function, for which this run stands',
      ],
    },
  ],
  [
    'a binary only key, polled, names of its own',
    [
      {
        ...TOKENS,
        ...OWN_NAMES,
        partitionKey: { name: 'TokenId', type: 'B' },
        pollSeconds: 5,
      },
    ],
    {
      ...TO_THE_SECOND,
      promised:
        'gone within 2.0 s of expiry, if written before the minute in which they expire; items written later: at the next read, at most 5 s later',
    },
  ],
  [
    'by second, an existing table with a sort key, an archive, and events on a bus',
    [
      {
        ...{ ...SESSION_DATA, existingTable: true, index: { by: 'second' } },
        archive: true,
        events: { to: 'arn:aws:events:us-east-1:123456789012:event-bus/own-bus' },
      },
    ],
    {
      ...withMargin(TO_THE_SECOND),
      says: [
        ...FOLLOWED,
        'swept as the existing SessionData\n',
        'to event-bus/own-bus, for which this run stands',
      ],
    },
  ],
  [
    'an existing table by second, once a minute',
    [{ ...TOKENS, existingTable: true, index: { by: 'second' }, precision: 'minute' }],
    BY_MINUTE,
  ],
  [
    'the first of two tables; an existing one with keys of two types, in batches once a minute',
    [
      {
        ...SESSION_DATA,
        existingTable: true,
        partitionKey: { name: 'UserName', type: 'N' },
        sortKey: { name: 'SessionId', type: 'B' },
        index: { shards: 4 },
        deleteMode: 'batch',
        precision: 'minute',
      },
      TOKENS,
    ],
    {
      ...BY_MINUTE,
      says: ['the existing SessionData, one of the 2 tables of the configuration (--table)\n'],
    },
  ],
])('%s', async (_name, tables, { promised, says = [] }) => {
  const { result, violations, doubts, printed } = await runJob(tables, { rate: 1 });
  expect({ violations, doubts, verdict: result.verdict }).toEqual({
    violations: [],
    doubts: [],
    verdict: 'kept',
  });
  expect(EXIT_STATUS[result.verdict as 'kept']).toBe(0);
  expect(result.deleted).toBeGreaterThan(20);
  expect(printed).toContain(` ${promised}\n`);
  expect(printed).toMatch(
    /24 sessions expired while nobody swept\.[\s\S]*24 expired sessions, gone in \d+\.\d s\n/,
  );
  expect(result.backlog).toMatchObject({ items: 24, deleted: 24 });
  for (const text of says) expect(printed).toContain(text);
  expect(printed.includes('deletes what expires in the minute that runs')).toBe(
    !promised.includes('one sweep a minute'),
  );
  expect(printed).toContain('Every promise was kept.');
});

test('--archive gives an archive and events to a table whose configuration names neither', async () => {
  const { result, violations, doubts, printed } = await runJob([SESSION_DATA], {
    archive: true,
    rate: 1,
  });
  expect({ violations, doubts, verdict: result.verdict }).toEqual({
    violations: [],
    doubts: [],
    verdict: 'kept',
  });
  const { deleted, promises } = result;
  expect(promises.find(({ name }) => name === 'eventOfEach')?.got).toBe(2 * deleted);
  expect(deleted).toBeGreaterThan(20);
  for (const text of FOLLOWED) expect(printed).toContain(text);
});
