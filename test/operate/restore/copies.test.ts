import { copyOf, markOf, objectsOf, type StoredKey } from '../../../functions/delete-chunk/copies.ts';
import { linesOf } from '../../../operate/archive/archived-lines.ts';
import { readImage, readMark } from '../../../operate/restore/archived-image.ts';
import { archiveSettings } from '../../support/archived.ts';
import { settingsOf } from '../../support/sweep-settings.ts';

const NONE = { text: '', where: '' };
const TTL = Date.parse('2026-11-20T09:00:00Z') / 1000;
const archive = archiveSettings({ tableName: 'Sessions' });
const settings = { ...settingsOf({ tableName: 'Sessions', partitionKey: 'id' }), ...archive };

test('restore reads the copies and marks that archiveFirst writes', () => {
  const expired = { key: { id: { S: 'a' } }, ttl: TTL };
  const image = { id: { S: 'a' }, ttl: { N: String(TTL) }, bytes: { B: 'AP8=' } };
  const copy = copyOf({ expired, image }, settings);
  const mark = markOf(expired, { ttl: TTL, kept: 'renewed', copy: 'a/b.jsonl.gz' as StoredKey }, settings);
  const [copies, marks] = objectsOf([copy, mark], archive, 'Sessions').map(({ object }) => object);
  expect(copies?.key).toMatch(/^Sessions\/before_deletion\/expired_date=2026-11-20\/\w+\.jsonl\.gz$/);
  expect(marks?.key).toMatch(/^Sessions\/kept\/expired_date=2026-11-20\/\w+\.jsonl\.gz$/);
  const line = (body: Uint8Array = new Uint8Array()) => linesOf(body, 'the object')[0] ?? NONE;
  const of = { id: '[["S","a"]]', expiredAt: '2026-11-20T09:00:00.000Z' };
  expect(readImage(line(copies?.body), settings.model)).toEqual({
    ...{ ...of, key: expired.key, deletedAt: undefined },
    item: image,
  });
  expect(readMark(line(marks?.body), settings.model)).toEqual({ ...of, copy: 'a/b.jsonl.gz' });
});
