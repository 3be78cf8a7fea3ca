import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { App, LocalBackend, TerraformStack } from 'cdktf';
import fc from 'fast-check';
import { fieldPathOf, pathOf } from '../../config/prop-groups.ts';
import { DEPLOYMENT_PROPS, type PreciseTtlProps, readsStream, settingsOfProps } from '../../config/props.ts';
import type { ArchiveProp, DestinationName, EventsProp } from '../../config/stream-props.ts';
import { withoutDeprecations } from '../../stacks/app.ts';
import { constructProblems, type SweptTableProps, type TablesProps } from '../../stacks/construct-props.ts';
import { PreciseTtl } from '../../stacks/precise-ttl.ts';
import { snake } from '../../stacks/terraform-module/snake.ts';
import { writeTerraformModule } from '../../stacks/terraform-module/write.ts';
import { anyConfig } from '../support/any-config.ts';
import { BROKEN_RELATIONS } from '../support/broken-relations.ts';
import { inputsOf } from './support/module-inputs.ts';
import {
  describeWithTerraform,
  type EmulatedAws,
  emulatedClient,
  startEmulatedAws,
} from './support/proof.ts';
import { TerraformRoot } from './support/terraform-root.ts';

/** Not of the module, or of its tables' resources. */
const LEFT_OUT = ['newTable', 'existingTable', 'sweep', 'name', 'tags', 'roleArns'];

function without(values: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}

function given(name: string) {
  const arn = `arn:aws:dynamodb:us-east-1:123456789012:table/${name}`;
  return { name, arn, streamArn: `${arn}/stream/2026-11-22T09:00:00.000` };
}

const arnOf = (service: string, rest: string) => `arn:aws:${service}:us-east-1:123456789012:${rest}`;

const EVENTS: Readonly<Record<DestinationName, EventsProp>> = {
  eventBus: { eventBus: arnOf('events', 'event-bus/orders') },
  queueArn: { queueArn: arnOf('sqs', 'expired.fifo'), oldImage: true },
  functionArn: { functionArn: arnOf('lambda', 'function:on-expiry:live'), includePast: true },
  streamArn: { streamArn: arnOf('kinesis', 'stream/expired'), oldImage: false },
};
const DESTINATIONS = Object.values(EVENTS);

/** Deployments of given tables, drawn from the props' own rules. What tables can have for themselves is drawn more often. */
const anyDeployment = fc
  .tuple(anyConfig, fc.option(fc.constantFrom(...DESTINATIONS), { nil: undefined }))
  .map(([{ tables }, events]) => {
    const [{ alarms, ...first } = { alarms: {} }] = tables;
    const shared = Object.fromEntries(
      Object.entries(without(first, LEFT_OUT)).filter(([name]) =>
        (DEPLOYMENT_PROPS as readonly string[]).includes(name),
      ),
    );
    const names = [...new Set([...tables.map(table => table.tableName), 'Other'])];
    return {
      ...shared,
      ...(alarms !== undefined && { alarms }),
      tables: names.map((name, at) => {
        const {
          tableName,
          events: _events,
          archive,
          ...table
        } = without(tables[at % tables.length] ?? {}, [...LEFT_OUT, ...DEPLOYMENT_PROPS]);
        const { index, hold } = table as Pick<SweptTableProps, 'index' | 'hold'>;
        const { holdAttribute } = settingsOfProps({ tableName, partitionKey: 'id', hold } as PreciseTtlProps);
        return {
          ...table,
          name: `own-${at}`,
          index,
          hold: holdAttribute,
          ...(events !== undefined && { events }),
          ...(archive !== undefined && {
            archive: { ...without(archive as ArchiveProp, ['coldAfterDays']), bucket: 'the-archive' },
          }),
          table: given(name),
        };
      }),
    } as unknown as TablesProps;
  })
  .filter(props => constructProblems(props).length === 0);

