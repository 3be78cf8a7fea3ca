// biome-ignore-all lint/suspicious/noTemplateCurlyInString: an attribute can have such a name
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
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
  ...['archive-expiries', 'write-manifest', 'publish-expiries'].map(file => `/aws/lambda/${name}-${file}`),
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
      { ...WHOLE, alarmTopicArn: 'arn:aws:sns:us-east-1:123456789012:on-call' },
      {},
    ];
    for (const edit of edits) {
      for (const props of [edit, WHOLE]) {
        const { delete: gone = [] } = await deployment.deploy(tokens(props));
        expect([props, gone.filter(each => /aws_(sqs|sns|cloudwatch_log)/.test(each))]).toEqual([props, []]);
        expect([props, await looked()]).toEqual([props, before]);
      }
    }
  });

  test('stays when an index of it is there that only begins with its name', async () => {
    await deployment.deploy(
      configOf({ ...TOKENS, name: 'a' }, { ...OTHERS, name: 'a-archive-2', archive: {} }),
    );
    await deployment.deploy(
      configOf({ ...TOKENS, name: 'a', archive: {} }, { ...OTHERS, name: 'a-archive-2' }),
    );
    await things.fill();
    expect(Object.keys(await looked())).toEqual(
      expect.arrayContaining(['/aws/lambda/a-archive-expiries', '/aws/lambda/a-archive-2-archive-expiries']),
    );
  });

  test('refuses another name, and two that are swapped, before anything is changed', async () => {
    const named = (...[one, other]: readonly [string, string]) =>
      configOf({ ...TOKENS, ...WHOLE, name: one }, { ...OTHERS, name: other });
    const before = await filled(named('one', 'other'));
    await refuses(
      named('another', 'other'),
      /REFUSED TO KEEP QUEUES, LOGS.*expected one in us-east-1 for Tokens.*got another/,
    );
    await refuses(
      named('other', 'one'),
      /REFUSED TO KEEP QUEUES.*'Another name'.*REFUSED TO KEEP QUEUES.*'Another name'/,
    );
    // Without schedules too.
    const stopped = (one: string, other: string) =>
      configOf(
        { ...TOKENS, ...WHOLE, name: one, enabled: false },
        { ...OTHERS, name: other, enabled: false },
      );
    await deployment.deploy(stopped('one', 'other'));
    await refuses(stopped('other', 'one'), /REFUSED TO KEEP QUEUES/);
    await deployment.deploy(named('one', 'other'));
    expect(await looked()).toEqual(before);
  });

  test('gets its guard by the next deployment, where an earlier version made it', async () => {
    const config = tokens({ ...WHOLE, hold: 'legalHold' });
    const before = await filled(config);
    const keys = ['Tokens', ':sweeps/precise-ttl'];
    const guards = [
      ...keys.flatMap(key => [`running["${key}"]`, `names["${key}"]`]),
      'held["Tokens/legalHold"]',
    ].map(each => `module.created_tables.terraform_data.${each}`);
    await deployment.terraform(['state', 'rm', ...guards]);
    const { create, ...others } = await deployment.deploy(config);
    expect([create?.toSorted(), others]).toEqual([guards.toSorted(), {}]);
    await refuses(tokens({ ...WHOLE, hold: 'legalHold', name: 'other' }), /REFUSED TO KEEP QUEUES/);
    await refuses(tokens(WHOLE), /REFUSED TO KEEP WHAT IS HELD/);
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
    await emulatedClient(aws).send(new CreateTableCommand(tableInput()));
    const existing = { ...TOKENS, existingTable: true, graceSeconds: 1 };
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
    await filled(tokens({ ...WHOLE, hold: 'legalHold' }));
    await deployment.deploy(tokens({ archive: {}, hold: 'legalHold' }));
    await deployment.deploy(tokens({ archive: {}, hold: 'legalHold' }), { removed: true });
    // What was turned off before is nobody's.
    expect(Object.keys(await looked()).sort()).toEqual(
      namesOf('precise-ttl-Tokens')
        .filter(name => /event-failures|publish/.test(name))
        .sort(),
    );
    await deployment.deploy(configOf({ ...TOKENS, ...WHOLE, existingTable: true, graceSeconds: 1 }));
  });

  describe('an attribute that holds items', () => {
    const REFUSED = /REFUSED TO KEEP WHAT IS HELD.*held\["Tokens\/legalHold"\]/;
    const held = { hold: 'legalHold' };

    test.each([
      ['of a created table', {}],
      ['of an existing one', { existingTable: true }],
    ])('%s is neither renamed nor left out, until its holds are given up', async (_name, kind) => {
      await deployment.deploy(tokens(held));
      await deployment.deploy(tokens({ ...held, ...kind }));
      for (const changes of [{ hold: 'dispute' }, { graceSeconds: 1 }]) {
        await refuses(tokens({ ...kind, ...changes }), REFUSED);
        await refuses(tokens({ ...kind, ...changes, enabled: false }), REFUSED);
        await refuses(
          tokens({
            ...kind,
            ...changes,
            hold: { ...('hold' in changes && { attribute: changes.hold }), releases: 'another' },
          }),
          REFUSED,
        );
        await refuses(tokens({ ...kind, ...changes }), REFUSED);
      }
      // The field is left out again.
      await deployment.deploy(tokens({ ...kind, hold: { attribute: 'dispute', releases: 'legalHold' } }));
      await deployment.use(tokens({ ...kind, hold: 'dispute' }));
      expect(await deployment.plan()).toEqual({});
      await refuses(tokens({ ...kind, graceSeconds: 1 }), /held\["Tokens\/dispute"\]/);
      await deployment.deploy(tokens({ ...kind, graceSeconds: 1, hold: { releases: 'dispute' } }));
      await deployment.deploy(tokens({ ...kind, graceSeconds: 1 }));
    });

    test('is said first, and changed later', async () => {
      await deployment.deploy(tokens(held));
      await deployment.deploy(tokens({ ...held, hold: { attribute: 'legalHold', releases: 'legalHold' } }));
      // Left out again, it holds as before.
      await deployment.deploy(tokens(held));
      await refuses(tokens({ graceSeconds: 1 }), REFUSED);
      await deployment.deploy(tokens({ ...held, hold: { attribute: 'legalHold', releases: 'legalHold' } }));
      await deployment.deploy(tokens({ graceSeconds: 1 }));
    });

    test('has any name', async () => {
      const odd = { hold: 'a "${b}" %{c} [é]/\\' };
      await deployment.deploy(tokens(odd));
      await refuses(tokens(), /REFUSED TO KEEP WHAT IS HELD/);
      await deployment.deploy(tokens({ hold: { releases: odd.hold } }));
    });
  });
});
