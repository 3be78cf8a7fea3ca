import { compressed } from '../../../functions/archive/archive-object.ts';
import { copyFaults, storedLines } from '../../../lab/ledger/copies.ts';

const line = (id: string, more: object = {}) => ({
  table: 'T',
  key: { id: { S: id } },
  expiredAt: '2026-11-22T10:00:00.000Z',
  ...more,
});
const item = (id: string, tags = ['x', 'y']) => ({ id: { S: id }, tags: { SS: tags } });
const object = (key: string, ...lines: object[]) =>
  [key, compressed(lines.map(each => JSON.stringify(each)))] as const;
const deleted = (id: string, tags?: string[]) => ({ ...line(id), item: item(id, tags) });

const COPIES = object(
  'T/before_deletion/expired_date=2026-11-22/1.jsonl.gz',
  ...['a', 'b'].map(id => line(id, { item: item(id) })),
);
const mark = (copy: string | null, more: object = {}) =>
  object('T/kept/expired_date=2026-11-22/2.jsonl.gz', line('b', { kept: 'renewed', copy, ...more }));

test.each([
  ['all deleted as they were copied', [COPIES], [deleted('a'), deleted('b')], [], []],
  ['a set in another order', [COPIES], [deleted('a', ['y', 'x']), deleted('b')], [], []],
  ['deleted with another value', [COPIES], [deleted('a', ['z']), deleted('b')], ['a'], []],
  ['deleted without a copy', [COPIES], [deleted('a'), deleted('b'), deleted('c')], ['c'], []],
  ['kept without a mark', [COPIES], [deleted('a')], [], ['b']],
  ['kept with a mark', [COPIES, mark(null)], [deleted('a')], [], []],
  ['kept with a mark of this object', [COPIES, mark(COPIES[0])], [deleted('a')], [], []],
  [
    'kept with a mark of another object',
    [COPIES, mark('T/before_deletion/other')],
    [deleted('a')],
    [],
    ['b'],
  ],
  ['kept with a mark of another expiry', [COPIES, mark(null, { expiredAt: '' })], [deleted('a')], [], ['b']],
  [
    'with lines of the archive itself',
    [COPIES, object('T/expired_date=2026-11-22/3', {})],
    [deleted('a'), deleted('b')],
    [],
    [],
  ],
])('%s', (_name, objects, deletions, withoutCopy, withoutMark) => {
  const faults = copyFaults(storedLines(objects), deletions);
  const ids = (lines: readonly { readonly key: object }[]) =>
    lines.map(({ key }) => (key as { id: { S: string } }).id.S);
  expect([ids(faults.deletedWithoutCopy), ids(faults.keptWithoutMark)]).toEqual([withoutCopy, withoutMark]);
});
