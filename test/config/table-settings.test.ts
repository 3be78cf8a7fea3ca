// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { checkConfig } from '../../config/config.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { TASKS } from '../../statemachine/contract/machines.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { sessionTable } from '../support/handmade-stack.ts';
import { type Resource, resources, terraformJson } from '../support/synthesized.ts';

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
    for (const role of [TASKS.RecordMetrics, 'precise-ttl-sweep', '-replay', '-schedule'])
      expect(onKey(props, role)).toEqual([]);
  });
});

test('the ARN of an alias is refused', () => {
  expect(() => checkConfig(configOf({ ...SESSION_DATA, tableKmsKeyArn: 'alias/mine' }))).toThrow(
    /tableKmsKeyArn: expected the ARN of a key and not of an alias/,
  );
});
