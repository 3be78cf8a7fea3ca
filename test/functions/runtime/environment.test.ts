import { InvalidModelError } from '../../../expiry/errors.ts';
import { readSettings } from '../../../functions/runtime/environment.ts';
import { InvalidEnvironmentError } from '../../../functions/runtime/errors.ts';

const ENV = {
  TABLE_NAME: 'SessionData',
  INDEX_NAME: 'expirationWindowIndex',
  PARTITION_KEY: 'UserName',
  SORT_KEY: 'SessionId',
  TTL_ATTRIBUTE: 'ExpirationTime',
  WINDOW_ATTRIBUTE: 'expirationWindow',
  GRANULARITY_MINUTES: '5',
  SHARDS: '3',
  DELETE_MODE: 'batch',
  LOOKBACK_MINUTES: '10',
  PRECISION_SECONDS: '1',
  POLL_SECONDS: '0',
  DELETE_ATTEMPTS: '20',
  BACKOFF_BASE_SECONDS: '1',
  BACKOFF_CAP_SECONDS: '15',
};

test('reads what the stack sets', () => {
  expect(readSettings(ENV)).toMatchObject({
    tableName: 'SessionData',
    indexName: 'expirationWindowIndex',
    model: { partitionKey: 'UserName', sortKey: 'SessionId', granularitySeconds: 300, shards: 3 },
    deleteMode: 'batch',
    lookbackMinutes: 10,
    precisionSeconds: 1,
    pollSeconds: 0,
    deleteAttempts: 20,
    backoffBaseSeconds: 1,
    backoffCapSeconds: 15,
  });
});

test('takes a table without sort key', () => {
  const { SORT_KEY, ...hashOnly } = ENV;
  expect(SORT_KEY).toBeDefined();
  expect(readSettings(hashOnly).model).not.toHaveProperty('sortKey');
});

test.each(Object.keys(ENV).filter(name => name !== 'SORT_KEY'))('fails without %s, naming it', name => {
  expect(() => readSettings({ ...ENV, [name]: undefined })).toThrow(InvalidEnvironmentError);
  expect(() => readSettings({ ...ENV, [name]: '' })).toThrow(new RegExp(`^${name}: `));
});

test.each([
  ['DELETE_MODE', 'fast', InvalidEnvironmentError, /guarded or batch, got "fast"/],
  ['SHARDS', '1.5', InvalidEnvironmentError, /^SHARDS/],
  ['LOOKBACK_MINUTES', '-1', InvalidEnvironmentError, /^LOOKBACK_MINUTES/],
  ['PRECISION_SECONDS', '0', InvalidEnvironmentError, /^PRECISION_SECONDS/],
  ['POLL_SECONDS', '-1', InvalidEnvironmentError, /^POLL_SECONDS/],
  ['GRANULARITY_MINUTES', '7', InvalidModelError, /^granularityMinutes/],
])('fails for %s = %s', (name, value, error, message) => {
  expect(() => readSettings({ ...ENV, [name]: value })).toThrow(error);
  expect(() => readSettings({ ...ENV, [name]: value })).toThrow(message);
});
