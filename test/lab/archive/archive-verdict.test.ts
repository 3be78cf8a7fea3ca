import { type ArchiveEvidence, judgeArchive } from '../../../lab/archive/archive-verdict.ts';
import { EXPIRIES, evidence, idOf, imageOf, line, OTHERS, object, textOf } from './evidence.ts';

const first = object(`${EXPIRIES}100-200.jsonl.gz`, [line('1'), line('2')]);
const other = object(`${OTHERS}300-300.jsonl.gz`, [line('3', { removal: 'other' })]);
const [removal1, removal2, removal3] = evidence().removals;

test('nothing is wrong with an archive that has each item once', () => {
  expect(judgeArchive(evidence())).toEqual({
    counts: { expiries: 2, userDeletes: 1, alive: 1, objects: 2, objectsTwice: 0, lines: 3, linesTwice: 0 },
    problems: [],
  });
});

test('what is written twice is counted, and no problem while it is the same', () => {
  const objects = [first, other, object(`${EXPIRIES}200-200.jsonl.gz`, [line('2')])];
  expect(judgeArchive(evidence({ objects }))).toEqual({
    counts: expect.objectContaining({ objects: 3, objectsTwice: 1, lines: 4, linesTwice: 1 }),
    problems: [],
  });
});

test('a key that expired twice is in the archive twice', () => {
  const again = { expiredAt: '2026-11-22T03:00:01.000Z', sequenceNumber: '400', id: 'event-4' };
  const [id, text] = [idOf('1', again.expiredAt), textOf('1')];
  const given = evidence();
  expect(
    judgeArchive({
      ...given,
      expired: new Map([...given.expired, [id, text]]),
      removals: [
        ...given.removals,
        { ...(removal1 as object), life: { id, text }, sequenceNumber: '400' } as never,
      ],
      objects: [...given.objects, object(`${EXPIRIES}400-400.jsonl.gz`, [line('1', again)])],
    }),
  ).toEqual({ counts: expect.objectContaining({ expiries: 3, lines: 4, linesTwice: 0 }), problems: [] });
});

const archive = (...lines: readonly object[]) => [object(`${EXPIRIES}100-200.jsonl.gz`, lines), other];

test.each<[string, Partial<ArchiveEvidence>, string]>([
  ['lacks an expired item', { objects: archive(line('1')) }, 'expired items are not in the archive'],
  ['lacks a user delete', { objects: [first] }, 'items that users deleted are not in the archive'],
  [
    'has an item that is alive',
    { objects: [first, other, object(`${EXPIRIES}400-400.jsonl.gz`, [line('4')])] },
    'items in the archive are alive',
  ],
  [
    'has an item that nobody wrote',
    { objects: [first, other, object(`${EXPIRIES}500-500.jsonl.gz`, [line('5')])] },
    'were never written so',
  ],
  [
    'calls a user delete an expiry',
    { objects: [first, object(`${EXPIRIES}300-300.jsonl.gz`, [line('3')])] },
    'removals are not told apart',
  ],
  [
    'calls an expiry a user delete',
    {
      objects: [
        archive(line('1'))[0] as never,
        object(`${OTHERS}200-300.jsonl.gz`, [
          line('2', { removal: 'other' }),
          line('3', { removal: 'other' }),
        ]),
      ],
    },
    'removals are not told apart',
  ],
  [
    'has an expiry among other removals',
    { objects: [object(`${OTHERS}100-200.jsonl.gz`, [line('1'), line('2')]), other] },
    'lines lie in the wrong partition',
  ],
  [
    'has an expiry under another date',
    { objects: [object('Sessions/expired_date=2026-11-21/100-200.jsonl.gz', [line('1'), line('2')]), other] },
    'lines lie in the wrong partition',
  ],
  [
    'has another image, in the last of 38 digits',
    {
      expired: new Map([
        [idOf('1'), textOf('1', '12345678901234567890123456789012345678')],
        [idOf('2'), textOf('2')],
      ]),
      objects: archive(
        line('1', { item: imageOf('1', '12345678901234567890123456789012345679') }),
        line('2'),
      ),
    },
    'images are not what was written',
  ],
  [
    'has a line twice that differs',
    { objects: [first, other, object(`${EXPIRIES}200-200.jsonl.gz`, [line('2', { id: 'another' })])] },
    'have lines that differ',
  ],
  [
    'has a line twice in an object',
    { objects: archive(line('1'), line('2'), line('2')) },
    'twice in one object',
  ],
  [
    'has an object that is cut off',
    { objects: [[first[0], first[1].subarray(0, 20)], other] },
    'objects cannot be read',
  ],
  [
    'has a line of another record',
    { objects: archive(line('1', { sequenceNumber: '101' }), line('2')) },
    'another sequence number or time',
  ],
  [
    'has a line of another time',
    { objects: archive(line('1', { deletedAt: '2026-11-22T03:00:03.000Z' }), line('2')) },
    'another sequence number or time',
  ],
  [
    'lost a removal in the stream',
    { removals: [removal1, removal3] as never },
    'the stream does not tell of it',
  ],
  [
    'lost a live item',
    { removals: [removal1, removal2, removal3, { ...removal1, life: { id: idOf('9'), text: '' } }] as never },
    'items were removed that should be there',
  ],
])('fails an archive that %s', (_case, overrides, sentence) => {
  const { problems } = judgeArchive(evidence(overrides));
  expect(problems.join('\n')).toContain(sentence);
});
