import {
  type ArchiveSettings,
  readArchiveSettings,
  toArchiveEnvironment,
} from '../../../functions/archive/settings.ts';
import { InvalidEnvironmentError } from '../../../functions/runtime/errors.ts';

const SETTINGS: ArchiveSettings = {
  archiveBucket: 'my-archive',
  archivePrefix: 'expired/',
  archiveFormat: 'dynamodb-json',
  archiveRemovals: 'expiries',
};
const ENV = toArchiveEnvironment(SETTINGS, value => value);

test('reads what it writes', () => {
  expect(ENV).toEqual({
    ARCHIVE_BUCKET: 'my-archive',
    ARCHIVE_PREFIX: 'expired/',
    ARCHIVE_FORMAT: 'dynamodb-json',
    ARCHIVE_REMOVALS: 'expiries',
  });
  expect(readArchiveSettings(ENV)).toEqual(SETTINGS);
});

test('an empty prefix is no variable', () => {
  const without = { ...SETTINGS, archivePrefix: '' };
  const env = toArchiveEnvironment(without, value => value);
  expect(env).not.toHaveProperty('ARCHIVE_PREFIX');
  expect(readArchiveSettings(env)).toEqual(without);
  expect(readArchiveSettings({ ...env, ARCHIVE_PREFIX: '' })).toEqual(without);
});

test.each([
  ['ARCHIVE_BUCKET', undefined],
  ['ARCHIVE_BUCKET', ''],
  ['ARCHIVE_BUCKET', 'My_Bucket'],
  ['ARCHIVE_PREFIX', '/expired'],
  ['ARCHIVE_PREFIX', 'expired'],
  ['ARCHIVE_PREFIX', 'a b/'],
  ['ARCHIVE_PREFIX', `${'a'.repeat(512)}/`],
  ['ARCHIVE_FORMAT', 'parquet'],
  ['ARCHIVE_FORMAT', undefined],
  ['ARCHIVE_REMOVALS', 'some'],
])('fails for %s = %p', (name, value) => {
  expect(() => readArchiveSettings({ ...ENV, [name]: value })).toThrow(InvalidEnvironmentError);
  expect(() => readArchiveSettings({ ...ENV, [name]: value })).toThrow(new RegExp(`^${name}: expected `));
});