/** Deployments of everything that a table can have for itself, under the name that it has by default. */
const ONE_OF_EACH: readonly TablesProps[] = [
  {
    kmsKeyArn: arnOf('kms', 'key/1234abcd'),
    alarms: { archiveDelay: { threshold: 60_000 }, archiveFailures: { periods: 2 } },
    tables: [
      { table: given('Kept'), partitionKey: 'id', archive: { bucket: 'the-archive' } },
      {
        table: given('First'),
        partitionKey: 'id',
        archive: {
          bucket: 'another',
          prefix: 'expired/',
          removals: 'all',
          format: 'json',
          batchSeconds: 5,
        },
      },
    ],
  },
  {
    tables: [
      {
        table: given('Graced'),
        partitionKey: 'id',
        archive: { bucket: 'the-archive' },
        graceSeconds: 60,
      },
      { table: given('Beside'), partitionKey: 'id', enabled: false },
    ],
  },
  {
    metrics: 'essential',
    tables: [
      {
        table: given('By.Window'),
        partitionKey: 'id',
        sortKey: 'at',
        hold: 'held',
      },
      { table: given('Plain'), partitionKey: 'id', index: { by: 'second' } },
    ],
  },
  {
    kmsKeyArn: arnOf('kms', 'key/1234abcd'),
    alarms: { eventDelay: { threshold: 60_000 }, eventFailures: { periods: 2 } },
    tables: DESTINATIONS.map((events, index) => ({
      table: given(`Events.${index}`),
      partitionKey: 'id',
      index: { by: 'second' },
      events,
    })),
  },
  {
    alarms: { eventDelay: false },
    vpc: { subnetIds: ['subnet-0a1b'], securityGroupIds: ['sg-0a1b'] },
    tables: DESTINATIONS.map((events, index) => ({
      table: given(`Own.${index}`),
      ...{ partitionKey: 'id', tableKmsKeyArn: arnOf('kms', 'key/1234abcd') },
      events,
    })),
  },
];

/** So many drawn deployments are compared, besides one of each. */
const SETS = Number(process.env['MODULE_SETS'] ?? 2);
const COMPARED_MS = Math.max(1_200_000, SETS * 60_000);

/** Each with names of its own. */
function named(props: TablesProps, index: number): TablesProps & { readonly name: string } {
  return {
    ...props,
    name: `d${index}`,
    tables: props.tables.map(table => ({ ...table, ...(table.name && { name: `d${index}-${table.name}` }) })),
  };
}

const TOPIC = ['aws_sns_topic', 'aws_sns_topic_policy'];

interface Shown {
  readonly resources?: readonly { mode: string; type: string; values: Record<string, unknown> }[];
  readonly child_modules?: readonly Shown[];
}

/** What was deployed, by type and name, as far as the two ways have to agree. */
async function deployed(root: TerraformRoot): Promise<Record<string, unknown>> {
  const { values } = JSON.parse(await root.succeed(['show', '-json'])) as { values: { root_module: Shown } };
  const all = (module: Shown): NonNullable<Shown['resources']>[number][] => [
    ...(module.resources ?? []),
    ...(module.child_modules ?? []).flatMap(all),
  ];
  return Object.fromEntries(
    all(values.root_module)
      // The module always has its topic.
      .filter(({ mode, type }) => mode === 'managed' && !TOPIC.includes(type) && type.startsWith('aws_'))
      .map(({ type, values: own }) => [`${type} ${nameOf(own)}`, comparable(own)]),
  );
}

function nameOf(own: Record<string, unknown>): string {
  return String(own['name'] ?? own['function_name'] ?? own['alarm_name'] ?? own['dashboard_name'] ?? '');
}

/** Makes the tables that have to have a stream, which the emulator looks for, and gives their ARNs. */
async function withStreams<Props extends TablesProps>(
  aws: EmulatedAws,
  deployments: readonly Props[],
): Promise<Props[]> {
  const client = emulatedClient(aws);
  const given = deployments.flatMap(({ tables }) => tables.filter(readsStream));
  const names = new Set(given.flatMap(({ table }) => table?.name ?? []));
  const arns = new Map<string, string>();
  for (const TableName of names) {
    const { TableDescription } = await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      }),
    );
    arns.set(TableName, TableDescription?.LatestStreamArn ?? '');
  }
  client.destroy();
  return deployments.map(props => ({
    ...props,
    tables: props.tables.map(each => {
      const streamArn = arns.get(each.table?.name ?? '');
      return { ...each, table: { ...each.table, ...(streamArn !== undefined && { streamArn }) } };
    }),
  }));
}

/** Where the archives lie, what the dashboard's text is, and which table the only one is, differ. */
const DIFFERENT = [
  'filename',
  'source_code_hash',
  'dashboard_body',
  'id',
  'revision_id',
  'state_machine_version_arn',
  'creation_date',
  'last_modified',
  'last_modification_date',
  'code_sha256',
  'create_date',
  'unique_id',
  'stream_arn',
  'stream_label',
  'uuid',
  'state_transition_reason',
];

