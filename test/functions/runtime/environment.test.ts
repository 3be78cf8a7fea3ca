import { modelOf } from '../../../config/deployments.ts';
import { functionSettings, resolveProps } from '../../../config/props.ts';
import { InvalidModelError } from '../../../expiry/errors.ts';
import {
  carriedSettings,
  readEnvironment,
  readSettings,
  toEnvironment,
} from '../../../functions/runtime/environment.ts';
import { InvalidEnvironmentError, InvalidSettingsError } from '../../../functions/runtime/errors.ts';

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
  PRECISION: 'second',
  POLL_SECONDS: '0',
};

test('reads what the stack sets', () => {
  expect(readEnvironment(ENV)).toMatchObject({
    tableName: 'SessionData',
    indexName: 'expirationWindowIndex',
    model: { partitionKey: 'UserName', sortKey: 'SessionId', granularitySeconds: 300, shards: 3 },
    deleteMode: 'batch',
    precision: 'second',
    pollSeconds: 0,
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
    const { model, ...others } = readEnvironment(toEnvironment(resolved, asIs));
    expect(resolved).toMatchObject(others);
    expect(others).toMatchObject({ tableName: 'a.b', deleteMode: 'batch', pollSeconds: 5 });
    expect(model).toEqual(modelOf(resolved));
  }
});

test('takes a table without sort key', () => {
  const { SORT_KEY, ...hashOnly } = ENV;
  expect(SORT_KEY).toBeDefined();
  expect(readEnvironment(hashOnly).model).not.toHaveProperty('sortKey');
});

test.each(Object.keys(ENV).filter(name => name !== 'SORT_KEY'))('fails without %s, naming it', name => {
  expect(() => readEnvironment({ ...ENV, [name]: undefined })).toThrow(InvalidEnvironmentError);
  expect(() => readEnvironment({ ...ENV, [name]: '' })).toThrow(new RegExp(`^${name}: `));
});

test.each([
  ['DELETE_MODE', 'fast', InvalidEnvironmentError, /one of "guarded", "batch", got "fast"/],
  ['SHARDS', '1.5', InvalidEnvironmentError, /^SHARDS/],
  ['PRECISION', 'hour', InvalidEnvironmentError, /^PRECISION: .* got "hour"/],
  ['POLL_SECONDS', '-1', InvalidEnvironmentError, /^POLL_SECONDS/],
  ['POLL_SECONDS', ' 20', InvalidEnvironmentError, /^POLL_SECONDS/],
  ['GRANULARITY_MINUTES', '7', InvalidEnvironmentError, /^GRANULARITY_MINUTES: .* divides a day/],
  ['TTL_ATTRIBUTE', 'UserName', InvalidModelError, /^ttlAttribute: expected another attribute/],
])('fails for %s = %s', (name, value, error, message) => {
  expect(() => readEnvironment({ ...ENV, [name]: value })).toThrow(error);
  expect(() => readEnvironment({ ...ENV, [name]: value })).toThrow(message);
});

describe('the settings that an execution carries', () => {
  const props = { tableName: 'SessionData', partitionKey: 'UserName', sortKey: 'SessionId', shards: 3 };
  const settings = functionSettings(resolveProps(props));
  const carried = { ...carriedSettings(settings) };
  /** As Step Functions hands it on. */
  const handedOn = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  test('are read as they were written', () => {
    const { model, ...others } = readSettings(handedOn(carried));
    expect(model).toEqual(modelOf(resolveProps(props)));
    expect(settings).toMatchObject(others);
    expect(others).toMatchObject({ tableName: 'SessionData', deleteMode: 'guarded' });
  });

  test('are nothing of what else a table has', () => {
    const more = { ...resolveProps(props), secret: 1 };
    expect(carriedSettings(more)).toEqual(carried);
  });

  test('have each text as it is to be written, and nothing else changed', () => {
    const written = carriedSettings(settings, value => `<${value}>`);
    expect(written).toMatchObject({ tableName: '<SessionData>', shards: 3 });
  });

  test('are those of a table without sort key, hold attribute and margin too', () => {
    const { sortKey: _key, ...hashOnly } = settings;
    const read = readSettings(handedOn(carriedSettings(hashOnly)));
    expect(read.model).not.toHaveProperty('sortKey');
    expect(read).not.toHaveProperty('marginSeconds');
  });

  const REQUIRED = Object.keys(carried).filter(name => name !== 'sortKey');

  test.each(REQUIRED)('fail without %s, naming it', name => {
    const { [name]: _gone, ...others } = carried as Record<string, unknown>;
    expect(() => readSettings(others)).toThrow(InvalidSettingsError);
    expect(() => readSettings(others)).toThrow(new RegExp(`^${name}: `));
  });

  test.each(Object.keys(carried))('fail for a %s of another type, naming it', name => {
    const wrong = { ...carried, [name]: [1] };
    expect(() => readSettings(wrong)).toThrow(InvalidSettingsError);
    expect(() => readSettings(wrong)).toThrow(new RegExp(`^${name}: `));
  });

  test.each([
    ['shards', 1.5, InvalidSettingsError],
    ['ttlAttribute', 'UserName', InvalidModelError],
  ])('fail for %s: %j', (name, value, error) => {
    expect(() => readSettings({ ...carried, [name]: value })).toThrow(error);
    expect(() => readSettings({ ...carried, [name]: value })).toThrow(new RegExp(`^${name}: `));
  });

  test.each([undefined, null, 'settings', []])('are no %j', value => {
    expect(() => readSettings(value)).toThrow(/^settings: expected an object/);
  });
});
