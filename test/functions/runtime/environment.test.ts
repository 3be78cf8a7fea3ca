import { InvalidModelError } from '../../../expiry/errors.ts';
import { readSettings, toEnvironment } from '../../../functions/runtime/environment.ts';
import { InvalidEnvironmentError } from '../../../functions/runtime/errors.ts';
import { modelOf } from '../../../stacks/model-of.ts';
import { resolveProps } from '../../../stacks/props.ts';

const asIs = (value: string) => value;

const ENV = {
  ...toEnvironment(resolveProps({ tableName: 'SessionData', partitionKey: 'UserName' }), asIs),
  INDEX_NAME: 'expirationWindowIndex',
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

test('reads what it writes', () => {
  const props = {
    tableName: 'a.b',
    partitionKey: 'id',
    shards: 7,
    deleteMode: 'batch',
    pollSeconds: 5,
  } as const;
  for (const more of [{}, { sortKey: 'true' }, { granularityMinutes: 1440, ttlAttribute: '1' }]) {
    const resolved = resolveProps({ ...props, ...more });
    const { model, ...others } = readSettings(toEnvironment(resolved, asIs));
    expect(resolved).toMatchObject(others);
    expect(others).toMatchObject({ tableName: 'a.b', deleteMode: 'batch', pollSeconds: 5 });
    expect(model).toEqual(modelOf(resolved));
  }
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
  ['DELETE_MODE', 'fast', InvalidEnvironmentError, /one of "guarded", "batch", got "fast"/],
  ['SHARDS', '1.5', InvalidEnvironmentError, /^SHARDS/],
  ['LOOKBACK_MINUTES', '-1', InvalidEnvironmentError, /^LOOKBACK_MINUTES/],
  ['PRECISION_SECONDS', '0', InvalidEnvironmentError, /^PRECISION_SECONDS/],
  ['POLL_SECONDS', '-1', InvalidEnvironmentError, /^POLL_SECONDS/],
  ['BACKOFF_CAP_SECONDS', '31', InvalidEnvironmentError, /^BACKOFF_CAP_SECONDS: .* got "31"/],
  ['DELETE_ATTEMPTS', ' 20', InvalidEnvironmentError, /^DELETE_ATTEMPTS/],
  ['GRANULARITY_MINUTES', '7', InvalidEnvironmentError, /^GRANULARITY_MINUTES: .* divides a day/],
  ['TTL_ATTRIBUTE', 'UserName', InvalidModelError, /^ttlAttribute: expected another attribute/],
])('fails for %s = %s', (name, value, error, message) => {
  expect(() => readSettings({ ...ENV, [name]: value })).toThrow(error);
  expect(() => readSettings({ ...ENV, [name]: value })).toThrow(message);
});
