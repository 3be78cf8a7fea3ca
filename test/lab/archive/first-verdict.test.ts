import { type FirstEvidence, judgeFirst } from '../../../lab/archive/first-verdict.ts';
import { EXPIRED_AT, idOf, imageOf, keyOf, object, textOf } from './evidence.ts';

const COPIES = 'Sessions/before_deletion/expired_date=2026-11-22/a.jsonl.gz';
const MARKS = 'Sessions/kept/expired_date=2026-11-22/b.jsonl.gz';

const copy = (id: string, value?: string) => ({
  ...{ table: 'Sessions', key: keyOf(id), expiredAt: EXPIRED_AT, item: imageOf(id, value) },
});
const mark = (id: string, of: string | null = COPIES) => ({
  ...{ table: 'Sessions', key: keyOf(id), expiredAt: EXPIRED_AT, kept: 'renewed', copy: of },
});
const life = (id: string, value?: string) => ({ id: idOf(id), text: textOf(id, value) });

/** 1 was copied and deleted, 2 was copied and renewed, 3 was never expired. */
function evidence(overrides: Partial<FirstEvidence> = {}): FirstEvidence {
  return {
    objects: [object(COPIES, [copy('1'), copy('2')]), object(MARKS, [mark('2')])],
    puts: [
      { key: COPIES, turn: 1 },
      { key: MARKS, turn: 5 },
    ],
    swept: [{ life: life('1'), turn: 2 }],
    removed: [life('1')],
    alive: new Set([idOf('2', '2026-11-23T03:00:00.000Z'), idOf('3')]),
    expired: new Set([idOf('1')]),
    kills: [],
    ends: [9],
    ...overrides,
  };
}

test('nothing is wrong when the copy was there first, and what was renewed is marked', () => {
  expect(judgeFirst(evidence())).toEqual({
    counts: { deleted: 1, alive: 2, copies: 2, marks: 1, keptCopies: 1, unmarkedByKill: 0 },
    problems: [],
  });
});

test('a mark of a retry that does not know the copy is enough', () => {
  const objects = [object(COPIES, [copy('1'), copy('2')]), object(MARKS, [mark('2', null)])];
  expect(judgeFirst(evidence({ objects })).problems).toEqual([]);
});

const unmarked = { objects: [object(COPIES, [copy('1'), copy('2')])] };

test('a copy of an execution that was killed may have no mark, and is counted', () => {
  const { counts, problems } = judgeFirst(evidence({ ...unmarked, kills: [4] }));
  expect({ problems, unmarked: counts.unmarkedByKill }).toEqual({ problems: [], unmarked: 1 });
});

test.each<[string, Partial<FirstEvidence>, string]>([
  ['put the copy after the delete', { puts: [{ key: COPIES, turn: 3 }] }, 'before S3 had answered'],
  ['put a copy that S3 never answered', { puts: [] }, 'before S3 had answered'],
  ['put no copy', { objects: [object(MARKS, [mark('2')])] }, 'before S3 had answered'],
  [
    'deleted the item as it was not copied',
    { swept: [{ life: life('1', '2'), turn: 2 }], removed: [life('1', '2')] },
    'before S3 had answered',
  ],
  ['has no mark', unmarked, 'have no mark'],
  ['had ended before the kill, and put no mark', { ...unmarked, kills: [10] }, 'have no mark'],
  [
    'has a mark of another copy',
    { objects: [object(COPIES, [copy('1'), copy('2')]), object(MARKS, [mark('2', 'another')])] },
    'have no mark',
  ],
  [
    'marked as kept what was deleted',
    { objects: [object(COPIES, [copy('1'), copy('2')]), object(MARKS, [mark('1'), mark('2')])] },
    'just what was deleted',
  ],
  ['deleted past whoever watches', { swept: [] }, 'not those that were watched'],
  ['was told of a delete that did not happen', { removed: [] }, 'the stream does not tell of'],
  ['left an expired item', { expired: new Set([idOf('1'), idOf('3')]) }, 'expired items are left'],
  ['has an item that was removed', { alive: new Set([idOf('1')]) }, 'that the stream calls removed'],
  [
    'put something else',
    { objects: [...evidence().objects, object('Sessions/expired_date=2026-11-22/c.jsonl.gz', [])] },
    'neither copies nor marks',
  ],
])('fails a sweep that %s', (_case, overrides, sentence) => {
  expect(judgeFirst(evidence(overrides)).problems.join('\n')).toContain(sentence);
});
