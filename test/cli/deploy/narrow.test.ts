import { asNoted, type Deployed, deployedOf, narrow } from '../../../cli/deploy/narrow.ts';

const A = { tableName: 'AAA', partitionKey: 'id', existingTable: true };
const B = { tableName: 'BBB', partitionKey: 'id', existingTable: true };
const C = { tableName: 'CCC', partitionKey: 'id' };

const NOBODY: ReadonlySet<string> = new Set();

/** The outputs of a deployment of these entries. */
function deployed(tables: readonly object[], beside: object = {}, streams: object = {}): Deployed {
  return deployedOf({
    configuration: { value: JSON.stringify({ ...beside, tables }) },
    tables: { value: streams },
  });
}

const NOTHING = deployedOf({});

describe('with --table', () => {
  test('takes the entries of these tables, and leaves the others where and as they are', () => {
    const file = { region: 'r', tables: [C, { ...B, index: { shards: 7 } }, { ...A, index: { shards: 8 } }] };
    const { config, left } = narrow(file, deployed([A, B]), { only: ['AAA'], broken: NOBODY });
    expect(config).toEqual({ region: 'r', tables: [{ ...A, index: { shards: 8 } }, B] });
    expect([...left]).toEqual([['BBB', {}]]);
  });

  test('leaves what is shared as it is deployed, but not how the deployment is reached', () => {
    const file = {
      region: 'r',
      provider: { profile: 'me' },
      state: { backend: 'local' },
      tags: { is: 'new' },
      overrides: { new: {} },
      logRetentionDays: 30,
      alarms: false,
      tables: [A],
    };
    const noted = deployed(
      [
        { ...A, logRetentionDays: 7 },
        { ...B, logRetentionDays: 7 },
      ],
      { tags: { is: 'old' } },
    );
    expect(narrow(file, noted, { only: ['AAA'], broken: NOBODY }).config).toEqual({
      region: 'r',
      provider: { profile: 'me' },
      state: { backend: 'local' },
      tags: { is: 'old' },
      tables: [
        { ...A, logRetentionDays: 7 },
        { ...B, logRetentionDays: 7 },
      ],
    });
  });

  test('takes what is shared of the file, for a deployment with nobody else in it', () => {
    const file = { region: 'r', logRetentionDays: 30, tables: [{ ...A, sweep: 'own' }] };
    const { config } = narrow(file, deployed([A, B]), { only: ['AAA'], broken: NOBODY });
    expect(config.tables).toEqual([{ ...A, sweep: 'own', logRetentionDays: 30 }, B]);
  });

  test.each([
    ['adds a table that is not deployed', [A], [A, B], ['BBB'], [A, B]],
    ['removes one whose entry is gone', [A, B], [A], ['BBB'], [A]],
    ['keeps one whose entry is gone and that is not named', [A, B], [A], ['AAA'], [A, B]],
    ['is all of a first deployment', undefined, [A, B], ['BBB'], [B]],
    ['looks at no other entry', [A], [A, null, 'x', { partitionKey: 3 }], ['AAA'], [A]],
  ])('%s', (_what, noted, tables, only, expected) => {
    const before = noted === undefined ? NOTHING : deployed(noted);
    expect(narrow({ region: 'r', tables }, before, { only, broken: NOBODY }).config.tables).toEqual(expected);
  });

  test.each<[string, object[], string[], string]>([
    ['a table that nobody knows', [A], ['ZZZ'], '--table: expected one of AAA, BBB, got "ZZZ"'],
    [
      'an entry that is wrong',
      [A, { ...B, index: { shards: 'x' } }],
      ['BBB'],
      'tables[1].index.shards: expected',
    ],
    ['an unknown field', [A, { ...B, shard: 1 }], ['BBB'], 'tables[1].shard'],
  ])('refuses %s', (_what, tables, only, message) => {
    const work = () => narrow({ region: 'r', tables }, deployed([A, B]), { only, broken: NOBODY });
    expect(work).toThrow(message);
  });
});

describe('with a broken table', () => {
  test('takes everything but its entry from the file', () => {
    const file = {
      region: 'r',
      tags: { is: 'new' },
      kmsKeyArn: 'k',
      tables: [C, { ...B, index: { shards: 7 } }, A],
    };
    const noted = deployed([{ ...B, logRetentionDays: 7 }, A], { tags: { is: 'old' } });
    const { config, left } = narrow(file, noted, { broken: new Set(['BBB']) });
    expect(config).toEqual({
      region: 'r',
      tags: { is: 'new' },
      tables: [
        { ...C, kmsKeyArn: 'k' },
        { ...B, kmsKeyArn: 'k' },
        { ...A, kmsKeyArn: 'k' },
      ],
    });
    expect([...left.keys()]).toEqual(['BBB']);
  });

  test('leaves out one that was never deployed', () => {
    const { config } = narrow({ region: 'r', tables: [A, B] }, NOTHING, { broken: new Set(['BBB']) });
    expect(config.tables).toEqual([A]);
  });

  test('refuses to guess what an earlier version has deployed', () => {
    const earlier = deployedOf({ tables: { value: {} } });
    const work = () => narrow({ region: 'r', tables: [A, B] }, earlier, { broken: new Set(['BBB']) });
    expect(work).toThrow('got one of an earlier version');
  });
});

test('does not read a table whose stream is known', () => {
  const entries = [{ ...A, archive: {} }, { ...B, events: { eventBus: 'default' } }, C];
  const noted = deployed(entries, {}, { AAA: { streamArn: 'arn:a' }, CCC: {} });
  const { left } = narrow({ tables: [C] }, noted, { only: ['CCC'], broken: NOBODY });
  expect([...left]).toEqual([['AAA', { streamArn: 'arn:a' }]]);
});

test('knows of a plan which configuration it was made of', () => {
  const file = { region: 'r', tags: { is: 'new' }, tables: [B] };
  const { configuration } = deployed([A], { overrides: {} });
  expect(asNoted(file, configuration as NonNullable<typeof configuration>)).toEqual({
    region: 'r',
    overrides: {},
    tables: [A],
  });
});
