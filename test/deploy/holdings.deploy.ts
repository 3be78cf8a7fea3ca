import { CreateTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import type { DeploymentConfig } from '../../config/config.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { configOf } from '../support/configs.ts';
import { tableInput } from '../support/table-input.ts';
import { Deployment } from './support/deployment.ts';
import { HeldThings } from './support/held-things.ts';
import {
  describeWithTerraform,
  type EmulatedAws,
  emulatedClient,
  startEmulatedAws,
} from './support/proof.ts';

const TOKENS: PreciseTtlProps = { tableName: 'Tokens', partitionKey: 'id' };
const OTHERS: PreciseTtlProps = { tableName: 'Others', partitionKey: 'id' };
const WHOLE = { archive: {}, events: { eventBus: 'default' } } as const;
const tokens = (changes: Partial<PreciseTtlProps> = {}) => configOf({ ...TOKENS, ...changes });

/** What a deployment of one table has that holds something, with everything that can be turned on. @param name of the table */
const namesOf = (name: string, deployment = 'precise-ttl') => [
  ...['plan-sweep', 'query-expired', 'delete-chunk', 'record-metrics'].map(
    file => `/aws/lambda/${deployment}-${file}`,
  ),
  ...['archive-expiries', 'publish-expiries'].map(file => `/aws/lambda/${name}-${file}`),
  ...[deployment, `${deployment}-replay`].map(each => `/aws/vendedlogs/states/${each}`),
  ...['dead-letters', 'alarms'].map(ending => `${deployment}-${ending}`),
  ...['archive-failures', 'event-failures'].map(ending => `${name}-${ending}`),
];

describeWithTerraform('what holds something', () => {
  let aws: EmulatedAws;
  let things: HeldThings;
  let deployment: Deployment;

  beforeAll(async () => {
    aws = await startEmulatedAws();
    things = new HeldThings(aws);
  });

  afterAll(async () => {
    things?.destroy();
    await aws?.stop();
  });

  beforeEach(async () => {
    await aws.reset();
    deployment = new Deployment(aws);
  });

  afterEach(() => deployment.remove());

  const filled = async (config: DeploymentConfig) => {
    await deployment.deploy(config);
    await things.fill();
    return looked();
  };

  /** What queues, topics and log groups hold, by name. */
  const looked = async () => {
    const all = await things.inventory();
    const own = all.filter(({ kind }) => kind === 'queue' || kind === 'topic' || kind === 'logs');
    return Object.fromEntries(own.map(({ name, held }) => [name, held]));
  };

  const refuses = async (config: DeploymentConfig, expected: RegExp, options: { removed?: boolean } = {}) => {
    await deployment.use(config, options);
    expect([config.tables, await deployment.plan()]).toEqual([
      config.tables,
      expect.stringMatching(expected),
    ]);
  };

  test('stays when it is turned off, and is taken up again, with what it holds', async () => {
    const before = await filled(tokens(WHOLE));
    expect(Object.keys(before).sort()).toEqual(namesOf('precise-ttl-Tokens').sort());
    const edits: readonly Partial<PreciseTtlProps>[] = [
      { events: WHOLE.events },
      { archive: {} },
      { ...WHOLE, alarms: false },
      { ...WHOLE, alarms: 'arn:aws:sns:us-east-1:123456789012:on-call' },
      { alarms: false, enabled: false, logRetentionDays: 90 },
    ];
    for (const edit of edits) {
      for (const props of [edit, WHOLE]) {
        const { delete: gone = [] } = await deployment.deploy(tokens(props));
        expect([props, gone.filter(each => /aws_(sqs|sns|cloudwatch_log)/.test(each))]).toEqual([props, []]);
        expect([props, await looked()]).toEqual([props, before]);
      }
    }
  });

  test('refuses another sweep, and two that are swapped, before anything is changed', async () => {
    const named = (...[one, other]: readonly [string, string]) =>
      configOf({ ...TOKENS, ...WHOLE, sweep: one }, { ...OTHERS, sweep: other });
    const before = await filled(named('one', 'other'));
    await refuses(named('another', 'other'), /REFUSED TO KEEP QUEUES, LOGS/);
    await refuses(
      named('other', 'one'),
      /REFUSED TO KEEP QUEUES.*expected one-Tokens in us-east-1 for Tokens.*got other-Tokens.*'Another name'/,
    );
    // Without schedules too.
    const stopped = (one: string, other: string) =>
      configOf(
        { ...TOKENS, ...WHOLE, sweep: one, enabled: false },
        { ...OTHERS, sweep: other, enabled: false },
      );
    await deployment.deploy(stopped('one', 'other'));
    await refuses(stopped('other', 'one'), /REFUSED TO KEEP QUEUES/);
    await deployment.deploy(named('one', 'other'));
    expect(await looked()).toEqual(before);
  });

  test('has the other name after two steps', async () => {
    const existing = { existingTable: true } as const;
    await deployment.deploy(configOf({ ...TOKENS, sweep: 'one' }, { ...OTHERS, sweep: 'other' }));
    const leaving = configOf(
      { ...TOKENS, ...existing, sweep: 'one', enabled: false },
      { ...OTHERS, ...existing, sweep: 'other', enabled: false },
    );
    await deployment.deploy(leaving);
    // An account of others has something, or this one.
    await deployment.deploy(configOf({ ...TOKENS, tableName: 'Third' }));
    const swapped = { ...TOKENS, ...existing, sweep: 'other' };
    await deployment.deploy(
      configOf({ ...TOKENS, tableName: 'Third' }, swapped, { ...OTHERS, ...existing, sweep: 'one' }),
    );
    await things.fill();
    expect(Object.keys(await looked())).toEqual(
      expect.arrayContaining(['one-dead-letters', 'other-dead-letters', 'one-alarms']),
    );
  });

  test('refuses that the entry of a table goes, until it has no schedules', async () => {
    const dynamoDb = emulatedClient(aws);
    const { TableName, ...input } = tableInput();
    await dynamoDb.send(new CreateTableCommand({ TableName, ...input }));
    const TimeToLiveSpecification = { Enabled: true, AttributeName: 'ttl' };
    await dynamoDb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    const existing = { ...TOKENS, existingTable: true };
    const before = await filled(configOf(OTHERS, existing));
    const REFUSED = /REFUSED TO KEEP QUEUES, LOGS.*'How do I stop sweeping a table\?'.*running\["Tokens"\]/;
    await refuses(configOf(OTHERS), REFUSED);
    await refuses(configOf(OTHERS, { ...existing, tableName: 'Tokens2' }), /running\["Tokens"\]|Error/);
    const stopped = configOf(OTHERS, { ...existing, enabled: false });
    await deployment.deploy(stopped);
    // Back, it is kept again.
    await deployment.deploy(configOf(OTHERS, existing));
    await refuses(configOf(OTHERS), REFUSED);
    expect(await looked()).toEqual(before);
    await deployment.deploy(stopped);
    await deployment.deploy(configOf(OTHERS));
    expect(Object.keys(await looked()).filter(name => name.includes('Tokens'))).toEqual([]);
  });

  test('goes with a deployment that is removed, and its names are free', async () => {
    await filled(tokens(WHOLE));
    await deployment.deploy(tokens({ archive: {} }));
    await deployment.deploy(tokens({ archive: {} }), { removed: true });
    // What was turned off before is nobody's.
    expect(Object.keys(await looked()).sort()).toEqual(
      namesOf('precise-ttl-Tokens')
        .filter(name => /event-failures|publish/.test(name))
        .sort(),
    );
    await deployment.deploy(configOf({ ...TOKENS, ...WHOLE, existingTable: true }));
  });
});
