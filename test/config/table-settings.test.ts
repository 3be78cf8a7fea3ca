// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { checkConfig } from '../../config/config.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { MIN_WARM, STREAM_VIEWS, TABLE_CLASSES } from '../../config/table-settings.ts';
import { TASKS } from '../../statemachine/contract/machines.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { sessionTable } from '../support/handmade-stack.ts';
import { type Resource, resources, terraformJson } from '../support/synthesized.ts';

const KEY = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-0000';
const EXISTING = { ...SESSION_DATA, existingTable: true };

const synthesized = (props: Partial<PreciseTtlProps>) =>
  terraformJson(configOf({ ...SESSION_DATA, ...props }));

function tableWith(props: Partial<PreciseTtlProps>): Resource {
  const [table] = resources(synthesized(props), 'aws_dynamodb_table');
  return table ?? {};
}

function leftAlone(props: Partial<PreciseTtlProps>): unknown {
  const { lifecycle } = tableWith(props) as {
    lifecycle: { ignore_changes: string[]; prevent_destroy: boolean };
  };
  expect(lifecycle.prevent_destroy).toBe(true);
  return lifecycle.ignore_changes;
}

test('a table that was created before these props were there is not changed', () => {
  const { '//': _comment, ...table } = tableWith({});
  expect(table).toEqual({
    ...sessionTable(),
    // What the provider takes when nothing is said.
    table_class: 'STANDARD',
    deletion_protection_enabled: true,
    point_in_time_recovery: { enabled: true },
    lifecycle: {
      prevent_destroy: true,
      ignore_changes: [
        'attribute',
        'global_secondary_index',
        'replica',
        'stream_enabled',
        'stream_view_type',
      ],
    },
  });
});

test.each(STREAM_VIEWS)('a stream of %s', stream => {
  expect(tableWith({ newTable: { stream } })).toMatchObject({
    stream_enabled: true,
    stream_view_type: stream,
  });
  expect(leftAlone({ newTable: { stream } })).toEqual(['attribute', 'global_secondary_index', 'replica']);
});

test.each(TABLE_CLASSES)('the class %s', tableClass => {
  expect(tableWith({ newTable: { tableClass } })).toMatchObject({ table_class: tableClass });
});

test('a provisioned table gives its index as much, or what is said of it', () => {
  const index = (table: Resource) => (table['global_secondary_index'] as Resource[])[0];
  const same = tableWith({ newTable: { provisionedCapacity: { read: 7, write: 9 } } });
  expect(same).toMatchObject({ billing_mode: 'PROVISIONED', read_capacity: 7, write_capacity: 9 });
  expect(index(same)).toMatchObject({ read_capacity: 7, write_capacity: 9 });
  const own = tableWith({
    newTable: { provisionedCapacity: { read: 7, write: 9, indexRead: 3, indexWrite: 18 } },
  });
  expect(own).toMatchObject({ read_capacity: 7, write_capacity: 9 });
  expect(index(own)).toMatchObject({ read_capacity: 3, write_capacity: 18 });
});

test('of a provisioned table the indexes are managed, which have the capacity, and no attribute is', () => {
  expect(leftAlone({ newTable: { provisionedCapacity: { read: 1, write: 1 } } })).toEqual([
    'attribute',
    'replica',
    'stream_enabled',
    'stream_view_type',
  ]);
});

test('a warm table has a warm index, and neither is changed later: DynamoDB raises both by itself', () => {
  const warm = { read_units_per_second: 20_000, write_units_per_second: 8_000 };
  const table = tableWith({ newTable: { warmThroughput: { read: 20_000, write: 8_000 } } });
  expect(table).toMatchObject({ warm_throughput: warm, global_secondary_index: [{ warm_throughput: warm }] });
  expect(leftAlone({ newTable: { warmThroughput: MIN_WARM } })).toEqual([
    'attribute',
    'global_secondary_index',
    'replica',
    'stream_enabled',
    'stream_view_type',
    'warm_throughput',
  ]);
});

