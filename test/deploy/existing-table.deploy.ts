import { CreateTableCommand, DeleteTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { configOf } from '../support/configs.ts';
import { type TableSettings, tableInput } from '../support/table-input.ts';
import { useFreshDeployment } from './support/deployment.ts';
import { describeWithTerraform } from './support/proof.ts';

const TOKENS: PreciseTtlProps = { tableName: 'Tokens', partitionKey: 'id', existingTable: true };
const BY_SECOND = { index: { by: 'second' } } as const;
const SECOND_INDEX = { name: 'expirySecondIndex', keys: ['ttl'] };

describeWithTerraform('an existing table', () => {
  const on = useFreshDeployment();

  const makeTable = async (settings: TableSettings) => {
    await on.client.send(new CreateTableCommand(tableInput(settings)));
    const ttl = settings.ttl === undefined ? 'ttl' : settings.ttl;
    if (ttl === null) return;
    const TimeToLiveSpecification = { Enabled: true, AttributeName: ttl };
    await on.client.send(new UpdateTimeToLiveCommand({ TableName: 'Tokens', TimeToLiveSpecification }));
  };

  test.each<[string, TableSettings, Partial<PreciseTtlProps>]>([
    ['with a partition key', {}, {}],
    ['with a sort key', { keys: ['id', 'version'] }, { sortKey: 'version' }],
    ['with keys of other types', { types: { id: 'B' } }, { partitionKey: { name: 'id', type: 'B' } }],
    ['by second', { index: SECOND_INDEX }, BY_SECOND],
    [
      'by second, with a sort key and names of its own',
      {
        keys: ['id', 'version'],
        index: { name: 'byTtl', keys: ['expiresAt'] },
        types: { expiresAt: 'N' },
        ttl: 'expiresAt',
      },
      { sortKey: 'version', index: { by: 'second', name: 'byTtl' }, ttlAttribute: 'expiresAt' },
    ],
  ])('is taken when it is as the configuration says: %s', async (_name, settings, props) => {
    await makeTable(settings);
    // It is read, and judged, when it is planned.
    await on.deployment.use(configOf({ ...TOKENS, ...props }));
    expect(Object.keys(await on.deployment.plan())).toEqual(['create']);
  });

  test.each<[string, TableSettings, RegExp, Partial<PreciseTtlProps>?]>([
    ['another partition key', { keys: ['token'] }, /its keys are token, not id\./],
    [
      'a sort key that the configuration does not name',
      { keys: ['id', 'version'] },
      /its keys are id, version, not id\./,
    ],
    ['no sort key', {}, /its keys are id, not id, version\./, { sortKey: 'version' }],
    [
      'another sort key',
      { keys: ['id', 'at'] },
      /its keys are id, at, not id, version\./,
      { sortKey: 'version' },
    ],
    [
      'a key of another type',
      { types: { id: 'N' } },
      /its key attributes are .*id \(N\).*, not id \(S\), .* Correct partitionKey\.type/s,
    ],
    [
      'no index of the name',
      { index: { name: 'other' } },
      /it has no index expirationWindowIndex with the keys expirationWindow and ttl\./,
    ],
    [
      'an index with other keys',
      { index: { keys: ['tenant', 'ttl'] } },
      /it has no index expirationWindowIndex with the keys/,
    ],
    [
      'an index without sort key',
      { index: { keys: ['expirationWindow'] } },
      /it has no index expirationWindowIndex with the keys/,
    ],
    [
      'a TTL that is a text',
      { types: { ttl: 'S' } },
      /its key attributes are .*ttl \(S\).*, not id \(S\), /s,
    ],
    [
      'a window that is a number',
      { types: { expirationWindow: 'N' } },
      /not id \(S\), expirationWindow \(S\), ttl \(N\)\./,
    ],
    ['an index of everything', { index: { projection: 'ALL' } }, /projects more than keys\./],
    [
      'by second, an index by window of its name',
      { index: { name: 'expirySecondIndex' } },
      /it has no index expirySecondIndex with the keys ttl\. An index's keys cannot be changed/,
      BY_SECOND,
    ],
    [
      'by second, an index with a sort key',
      { index: { ...SECOND_INDEX, keys: ['ttl', 'id'] } },
      /it has no index expirySecondIndex with the keys ttl\./,
      BY_SECOND,
    ],
    ['by second, no index but one by window', {}, /it has no index expirySecondIndex with/, BY_SECOND],
    [
      'by second, a TTL that is a text',
      { index: SECOND_INDEX, types: { ttl: 'S' } },
      /its key attributes are .*ttl \(S\).*, not id \(S\), /s,
      BY_SECOND,
    ],
    [
      'by second, an index of everything',
      { index: { ...SECOND_INDEX, projection: 'ALL' } },
      /projects more than keys\./,
      BY_SECOND,
    ],
    [
      'by window, an index by second of its name',
      { index: { keys: ['ttl'] } },
      /it has no index expirationWindowIndex with the keys/,
    ],
    ['no native TTL', { ttl: null }, /native TTL is not ENABLED on the attribute ttl\./],
    [
      'native TTL on another attribute',
      { ttl: 'expiresAt' },
      /native TTL is not ENABLED on the attribute ttl\./,
    ],
  ])('fails with %s, before anything is made', async (_name, settings, expected, props = {}) => {
    await makeTable(settings);
    await on.deployment.use(configOf({ ...TOKENS, ...props }));
    expect(await on.deployment.plan()).toMatch(expected);
  });

  test('goes from by window to by second, and back, in place', async () => {
    await makeTable({ other: SECOND_INDEX });
    await on.deployment.deploy(configOf(TOKENS));
    for (const props of [{ ...TOKENS, ...BY_SECOND }, TOKENS]) {
      const actions = await on.deployment.deploy(configOf(props));
      const { update = [], ...others } = actions;
      for (const touched of ['plan-sweep', 'query-expired']) {
        expect(update.join()).toContain(touched);
      }
      expect(others).toEqual({});
    }
  });

  test('that is gone stops a deployment, and not its removal', async () => {
    await makeTable({});
    await on.deployment.deploy(configOf(TOKENS));
    await on.client.send(new DeleteTableCommand({ TableName: 'Tokens' }));
    await on.deployment.use(configOf(TOKENS));
    expect(await on.deployment.plan()).toMatch(/reading Dynamodb Table \(Tokens\)/);
    const { delete: deleted } = await on.deployment.deploy(configOf(TOKENS), { removed: true });
    expect(deleted?.length).toBeGreaterThan(20);
  });
});
