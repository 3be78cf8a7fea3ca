/** @jest-environment ./test/support/dynamodb-environment.ts */
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { seededRandom } from 'stepfunctions-emulator';
import { type KeyType, type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { OLDEST_EXPIRY_AGE_SECONDS } from '../../expiry/ttl.ts';
import { withExpiry } from '../../expiry/update.ts';
import { windowKey } from '../../expiry/window.ts';
import { FaultCounter, type FaultRates, faultyInvocations, SeededFaults } from '../../lab/faults/index.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { hurried, useFaultySweep } from '../lab/faults/faulty-sweep.ts';
import type { Item } from '../support/local-sweep.ts';

const table = (props: Partial<PreciseTtlProps>, index: number): PreciseTtlProps => ({
  tableName: `Table-${index}`,
  partitionKey: 'pk',
  // The plain mode: a sweep waits for nothing.
  precisionSeconds: 60,
  ...props,
});

const TABLES = (
  [
    {},
    {
      partitionKey: { name: 'pk', type: 'N' },
      sortKey: { name: 'sk', type: 'B' },
      index: { granularityMinutes: 5, shards: 3 },
    },
    {
      partitionKey: { name: 'pk', type: 'B' },
      ttlAttribute: 'expires',
      index: { attribute: 'w', granularityMinutes: 60, shards: 2 },
    },
    { sortKey: { name: 'sk', type: 'N' }, index: { shards: 4 }, deleteMode: 'batch' },
    { partitionKey: { name: 'pk', type: 'N' }, index: { granularityMinutes: 15 }, deleteMode: 'batch' },
    { index: { by: 'second' }, sortKey: { name: 'sk', type: 'B' }, ttlAttribute: 'expires' },
    { index: { by: 'second' }, partitionKey: { name: 'pk', type: 'N' }, deleteMode: 'batch' },
  ] as const
).map(table);

// A wait for capacity takes milliseconds.
const local = useFaultySweep(TABLES, {
  clock: hurried(50),
  settings: { deleteAttempts: 4, backoffCapSeconds: 1 },
});

/** Of one item: when it expires, how it was stamped, and what became of it after the index was last read. */
const item = fc.record({
  /** In spans (see below) from now, or in some that are longer: what runs before have left must not expire in a later one either. */
  expires: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -1000, max: -1 }).map(thousandths => thousandths / 1000) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 10 }) },
  ),
  /** On the edge of a window, where the two ways to stamp differ. */
  onEdge: fc.boolean(),
  fraction: fc.constantFrom(0, 0, 0, 0.5),
  olderStamp: fc.boolean(),
  ancient: fc.integer({ min: 0, max: 19 }).map(drawn => drawn === 0),
  change: fc.constantFrom('none', 'none', 'none', 'none', 'renew', 'makePermanent', 'delete', 'writeAgain'),
});

const share = (max: number, min = 0) =>
  fc.integer({ min: min * 100, max: max * 100 }).map(percent => percent / 100);
const rates: fc.Arbitrary<FaultRates> = fc.record({
  // The SDK waits for half a second when a query is throttled, and a tenth when it is cut off.
  throttled: share(0.05),
  unavailable: share(0.1),
  unprocessed: share(0.3),
  refusedKeys: share(0.1),
  cutBefore: share(0.05),
  cutAfter: share(0.1),
  // Enough that a single run has some that bring back a renewed item.
  stale: share(0.3, 0.15),
  crashBefore: share(0.1),
  crashAfter: share(0.1),
  duplicate: share(0.2),
});

const run = fc.record({
  items: fc.array(item, { minLength: 20, maxLength: 40, size: 'max' }),
  rates,
  seed: fc.integer(),
  scans: fc.boolean(),
});

type ItemPlan = typeof item extends fc.Arbitrary<infer T> ? T : never;