/** When a stream was made, and since when its events are sent; the id of who reads it. */
const DIFFERENT_TEXTS =
  /(?<=\/stream\/)2[0-9T:.-]+|(?<="EVENTS_SINCE":")[^"]+|(?<=event-source-mapping:)[^"]+/g;

function comparable(own: Record<string, unknown>): unknown {
  const {
    policy,
    definition,
    target,
    name,
    tags_all: _tags,
    assume_role_policy: trust,
    ...rest
  } = without(own, DIFFERENT);
  return JSON.parse(
    sorted({
      ...rest,
      ...(typeof target !== 'object' && { name }),
      tags: own['tags'] ?? {},
      ...(typeof trust === 'string' && { trust: JSON.parse(trust) }),
      ...(typeof policy === 'string' && policy !== '' && { policy: statements(policy) }),
      ...(typeof definition === 'string' && { definition: JSON.parse(definition) }),
    }).replaceAll(DIFFERENT_TEXTS, '…'),
  );
}

interface InIam {
  readonly Resource: readonly string[];
}

/** Statements that differ by their resources only are one. */
function statements(policy: string): Record<string, readonly string[]> {
  const groups: Record<string, readonly string[]> = {};
  for (const { Resource, ...rest } of JSON.parse(policy).Statement as InIam[]) {
    groups[sorted(rest)] = [...new Set([...(groups[sorted(rest)] ?? []), ...Resource])].sort();
  }
  return groups;
}

/** JSON with its keys in order, and the lists of tables by their names. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (key, each) => {
    if (key === 'tables' && Array.isArray(each))
      return [...each].sort((one, other) =>
        JSON.stringify(one.tableName ?? one) < JSON.stringify(other.tableName ?? other) ? -1 : 1,
      );
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

const BY_ID = { partitionKey: 'id' } as const;

interface Refused {
  readonly what: string;
  readonly props: TablesProps;
  readonly message: string | RegExp;
}

/** What the module refuses, and what it says. */
const REFUSED: readonly Refused[] = [
  {
    what: 'a name that is too long',
    props: { tables: [{ table: given('T'.repeat(34)), ...BY_ID }] },
    message: `tables, name: expected at most 45 characters, got precise-ttl-${'T'.repeat(34)} for t0.`,
  },
  {
    what: 'a name with a blank',
    props: { tables: [{ table: given('Tokens'), ...BY_ID, name: 'a b' }] },
    message: 'tables, name: expected a name of 1 to 45 letters, digits, `_` and `-`, got "a b" for t0.',
  },
  {
    what: 'names that differ by case only',
    props: {
      tables: [
        { table: given('Tokens'), ...BY_ID },
        { table: given('tokens'), ...BY_ID },
      ],
    },
    message:
      'got {"t0":"precise-ttl-Tokens","t1":"precise-ttl-tokens"} in precise-ttl. Give one of them another name.',
  },
  {
    what: 'events to two places',
    props: {
      tables: [{ table: given('Tokens'), ...BY_ID, events: Object.assign({}, ...DESTINATIONS.slice(0, 2)) }],
    },
    message:
      'tables, events: expected exactly one of event_bus, queue, function, stream, got ["event_bus","queue"] for t0. Say where',
  },
  {
    what: 'events to nowhere',
    props: { tables: [{ table: given('Tokens'), ...BY_ID, events: { oldImage: true } }] },
    message: 'tables, events: expected exactly one of event_bus, queue, function, stream, got [] for t0.',
  },
  ...(
    [
      [{ bucket: 'The_Archive' }, 'bucket.id', '"The_Archive"'],
      [{ prefix: '/expired/' }, 'prefix', '"/expired/"'],
      [{ prefix: 'expired/../' }, 'prefix', '"expired/../"'],
      [{ prefix: 'expired' }, 'prefix', '"expired"'],
      [{ batchSeconds: 301 }, 'batch_seconds', '301'],
      [{ removals: 'some' }, 'removals', '"some"'],
      [{ format: 'csv' }, 'format', '"csv"'],
    ] as const
  ).map(([archive, field, got]) => ({
    what: `an archive with ${JSON.stringify(archive)}`,
    props: { tables: [{ table: given('Tokens'), ...BY_ID, archive: archive as ArchiveProp }] },
    message: new RegExp(`tables, archive\\.${field}: expected .*, got ${got} for t0\\.`),
  })),
  {
    what: 'an archive of a table without a stream',
    props: { tables: [{ table: { name: 'Tokens', arn: given('Tokens').arn }, ...BY_ID, archive: {} }] },
    message: 'tables, table.stream_view_type: expected "OLD_IMAGE" or "NEW_AND_OLD_IMAGES" with archive',
  },
  {
    what: 'events of a table without a stream',
    props: {
      tables: [
        { table: { name: 'Tokens', arn: given('Tokens').arn }, ...BY_ID, events: DESTINATIONS[0] ?? {} },
      ],
    },
    message:
      'tables, table.stream_view_type: expected "OLD_IMAGE" or "NEW_AND_OLD_IMAGES" with archive or events, got null for t0.',
  },
  {
    what: 'events to a bus by its name',
    props: { tables: [{ table: given('Tokens'), ...BY_ID, events: { eventBus: 'default' } }] },
    message: 'tables, events.event_bus.arn: expected the ARN of an event bus, got "default" for t0.',
  },
  {
    what: 'events to the queue of a table',
    props: {
      tables: [
        {
          table: given('Tokens'),
          ...BY_ID,
          events: { queueArn: arnOf('sqs', 'precise-ttl-Tokens-event-failures') },
        },
      ],
    },
    message: "tables, events.queue.arn: expected a queue that is not this deployment's own, got",
  },
  {
    what: 'events to a function of the deployment',
    props: {
      name: 'own',
      tables: [
        {
          table: given('Tokens'),
          ...BY_ID,
          events: { functionArn: arnOf('lambda', 'function:own-plan-sweep:live') },
        },
      ],
    },
    message: "tables, events.function.arn: expected a function that is not this deployment's own, got",
  },
  {
    what: 'an alarm of events without any',
    props: { alarms: { eventDelay: { periods: 2 } }, tables: [{ table: given('Tokens'), ...BY_ID }] },
    message: 'alarms.event_delay: expected nothing without events, got',
  },
];

const PROVIDER = 'provider "aws" {\n  region = "us-east-1"\n}\n';

describeWithTerraform('the Terraform module', () => {
  let aws: EmulatedAws;
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-module-'));

  beforeAll(async () => {
    aws = await startEmulatedAws();
    writeTerraformModule(folder);
  });

  afterAll(async () => {
    await aws?.stop();
    rmSync(folder, { recursive: true });
  });

  test('is formatted and valid, and its example is deployed, with an empty second plan', async () => {
    const root = new TerraformRoot(join(folder, 'examples/two-tables'), aws);
    expect((await new TerraformRoot(folder, aws).terraform(['fmt', '-check', '-recursive'])).output).toBe('');
    await root.succeed(['init', '-input=false']);
    await root.succeed(['validate']);
    expect(await root.succeed(['test'])).toContain('1 passed, 0 failed');
    const { create = [], ...others } = await root.deploy();
    expect(others).toEqual({});
    expect(create).toContain('module.precise_ttl.aws_sfn_state_machine.sweep_machine');

    expect(create).toContain(
      'module.precise_ttl.module.events["tokens"].aws_lambda_event_source_mapping.reader_mapping',
    );

    // A tag of tables is no update of anything else.
    expect(await root.plan({ TF_VAR_team: 'sessions' })).toEqual({
      update: ['aws_dynamodb_table.sessions', 'aws_dynamodb_table.tokens'],
    });
  });

  describe('refuses before anything is planned', () => {
    let root: TerraformRoot;
    const write = (props: TablesProps) =>
      writeFileSync(
        join(root.folder, 'main.tf.json'),
        JSON.stringify({ module: { own: { source: folder, ...inputsOf(props) } } }, null, 1),
      );
    beforeAll(async () => {
      root = new TerraformRoot(mkdtempSync(join(tmpdir(), 'precise-ttl-refused-')), aws);
      writeFileSync(join(root.folder, 'provider.tf'), PROVIDER);
      write({ tables: [{ table: given('Tokens'), ...BY_ID }] });
      await root.succeed(['init', '-input=false']);
    });
    afterAll(() => rmSync(root.folder, { recursive: true }));

    test.each(REFUSED)('$what', async ({ props, message }) => {
      write(props);
      const refusal = await root.plan();
      if (typeof message === 'string') expect(refusal).toContain(message);
      else expect(refusal).toMatch(message);
    });

    test('what the construct refuses between props, of each table', async () => {
      const broken = BROKEN_RELATIONS.filter(({ field }) => !LEFT_OUT.includes(field));
      const tables = broken.map(({ props }, index) => ({ table: given(`T${index}`), ...props }));
      write({ tables: tables as unknown as TablesProps['tables'] });
      const refusal = await root.plan();
      if (typeof refusal !== 'string') throw new Error('expected a refusal');
      const said = refusal.match(/(?<=tables, )[\w.]+: expected .*? for t\d+(?=\.)/gs);
      const inOneLine = said?.map(each => each.replace(/: expected .* for /s, ' of '));
      expect(inOneLine?.sort()).toEqual(
        broken.map(({ field }, index) => `${snake(namedInModule(field))} of t${index}`).sort(),
      );
    });
  });

  test('refuses to take away or change what holds items, until it is given up by its name', async () => {
    await aws.reset();
    const root = new TerraformRoot(mkdtempSync(join(tmpdir(), 'precise-ttl-held-')), aws);
    const write = (hold: Pick<SweptTableProps, 'hold'>) => {
      const tables = [
        { table: given('Orders'), ...BY_ID, ...hold },
        { table: given('Plain'), ...BY_ID },
      ];
      const module = { own: { source: folder, ...inputsOf({ tables }) } };
      writeFileSync(join(root.folder, 'main.tf.json'), JSON.stringify({ module }));
    };
    const address = (attribute: string) =>
      `module.own.terraform_data.held_unless_in_releases_holds_of["t0/${attribute}"]`;
    const refused = async (attribute: string) => {
      const refusal = await root.plan();
      expect(refusal).toContain('Instance cannot be destroyed');
      expect(refusal).toContain(address(attribute));
    };
    try {
      writeFileSync(join(root.folder, 'provider.tf'), PROVIDER);
      write({});
      await root.succeed(['init', '-input=false']);
      await root.deploy();

      write({ hold: 'legalHold' });
      expect((await root.deploy())['create']).toEqual([address('legalHold')]);

      write({});
      await refused('legalHold');
      write({ hold: 'dispute' });
      await refused('legalHold');

      write({ hold: { attribute: 'dispute', releases: 'legalHold' } });
      expect((await root.deploy())['create']).toEqual([address('dispute')]);
      write({ hold: 'dispute' });
      await refused('legalHold');

      // As docs/use.md has it, to forget what is given up.
      await root.succeed(['state', 'rm', address('legalHold')]);
      expect(await root.plan()).toEqual({});
    } finally {
      rmSync(root.folder, { recursive: true });
    }
  });

  test(
    'deploys what the construct does with the same props',
    async () => {
      await aws.reset();
      const drawn = [...ONE_OF_EACH, ...fc.sample(anyDeployment, { numRuns: SETS, seed: 1 })].map(named);
      let deployments = await withStreams(aws, drawn);

      const outdir = mkdtempSync(join(tmpdir(), 'precise-ttl-constructs-'));
      const app = new App({ outdir });
      const stack = new TerraformStack(app, 'own');
      new AwsProvider(stack, 'aws', { region: 'us-east-1' });
      // By default it is in the working directory, where the next run would find it.
      new LocalBackend(stack, { path: join(outdir, 'own.tfstate') });
      for (const props of deployments) new PreciseTtl(stack, props.name, props);
      withoutDeprecations(() => app.synth());
      const constructs = new TerraformRoot(join(outdir, 'stacks/own'), aws);
      await constructs.succeed(['init', '-input=false']);
      await constructs.deploy();
      const expected = await deployed(constructs);
      await aws.reset();
      deployments = await withStreams(aws, drawn);

      const modules = new TerraformRoot(mkdtempSync(join(tmpdir(), 'precise-ttl-blocks-')), aws);
      writeFileSync(join(modules.folder, 'provider.tf'), PROVIDER);
      const blocks = deployments.map(props => [props.name, { source: folder, ...inputsOf(props) }]);
      writeFileSync(
        join(modules.folder, 'main.tf.json'),
        JSON.stringify({ module: Object.fromEntries(blocks) }),
      );
      await modules.succeed(['init', '-input=false']);
      await modules.deploy();
      const actual = await deployed(modules);
      rmSync(outdir, { recursive: true });
      rmSync(modules.folder, { recursive: true });

      expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort());
      expect(actual).toEqual(expected);
      expect(Object.keys(actual).length).toBeGreaterThan(20 * SETS);
    },
    COMPARED_MS,
  );
});

/** The name by which the module refuses a setting. The keys are those of the table's resource, and in no group. */
function namedInModule(field: string): string {
  return pathOf(field) === field ? field : fieldPathOf(field);
}
