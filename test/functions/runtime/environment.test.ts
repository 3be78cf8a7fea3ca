import { InvalidModelError } from '../../../expiry/errors.ts';
import { readDeployment } from '../../../functions/runtime/deployment.ts';
import { carriedSettings, readSettings } from '../../../functions/runtime/environment.ts';
import { InvalidEnvironmentError, InvalidSettingsError } from '../../../functions/runtime/errors.ts';
import { modelOf } from '../../../stacks/config/deployments.ts';
import { functionSettings, resolveProps } from '../../../stacks/config/props.ts';

describe('the settings that an execution carries', () => {
  const props = { tableName: 'SessionData', partitionKey: 'UserName', sortKey: 'SessionId', shards: 3 };
  const settings = functionSettings(resolveProps(props));
  const carried = { ...carriedSettings(settings) };
  /** As Step Functions hands it on. */
  const handedOn = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  test('are read as they were written', () => {
    const { model, ...others } = readSettings(handedOn(carried));
    expect(model).toEqual(modelOf(resolveProps(props)));
    expect({ ...settings, marginSeconds: 0 }).toMatchObject(others);
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

  test('are those of a table without sort key too', () => {
    const { sortKey: _key, ...hashOnly } = settings;
    const read = readSettings(handedOn(carriedSettings(hashOnly)));
    expect(read.model).not.toHaveProperty('sortKey');
  });

  test.each(Object.keys(carried))('fail without %s, or with one of another type, naming it', name => {
    const { [name]: _gone, ...without } = carried as Record<string, unknown>;
    for (const wrong of [...(name === 'sortKey' ? [] : [without]), { ...carried, [name]: [1] }]) {
      expect(() => readSettings(wrong)).toThrow(InvalidSettingsError);
      expect(() => readSettings(wrong)).toThrow(new RegExp(`^${name}: `));
    }
  });

  test.each([
    ['shards', 1.5, InvalidSettingsError],
    ['deleteMode', 'fast', InvalidSettingsError],
    ['granularityMinutes', 7, InvalidSettingsError],
    ['ttlAttribute', 'UserName', InvalidModelError],
  ])('fail for %s: %j', (name, value, error) => {
    expect(() => readSettings({ ...carried, [name]: value })).toThrow(error);
    expect(() => readSettings({ ...carried, [name]: value })).toThrow(new RegExp(`^${name}: `));
  });

  test.each([undefined, null, 'settings', []])('are no %j', value => {
    expect(() => readSettings(value)).toThrow(/^settings: expected an object/);
  });
});

describe('the deployment in the environment of a function', () => {
  const ENV = { DEPLOYMENT_NAME: 'sessions', JOURNAL_TABLE: 'sessions-journal' };

  test('is read', () => {
    expect(readDeployment(ENV)).toEqual({ deploymentName: 'sessions', journalTable: 'sessions-journal' });
  });

  test.each(Object.keys(ENV))('fails without %s, naming it', name => {
    for (const missing of [undefined, '']) {
      expect(() => readDeployment({ ...ENV, [name]: missing })).toThrow(InvalidEnvironmentError);
      expect(() => readDeployment({ ...ENV, [name]: missing })).toThrow(new RegExp(`^${name}: `));
    }
  });
});