describe('the key of the table', () => {
  interface Statement {
    readonly Action: readonly string[];
    readonly Resource: readonly string[];
    readonly Condition?: { readonly StringLike: Readonly<Record<string, string>> };
  }

  const onKey = (props: Partial<PreciseTtlProps>, role: string): Statement[] => {
    const policy = resources(synthesized(props), 'aws_iam_role_policy').find(({ name }) =>
      String(name).endsWith(role),
    );
    const { Statement: all } = JSON.parse(String(policy?.['policy'])) as { Statement: Statement[] };
    return all.filter(({ Resource: on }) => on.includes(KEY));
  };
  const READ = ['kms:Decrypt', 'kms:DescribeKey'];
  const WRITE = ['kms:Encrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*'];

  test('encrypts a created table, and nothing else', () => {
    const json = synthesized({ tableKmsKeyArn: KEY });
    expect(resources(json, 'aws_dynamodb_table')[0]).toMatchObject({
      server_side_encryption: { enabled: true, kms_key_arn: KEY },
    });
    expect(resources(json, 'aws_lambda_function')[0]).not.toHaveProperty('kms_key_arn');
  });

  test.each([
    ['created', {}],
    ['existing', { existingTable: true }],
  ])('of a %s table may be used by the roles that read or delete, through DynamoDB alone', (_what, of) => {
    const props = { ...of, tableKmsKeyArn: KEY };
    for (const role of [TASKS.PlanSweep, TASKS.QueryExpired]) {
      expect(onKey(props, `precise-ttl-${role}`).map(({ Action }) => Action)).toEqual([READ]);
    }
    expect(onKey(props, TASKS.DeleteChunk)).toEqual([
      {
        Effect: 'Allow',
        Action: [...READ, ...WRITE],
        Resource: [KEY],
        Condition: {
          StringLike: {
            'kms:ViaService': expect.stringMatching(
              /^dynamodb\.\$\{data\.aws_region\.[^}]+\}\.amazonaws\.\*$/,
            ),
          },
        },
      },
    ]);
    for (const role of [TASKS.RecordMetrics, 'precise-ttl-sweep', '-replay', '-schedule'])
      expect(onKey(props, role)).toEqual([]);
  });
});

test.each<[Partial<PreciseTtlProps> | object, RegExp]>([
  [
    { newTable: { stream: 'new_image' } },
    /newTable\.stream: expected one of "KEYS_ONLY", "NEW_IMAGE".* got "new_image"/,
  ],
  [{ newTable: { stream: true } }, /newTable\.stream: expected one of/],
  [
    { newTable: { tableClass: 'INFREQUENT' } },
    /newTable\.tableClass: expected one of "STANDARD", "STANDARD_INFREQUENT_ACCESS"/,
  ],
  [{ tableKmsKeyArn: 'alias/mine' }, /tableKmsKeyArn: expected the ARN of a key and not of an alias/],
  [
    { newTable: { provisionedCapacity: 5 } },
    /newTable\.provisionedCapacity: expected \{ read: …, write: … \}/,
  ],
  [
    { newTable: { provisionedCapacity: { read: 5 } } },
    /newTable\.provisionedCapacity\.write: expected a whole number of units .*Add the field/,
  ],
  [
    { newTable: { provisionedCapacity: { read: 0, write: 5 } } },
    /newTable\.provisionedCapacity\.read: expected .* from 1/,
  ],
  [
    { newTable: { provisionedCapacity: { read: 1, write: 1.5 } } },
    /newTable\.provisionedCapacity\.write: expected a whole number/,
  ],
  [
    { newTable: { provisionedCapacity: { read: 1, write: 1, index: { write: 1 } } } },
    /newTable\.provisionedCapacity\.index: expected.*indexRead/s,
  ],
  [
    { newTable: { warmThroughput: { read: 11_999, write: 4_000 } } },
    /newTable\.warmThroughput\.read: expected .* from 12000/,
  ],
  [
    { newTable: { warmThroughput: { read: 12_000, write: 3_999 } } },
    /newTable\.warmThroughput\.write: expected .* from 4000/,
  ],
  [
    { newTable: { warmThroughput: MIN_WARM, provisionedCapacity: { read: 1, write: 1 } } },
    /newTable\.warmThroughput: expected none with newTable\.provisionedCapacity/,
  ],
  [
    { existingTable: true, newTable: { stream: 'NEW_IMAGE' } },
    /newTable: expected none with existingTable: true/,
  ],
  [
    { existingTable: true, newTable: { tableClass: 'STANDARD' } },
    /newTable: expected none with existingTable: true/,
  ],
  [
    { existingTable: true, newTable: { provisionedCapacity: { read: 1, write: 1 } } },
    /newTable: expected none with existingTable: true/,
  ],
  [
    { existingTable: true, newTable: { warmThroughput: MIN_WARM } },
    /newTable: expected none with existingTable: true/,
  ],
])('refuses %j', (props, message) => {
  expect(() => checkConfig(configOf({ ...SESSION_DATA, ...props }))).toThrow(message);
});

test.each<Partial<PreciseTtlProps>>([
  { newTable: { warmThroughput: MIN_WARM } },
  { newTable: { provisionedCapacity: { read: 1, write: 1 } } },
  { ...EXISTING, tableKmsKeyArn: KEY },
])('takes %j', props => {
  expect(() => checkConfig(configOf({ ...SESSION_DATA, ...props }))).not.toThrow();
});