/** Runs for each table: PROPERTY_RUNS=20 looks longer. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 1);

let runs = 0;

describe.each(TABLES)('$tableName: any items, stamps, changes and faults', given => {
  const props = resolveProps(given);
  const { tableName, deleteMode, indexedBy } = props;
  const bySecond = indexedBy === 'second';
  const granularity = bySecond ? 1 : props.granularityMinutes * 60;
  /** Seconds back from now in which items have expired: a few windows. By second each of them is a query. */
  const span = bySecond ? 30 : Math.max(300, 2 * granularity);
  const spanAhead = Math.max(span, 3600);

  function keyOf(index: number): Item {
    const value = (type: KeyType = 'S') =>
      type === 'N'
        ? runs * 1000 + index
        : type === 'B'
          ? Buffer.from(`${runs}-${index}`)
          : `${runs}-${index}`;
    return {
      pk: value(props.partitionKeyType),
      ...(props.sortKey ? { [props.sortKey]: value(props.sortKeyType) } : {}),
    };
  }

  function stamped(
    index: number,
    { expires, onEdge, fraction, olderStamp, ancient }: ItemPlan,
    now: number,
  ): Item {
    const model = local.model(tableName);
    const near = now + Math.floor(expires * (expires < 0 ? span : spanAhead)) + fraction;
    const edge = Math.floor(near / granularity) * granularity;
    const expiresAt = onEdge && Math.abs(edge - now) > 60 ? edge : near;
    const ttl = ancient ? now - OLDEST_EXPIRY_AGE_SECONDS - 1000 : expiresAt;
    const key = keyOf(index);
    if (model.windowAttribute === undefined) return { ...key, [model.ttlAttribute]: ttl };
    const start = olderStamp
      ? Math.ceil(ttl / granularity) * granularity - granularity
      : Math.floor(ttl / granularity) * granularity;
    const plain = windowKey(start, granularity);
    const ours = expiryAttributes(model, key, { expiresAt: now + 1 })[model.windowAttribute];
    const shard = /#\d+$/.exec(String(ours))?.[0] ?? '';
    return { ...key, [model.ttlAttribute]: ttl, [model.windowAttribute]: plain + (olderStamp ? '' : shard) };
  }

  /** after the index was last read: what a stale answer says of these items is not true any more. */
  async function change(index: number, kind: ItemPlan['change']): Promise<void> {
    const model = local.model(tableName);
    const request = { TableName: tableName, Key: keyOf(index) };
    const update = (ttlSeconds: number) =>
      local.documents.send(new UpdateCommand(withExpiry(model, request, { ttlSeconds })));
    const remove = () => local.documents.send(new DeleteCommand(request));
    // An unguarded delete takes an entry's word for it: batch mode is for tables without renewals.
    if (kind === 'delete' || (deleteMode === 'batch' && kind !== 'none')) await remove();
    else if (kind === 'renew') await update(4000);
    else if (kind === 'makePermanent') await update(0);
    else if (kind === 'writeAgain') {
      await remove();
      const Item = { ...request.Key, ...expiryAttributes(model, request.Key, { ttlSeconds: 4000 }) };
      await local.documents.send(new PutCommand({ TableName: tableName, Item }));
    }
  }

  test('what expired is gone after the sweep and its replays, what lives stays, the counts add up', async () => {
    await fc.assert(
      fc.asyncProperty(run, async ({ items, rates, seed, scans }) => {
        runs += 1;
        const now = Math.floor(Date.now() / 1000);
        const { ttlAttribute } = local.model(tableName);
        const replayed = {
          from: new Date((now - 2 * span) * 1000).toISOString(),
          to: new Date((now + 9e4) * 1000).toISOString(),
        };
        const input = scans ? { scanIndex: true } : replayed;
        // By second no replay asks for a TTL with a fraction. A scan finds those that have been due for a while.
        const isOutOfReach = ({ [ttlAttribute]: ttl }: Item) => bySecond && !Number.isInteger(Number(ttl));
        const isLive = ({ [ttlAttribute]: ttl }: Item) =>
          ttl === undefined || Number(ttl) > now || Number(ttl) < now - OLDEST_EXPIRY_AGE_SECONDS;
        const ids = (all: readonly Item[]) => all.map(one => JSON.stringify(one)).sort();

        await local.put(
          tableName,
          items.map((plan, index) => stamped(index, plan, now)),
        );
        await local.sweep(tableName, { ...replayed, dryRun: true });
        for (const [index, plan] of items.entries()) await change(index, plan.change);
        const before = await local.scan(tableName);

        const faults = new SeededFaults({ seed, rates });
        const random = seededRandom(seed);
        // By second a sweep makes dozens of queries for one by window: as many of them fail. A stale answer keeps no one waiting.
        local.choose = call => {
          // The journal's own writes: an execution that cannot make them fails without a report.
          if (JSON.stringify(call.body).includes('-journal')) return undefined;
          const fault = faults.choose(call);
          const isFailure = call.operation === 'Query' && fault?.effect.kind !== 'stale';
          return bySecond && isFailure && random.next() > 0.05 ? undefined : fault;
        };
        local.wrap = faultyInvocations({
          random: seededRandom(seed),
          rates: () => rates,
          counter: new FaultCounter(),
        });
        for (let attempt = 0; attempt < 2; attempt += 1) {
          const { execution, report } = await local.sweep(tableName, input);
          if (execution.status === 'SUCCEEDED' || execution.error === 'SweepIncompleteError') {
            expectCountsToAddUp(report);
          }
          // Whatever happened, nothing that lives is ever gone.
          expect(ids((await local.scan(tableName)).filter(isLive))).toEqual(ids(before.filter(isLive)));
        }

        local.choose = () => undefined;
        local.wrap = (_call, next) => next();
        const replay = await local.sweep(tableName, replayed);
        expect(replay.execution.status).toBe('SUCCEEDED');
        expectCountsToAddUp(replay.report);
        const left = await local.scan(tableName);
        const inReach = (all: readonly Item[]) => all.filter(one => isLive(one) || !isOutOfReach(one));
        expect(ids(inReach(left))).toEqual(ids(before.filter(isLive)));
        if (!scans) expect(ids(left)).toEqual(ids(before.filter(one => isLive(one) || isOutOfReach(one))));

        const again = await local.sweep(tableName, replayed);
        expect(again.report).toMatchObject({ found: 0, deleted: 0, renewed: 0, notFound: 0, failed: 0 });
        expect(ids(await local.scan(tableName))).toEqual(ids(left));
      }),
      // Each run takes most of a second: the seed and the case are worth more than a smaller case.
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});

function expectCountsToAddUp({ found, deleted, renewed, notFound, failed }: SweepReport): void {
  expect(deleted + renewed + notFound + failed).toBe(found);
}
