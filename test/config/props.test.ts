// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references

import fc from 'fast-check';
import { modelOf } from '../../config/deployments.ts';
import { propProblems } from '../../config/prop-problems.ts';
import { type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import { type ExpiryModelProps, expiryModel } from '../../expiry/model.ts';
import { GRANULARITIES } from '../../expiry/window.ts';
import { modelPropsOfSettings } from '../../functions/runtime/environment.ts';
import { TASKS } from '../../statemachine/contract/machines.ts';
import { anyCharacter } from '../support/any-character.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { sessionTable } from '../support/handmade-stack.ts';
import { type Resource, resources, terraformJson } from '../support/synthesized.ts';

const name = fc
  .string({ unit: anyCharacter, minLength: 1, maxLength: 30 })
  .filter(text => !text.includes('\0'));
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

/** Configurations of a table as far as its model goes; fields that are undefined are left out. */
const configurations: fc.Arbitrary<PreciseTtlProps> = fc
  .record({
    tableName: fc.constant('Sessions'),
    partitionKey: name,
    sortKey: optional(name),
    ttlAttribute: optional(name),
    indexedBy: optional(fc.constantFrom('window' as const, 'second' as const)),
    windowAttribute: optional(name),
    granularityMinutes: optional(fc.constantFrom(...GRANULARITIES)),
    shards: optional(fc.integer({ min: 1, max: 100 })),
  })
  .map(({ indexedBy: by, windowAttribute: attribute, granularityMinutes, shards, ...props }) => ({
    ...props,
    index: { by, ...(by !== 'second' && { attribute, granularityMinutes, shards }) },
  }))
  .map(props => JSON.parse(JSON.stringify(props)) as PreciseTtlProps)
  .filter(props => propProblems(props).length === 0);

test('as JSON it makes the model of the deployment again, with nothing left to a default', () => {
  const property = fc.property(configurations, props => {
    const json = JSON.stringify(modelPropsOfSettings(resolveProps(props)));
    const read: ExpiryModelProps = JSON.parse(json);
    expect(expiryModel(read)).toEqual(modelOf(props));
    const fields = ['partitionKey', 'ttlAttribute', 'indexedBy', ...(props.sortKey ? ['sortKey'] : [])];
    const byWindow = ['windowAttribute', 'granularityMinutes', 'shards'];
    const expected = props.index?.by === 'second' ? fields : [...fields, ...byWindow];
    expect(Object.keys(read).sort()).toEqual(expected.sort());
  });
  fc.assert(property);
});

const KEY = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-0000';

const synthesized = (props: Partial<PreciseTtlProps>) =>
  terraformJson(configOf({ ...SESSION_DATA, ...props }));

function tableWith(props: Partial<PreciseTtlProps>): Resource {
  const [table] = resources(synthesized(props), 'aws_dynamodb_table');
  return table ?? {};
}

test('a created table has what a team would make by hand, and further indexes, replicas and streams are left alone', () => {
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
      postcondition: [
        expect.objectContaining({ condition: expect.stringContaining('expirationWindowIndex') }),
      ],
    },
  });
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
    for (const role of [TASKS.RecordMetrics, 'precise-ttl-sweep', '-schedule'])
      expect(onKey(props, role)).toEqual([]);
  });
});
