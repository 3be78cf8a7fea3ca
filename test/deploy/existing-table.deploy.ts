// biome-ignore-all lint/suspicious/noTemplateCurlyInString: names that look like Terraform's templates
import { CreateTableCommand, DeleteTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { configOf } from '../support/configs.ts';
import { type TableSettings, tableInput } from '../support/table-input.ts';
import { useFreshDeployment } from './support/deployment.ts';
import { describeWithTerraform } from './support/proof.ts';

const TOKENS: PreciseTtlProps = { tableName: 'Tokens', partitionKey: 'id', existingTable: true };
const BY_SECOND = { index: { by: 'second' } } as const;
const SECOND_INDEX = { name: 'expirySecondIndex', keys: ['ttl'] };
const ODD = 'a"b${c}%{d}';

const TAKEN: readonly (readonly [TableSettings, Partial<PreciseTtlProps>])[] = [
  [{}, {}],
  [{ keys: ['id', 'version'] }, { sortKey: 'version' }],
  [{ types: { id: 'B' } }, { partitionKey: { name: 'id', type: 'B' } }],
  [{ keys: [ODD] }, { partitionKey: ODD }],
  [{ index: SECOND_INDEX }, BY_SECOND],
  [
    {
      ...{ keys: ['id', 'version'], index: { name: 'byTtl', keys: ['expiresAt'] } },
      ...{ types: { expiresAt: 'N' }, ttl: 'expiresAt' },
    },
    { sortKey: 'version', index: { by: 'second', name: 'byTtl' }, ttlAttribute: 'expiresAt' },
  ],
];

const NO_INDEX = 'it has no index expirationWindowIndex with the keys expirationWindow and ttl.';
const NO_SECOND_INDEX =
  "it has no index expirySecondIndex with the keys ttl. An index's keys cannot be changed";
const NO_TTL = 'native TTL is not ENABLED on the attribute ttl.';
const REFUSED: readonly (readonly [TableSettings, string, Partial<PreciseTtlProps>?])[] = [
  [{ keys: ['token'] }, 'its keys are token, not id.'],
  [{ keys: ['id', 'version'] }, 'its keys are id, version, not id.'],
  [{}, 'its keys are id, not id, version.', { sortKey: 'version' }],
  [{ keys: ['id', 'at'] }, 'its keys are id, at, not id, version.', { sortKey: 'version' }],
  [{ keys: ['token'] }, `its keys are token, not ${ODD}.`, { partitionKey: ODD }],
  [
    { types: { id: 'N' } },
    'id (N), ttl (N), not id (S), expirationWindow (S), ttl (N). Correct partitionKey',
  ],
  [{ types: { ttl: 'S' } }, 'id (S), ttl (S), not id (S), '],
  [{ types: { expirationWindow: 'N' } }, 'expirationWindow (N), id (S), ttl (N), not id (S), '],
  [{ index: SECOND_INDEX, types: { ttl: 'S' } }, 'id (S), ttl (S), not id (S), ttl (N).', BY_SECOND],
  [{ index: { name: 'other' } }, NO_INDEX],
  [{ index: { keys: ['tenant', 'ttl'] } }, NO_INDEX],
  [{ index: { keys: ['expirationWindow'] } }, NO_INDEX],
  [{ index: { keys: ['ttl'] } }, NO_INDEX],
  [{}, NO_SECOND_INDEX, BY_SECOND],
  [{ index: { name: 'expirySecondIndex' } }, NO_SECOND_INDEX, BY_SECOND],
  [{ index: { ...SECOND_INDEX, keys: ['ttl', 'id'] } }, NO_SECOND_INDEX, BY_SECOND],
  [{ index: { projection: 'ALL' } }, 'projects more than keys.'],
  [{ index: { ...SECOND_INDEX, projection: 'ALL' } }, 'projects more than keys.', BY_SECOND],
  [{ ttl: null }, NO_TTL],
  [{ ttl: 'expiresAt' }, NO_TTL],
];

describeWithTerraform('existing tables', () => {
  const on = useFreshDeployment();

  const makeTable = async ({ ttl = 'ttl', name = 'Tokens', ...settings }: TableSettings) => {
    await on.client.send(new CreateTableCommand(tableInput({ name, ...settings })));
    if (ttl === null) return;
    const TimeToLiveSpecification = { Enabled: true, AttributeName: ttl };
    await on.client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
  };

  /** They are read, and judged, when they are planned, all at once. */
  const planOf = async (
    cases: readonly (readonly [TableSettings, Partial<PreciseTtlProps> | undefined])[],
  ) => {
    for (const [at, [settings]] of cases.entries()) await makeTable({ ...settings, name: `Table-${at}` });
    const tables = cases.map(([, props], at) => ({ ...TOKENS, ...props, tableName: `Table-${at}` }));
    await on.deployment.use(configOf(...tables));
    return on.deployment.plan();
  };

  test('are taken when they are as the configuration says', async () => {
    expect(Object.keys(await planOf(TAKEN))).toEqual(['create']);
  });

  test('fail when they are not, before anything is made', async () => {
    const plan = await planOf(REFUSED.map(([settings, , props]) => [settings, props]));
    const problems = Object.fromEntries(
      [...String(plan).matchAll(/Table (Table-\d+): (.*?) See docs\/adopt\.md/g)].map(([, name, text]) => [
        name,
        text,
      ]),
    );
    expect(problems).toEqual(
      Object.fromEntries(REFUSED.map(([, text], at) => [`Table-${at}`, expect.stringContaining(text)])),
    );
  });

  test('go from by window to by second, and back, in place', async () => {
    await makeTable({ others: [SECOND_INDEX] });
    await on.deployment.deploy(configOf(TOKENS));
    for (const props of [{ ...TOKENS, ...BY_SECOND }, TOKENS]) {
      const { update = [], ...others } = await on.deployment.deploy(configOf(props));
      for (const touched of ['plan-sweep', 'query-expired']) expect(update.join()).toContain(touched);
      expect(others).toEqual({});
    }
  });

  test('that are gone stop a deployment, and not its removal', async () => {
    await makeTable({});
    await on.deployment.deploy(configOf(TOKENS));
    await on.client.send(new DeleteTableCommand({ TableName: 'Tokens' }));
    await on.deployment.use(configOf(TOKENS));
    expect(await on.deployment.plan()).toMatch(/reading Dynamodb Table \(Tokens\)/);
    const { delete: deleted } = await on.deployment.deploy(configOf(TOKENS), true);
    expect(deleted?.length).toBeGreaterThan(20);
  });
});
