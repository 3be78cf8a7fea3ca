import fc from 'fast-check';
import { VirtualClock } from 'stepfunctions-emulator';
import type { FunctionResult } from '../../../stepfunctions-emulator/src/index.ts';
import { checkpointsInMemory } from '../../src/streams/checkpoints.ts';
import { readFilter } from '../../src/streams/mapping-settings.ts';
import { CRASHED, DONE, type FakeShard, failedAt, number, polled, THROTTLED } from './fake-stream.ts';

/** What becomes of an invocation. `killed`: the process ends before it can note the answer. */
type Fate = 'done' | 'crashed' | 'throttled' | 'killed' | 'malformed' | { readonly failedFrom: number };

const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Fate>('done', 'crashed', 'throttled', 'killed', 'malformed') },
  { weight: 1, arbitrary: fc.record({ failedFrom: fc.nat(9) }) },
);

const scenario = fc.record({
  /** Of each shard: its parent, as an index before its own, and which of its records are removals. */
  shards: fc.array(
    fc.record({ parent: fc.option(fc.nat(3)), removals: fc.array(fc.boolean(), { maxLength: 15 }) }),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
  fates: fc.array(fate, { maxLength: 25 }),
  batchSize: fc.integer({ min: 1, max: 6 }),
  batchingWindowSeconds: fc.constantFrom(0, 3),
  bisects: fc.boolean(),
  maximumRetryAttempts: fc.option(fc.nat(2), { nil: undefined }),
});

const wanted = ({ records, eventNames }: FakeShard) =>
  records.filter(each => eventNames?.[each] === 'REMOVE');

test('whatever fails and is killed: every record is handed over, in order, and settled', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ shards: given, fates, maximumRetryAttempts, ...settings }) => {
      const shards = given.map(({ parent, removals }, index): FakeShard => {
        const records = removals.map((_unused, at) => number(100 * (index + 1) + at));
        const eventNames = records.map((each, at) => [each, removals[at] ? 'REMOVE' : 'INSERT'] as const);
        return {
          id: `shard-${index}`,
          ...(parent !== null && parent < index && { parentId: `shard-${parent}` }),
          records,
          isOpen: false,
          eventNames: Object.fromEntries(eventNames),
        };
      });
      const checkpoints = checkpointsInMemory();
      const script = [...fates];
      const firstSeen: string[] = [];
      const settled = new Set<string>();
      /** By record: what is settled when it is first handed over. */
      const settledBefore = new Map<string, ReadonlySet<string>>();
      const note = (batch: readonly string[]) => {
        for (const each of batch) {
          if (settledBefore.has(each)) continue;
          firstSeen.push(each);
          settledBefore.set(each, new Set(settled));
        }
      };
      for (let isKilled = true, start = 0; isKilled; start += 1e6) {
        isKilled = false;
        const clock = new VirtualClock(start);
        const killed = Promise.withResolvers<void>();
        const { poller } = polled(shards, clock, {
          checkpoints,
          settings: {
            ...settings,
            maximumRetryAttempts,
            reportsItemFailures: true,
            filters: [readFilter('{"eventName":["REMOVE"]}')],
          },
          discard: async ({ records }) => {
            for (const { dynamodb } of records) settled.add(dynamodb.SequenceNumber);
          },
          answer: (batch): FunctionResult | Promise<FunctionResult> => {
            note(batch);
            const next = script.shift() ?? 'done';
            const settle = (upTo: number) => {
              for (const each of batch.slice(0, upTo)) settled.add(each);
            };
            if (next === 'killed') {
              isKilled = true;
              killed.resolve();
              return new Promise(() => {});
            }
            if (next === 'crashed') return CRASHED;
            if (next === 'throttled') return THROTTLED;
            if (next === 'malformed') return failedAt('');
            if (next === 'done') {
              settle(batch.length);
              return DONE;
            }
            const at = next.failedFrom % batch.length;
            settle(at);
            return failedAt(batch[at]);
          },
        });
        poller.start();
        await Promise.race([killed.promise, clock.sleep(900_000)]);
        if (!isKilled) await poller.stop();
      }
      for (const shard of shards) {
        const all = wanted(shard);
        expect(firstSeen.filter(each => all.includes(each))).toEqual(all);
        expect(all.filter(each => !settled.has(each))).toEqual([]);
        // A poller that is killed here goes on to read, and may keep the times of what it read.
        expect(checkpoints.get(shard.id)).toMatchObject({ isEnd: true });
        const parent = shards.find(({ id }) => id === shard.parentId);
        for (const each of parent ? all : []) {
          expect(wanted(parent as FakeShard).filter(one => !settledBefore.get(each)?.has(one))).toEqual([]);
        }
      }
    }),
    { numRuns: 60 },
  );
}, 60_000);
