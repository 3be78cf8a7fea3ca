/** @jest-environment ./test/support/dynamodb-environment.ts */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: names that look like Terraform's templates

import { command as status } from '../../cli/status.ts';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { type PreciseTtlProps, resolveProps } from '../../stacks/config/props.ts';
import { configOf } from '../support/configs.ts';
import { type Item, useLocalSweep } from '../support/local-sweep.ts';
import { ran } from '../support/ran.ts';

/** Names that Terraform, PartiQL and JSONata could each take for something else. */
const odd = (tableName: string, props: Partial<PreciseTtlProps>): PreciseTtlProps => ({
  tableName,
  partitionKey: 'a"b\\c\nd',
  sortKey: '${e}',
  ttlAttribute: '%{if true}$${f}',
  index: { name: '-1.x' },
  ...props,
});
const BY_WINDOW = { index: { attribute: " {% g' %} " } };
const BY_SECOND = { index: { by: 'second' } } as const;
const TABLES = [
  odd('1st', { ...BY_WINDOW, deleteMode: 'guarded' }),
  odd('-2nd', { ...BY_SECOND, deleteMode: 'batch' }),
];

const local = useLocalSweep(TABLES, { functions: { maxConcurrency: 1 } });

test.each(TABLES)('$tableName is shown by status, and swept in $deleteMode mode', async props => {
  const { tableName, partitionKey, sortKey = '', ttlAttribute = '' } = resolveProps(props);
  const nowMs = Date.now();
  const item = (id: string, ttlSeconds: number): Item => {
    const key = { [partitionKey]: id, [sortKey]: '"\\' };
    return {
      ...key,
      ...expiryAttributes(local.model(tableName), key, { ttlSeconds, nowMs: nowMs - 60_000 }),
    };
  };
  // Without a window it is not in the index.
  const plain = {
    [partitionKey]: 'plain',
    [sortKey]: '"\\',
    [ttlAttribute]: Math.floor(nowMs / 1_000) - 300,
  };
  await local.put(tableName, [item('expired', 1), item('live', 3600), plain]);
  const refuse = { send: () => Promise.reject(Object.assign(new Error('no'), { name: 'TimeoutError' })) };
  const clients = { documents: local.documents, scheduler: refuse, cloudWatch: refuse } as never;
  const shown = await ran(status, [], { config: configOf(props), clients });
  expect(shown.data).toMatchObject({
    tables: [
      local.model(tableName).indexedBy === 'second'
        ? { overdue: { items: 2 }, left: { read: 3, unseen: 0 } }
        : { overdue: { items: 1 }, left: { read: 3, unseen: 1 } },
    ],
  });
  const iso = (ms: number) => new Date(ms).toISOString();
  const { report } = await local.sweep(tableName, { from: iso(nowMs - 90_000), to: iso(nowMs - 30_000) });
  expect(report).toMatchObject({ found: 1, deleted: 1, failed: 0, failedKeys: [] });
  const left = await local.scan(tableName);
  expect(left.map(each => each[partitionKey]).sort()).toEqual(['live', 'plain']);
  expect(left[0]).toHaveProperty([ttlAttribute], expect.any(Number));
});
