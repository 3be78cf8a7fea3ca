import fc from 'fast-check';
import { checkConfig, type DeploymentConfig, InvalidConfigError } from '../../stacks/config/config.ts';
import {
  DEPLOYMENT_PROPS,
  type DeploymentProps,
  type FlatProps,
  type PreciseTtlProps,
  propsOfSettings,
} from '../../stacks/config/props.ts';

const REGION = 'eu-central-1';
const ACCOUNT = '123456789012';

const attribute = (...more: string[]) => fc.constantFrom('a', 'Größe', 'user.id', 'order-id', ...more);
const whole = (min: number, max: number) =>
  fc.oneof(
    fc.constantFrom(min, max),
    fc.integer({ min, max: Math.min(max, min + 20) }),
    fc.integer({ min, max }),
  );
const arnOf = (service: string, rest: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;
const someKey = fc.constantFrom('1234abcd', 'mrk-0a1b2c3d').map(id => arnOf('kms', `key/${id}`));
const someTags = fc.dictionary(
  fc.constantFrom('team', 'cost center', 'env', 'Größe'),
  fc.constantFrom('sessions', 'a b', '1'),
  { minKeys: 1, maxKeys: 3, noNullPrototype: true },
);

const SOME_TARGETS = [
  arnOf('events', 'event-bus/orders'),
  arnOf('sqs', 'expired'),
  arnOf('sqs', 'expired.fifo'),
  arnOf('sns', 'expired'),
  arnOf('kinesis', 'stream/expired'),
  arnOf('firehose', 'deliverystream/expired'),
  arnOf('lambda', 'function:on-expiry:live'),
  arnOf('states', 'stateMachine:on-expiry'),
];

/** Possible values of each prop. The compiler demands an entry for every new prop. */
export const PROP_VALUES: {
  readonly [Name in keyof FlatProps]-?: fc.Arbitrary<FlatProps[Name]>;
} = {
  tableName: fc.constantFrom('SessionData', 'a-b', 'orders.v2', 'Carts_1', 'T'.repeat(100), 'abc'),
  existingTable: fc.boolean(),
  tableKmsKeyArn: someKey,
  partitionKey: attribute('pk'),
  partitionKeyType: fc.constantFrom('S', 'N', 'B'),
  sortKey: attribute('sk'),
  sortKeyType: fc.constantFrom('S', 'N', 'B'),
  ttlAttribute: attribute('ttl', 'expires_at'),
  indexedBy: fc.constantFrom('window', 'second'),
  windowAttribute: attribute('window', '_w'),
  indexName: fc.constantFrom('idx', 'my-index.1'),
  granularityMinutes: fc.constantFrom(1, 5, 15, 60, 720, 1440),
  shards: whole(1, 1_000),
  deleteMode: fc.constantFrom('guarded', 'batch'),
  precision: fc.constantFrom('second', 'minute'),
  pollSeconds: whole(0, 60),
  archive: fc.constantFrom(true, false, {}, { bucket: 'my-archive' }, { lockDays: 365 }),
  events: fc.record(
    {
      to: fc.oneof(
        fc.constantFrom(...SOME_TARGETS),
        fc.subarray(SOME_TARGETS, { minLength: 1, maxLength: 2 }),
      ),
      oldImage: fc.boolean(),
    },
    { requiredKeys: ['to'] },
  ),
  deployment: fc.constantFrom('other', 'a_B-1'),
  maxDeletesPerSecond: whole(0, 1_000),
  logKeys: fc.constantFrom('full', 'hash', 'none'),
  alarms: fc.constantFrom(true, false, arnOf('sns', 'on-call')),
  dashboard: fc.boolean(),
  kmsKeyArn: someKey,
};

/** Largest number of optional props of a drawn table: with more, nearly all combinations are refused. */
const MAX_PROPS = 12;

const anyTable: fc.Arbitrary<PreciseTtlProps> = fc
  .record({
    of: fc.record(PROP_VALUES),
    names: fc.subarray(Object.keys(PROP_VALUES), { maxLength: MAX_PROPS }),
  })
  .map(({ of, names }) => {
    const set = Object.fromEntries(names.map(name => [name, of[name as keyof FlatProps]]));
    const { tableName, partitionKey } = of;
    return propsOfSettings({ tableName, partitionKey, ...set });
  });

const shared = Object.fromEntries(DEPLOYMENT_PROPS.map(name => [name, PROP_VALUES[name]])) as {
  readonly [Name in keyof DeploymentProps]: fc.Arbitrary<DeploymentProps[Name]>;
};

const anyGiven = fc
  .tuple(
    fc.array(anyTable, { minLength: 1, maxLength: 3 }),
    fc.record(shared, { requiredKeys: [] }),
    fc.subarray([...DEPLOYMENT_PROPS]),
    fc.record(
      {
        tags: someTags,
        state: fc.constantFrom(
          { backend: 'local' } as const,
          { backend: 's3', bucket: 'states' } as const,
          { backend: 's3', bucket: 'states', key: 'a/b.tfstate', region: 'us-east-1' } as const,
        ),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([tables, of, names, more]): DeploymentConfig => {
    const beside = Object.fromEntries(names.filter(name => name in of).map(name => [name, of[name]]));
    return { region: REGION, tables, ...beside, ...more };
  });

/** A valid configuration: combinations that the rules of the props refuse are not drawn. */
export const anyConfig: fc.Arbitrary<DeploymentConfig> = anyGiven.filter(isRight);

function isRight(config: DeploymentConfig): boolean {
  try {
    checkConfig(config);
    return true;
  } catch (error) {
    if (error instanceof InvalidConfigError) return false;
    throw error;
  }
}
