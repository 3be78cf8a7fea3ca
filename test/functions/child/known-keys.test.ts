import fc from 'fast-check';
import { expiryModel } from '../../../expiry/model.ts';
import { knownKeys, knownOf } from '../../../functions/child/known-keys.ts';
import { afterPage, startPoll } from '../../../functions/child/poll.ts';
import { readPage } from '../../../functions/query-expired/read-page.ts';
import { indexLayout } from '../../../functions/table/index-layout.ts';
import type { ReadIndex } from '../../../functions/table/index-query.ts';
import type { KeyRead } from '../../../statemachine/contract/child.ts';
import { CHILD_PROGRESS_CHARACTERS } from '../../../statemachine/contract/limits.ts';
import type { SweepTarget } from '../../../statemachine/contract/targets.ts';

const SHARDS = 1000;
const MIDNIGHT = Date.parse('2026-11-21T00:00:00Z') / 1000;
const DAY = 86_400;

/** The minute that begins at midnight, which is in two windows of a day, with all shards in one child. */
const TARGET: SweepTarget = {
  windows: [MIDNIGHT - DAY, MIDNIGHT].map(start => ({ start, shards: `0-${SHARDS - 1}` })),
  from: MIDNIGHT - DAY,
  before: MIDNIGHT + 60,
  upcomingFrom: MIDNIGHT,
};
const PACE = { precisionSeconds: 1, pollSeconds: 0 };

/** @param nextOf TTL of the one entry that a key has, by how many keys were asked before it; undefined: it has none */
async function pollOf(nextOf: (asked: number) => number | undefined) {
  let asked = 0;
  const readIndex: ReadIndex = async () => {
    const ttl = nextOf(asked);
    asked += 1;
    const key = { id: { S: 'some' } };
    const entries = ttl === undefined ? [] : [{ key, ttl }];
    return { entries, positions: entries.map(() => key), more: false, readAt: MIDNIGHT };
  };
  const page = await readPage(TARGET, startPoll(TARGET), {
    layout: indexLayout(expiryModel({ partitionKey: 'id', shards: SHARDS })),
    readIndex,
    pace: PACE,
    machineClock: () => MIDNIGHT * 1000,
    maxKeys: 1000,
    outOfTime: () => false,
  });
  return { poll: afterPage(startPoll(TARGET), TARGET, page, PACE), asked };
}

test('a thousand idle shards in two windows take next to nothing of what a child carries', async () => {
  const { poll, asked } = await pollOf(() => undefined);
  expect(asked).toBe(2 * SHARDS);
  expect(JSON.stringify(poll).length).toBeLessThan(1000);
});

test('a thousand shards that all hold something of the minute have room in it', async () => {
  const { poll } = await pollOf(asked => MIDNIGHT + 1 + ((asked * 7) % 59));
  expect(JSON.stringify(poll).length).toBeLessThan(CHILD_PROGRESS_CHARACTERS / 4);
});

test('what is known of each key is the same, whatever it is carried as', () => {
  const second = fc.integer({ min: MIDNIGHT, max: MIDNIGHT + 5 });
  const read = fc.record<KeyRead>(
    {
      seen: second,
      next: fc.option(second),
      planned: fc.array(fc.record({ key: fc.constant({ id: { S: 'a' } }), ttl: second }), { maxLength: 2 }),
    },
    { requiredKeys: ['seen', 'next'] },
  );
  const keys = fc.dictionary(fc.integer({ min: 0, max: 30 }).map(String), read);
  fc.assert(fc.property(keys, reads => expect(knownOf(knownKeys(reads))).toEqual(reads)));
});
