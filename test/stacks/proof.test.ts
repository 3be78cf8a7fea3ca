import type { PreciseTtlProps } from '../../config/props.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { environmentOf, resources, type TerraformJson, terraformJson } from '../support/synthesized.ts';

const KEY = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-0000-0000-0000-000000000000';
const JOURNAL = /^arn:\$\{[^}]+\}:dynamodb:\$\{[^}]+\}:\$\{[^}]+\}:table\/precise-ttl-journal$/;

const synthesized = (props: Partial<PreciseTtlProps>) =>
  terraformJson(configOf({ ...SESSION_DATA, ...props }));

interface Statement {
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: object;
}

/** What the role of this name may do, without the log. */
function statementsOf(json: TerraformJson, name: string): Statement[] {
  const policy = resources(json, 'aws_iam_role_policy').find(each => each['name'] === name);
  const { Statement: all } = JSON.parse(String(policy?.['policy'])) as { Statement: Statement[] };
  return all.filter(({ Action }) => !Action[0]?.startsWith('logs:'));
}

const bucketsOf = (json: TerraformJson) => Object.keys(json.resource['aws_s3_bucket'] ?? {});
const scheduleOf = (json: TerraformJson) =>
  resources(json, 'aws_scheduler_schedule').find(({ name }) => name === 'precise-ttl-SessionData-proof');

describe('the proof of a table with an archive', () => {
  const json = synthesized({ archive: { bucket: 'law', prefix: 'gone/' } });

  test('reads the books of its table, and reads and puts in its own folder, nothing else', () => {
    const [books, objects, list, ...others] = statementsOf(json, 'precise-ttl-SessionData-write-manifest');
    expect(books).toMatchObject({
      Action: ['dynamodb:Query'],
      Resource: [expect.stringMatching(JOURNAL)],
      Condition: {
        'ForAllValues:StringLike': {
          'dynamodb:LeadingKeys': ['deleted#SessionData', 'archived#SessionData', 'kept#SessionData'],
        },
      },
    });
    const folder = /gone\/proof\/\$\{[^}]+\.name\}\/\*$/;
    expect(objects).toMatchObject({
      Action: ['s3:GetObject', 's3:PutObject'],
      Resource: [expect.stringMatching(folder)],
    });
    expect(list).toMatchObject({
      Action: ['s3:ListBucket'],
      Resource: [expect.stringMatching(/:s3:::law$/)],
      Condition: { StringLike: { 's3:prefix': [expect.stringMatching(folder)] } },
    });
    expect(others).toEqual([]);
  });

  test('is written each day, when its day has been over for two hours; what Scheduler cannot hand over goes into the queue', () => {
    expect(scheduleOf(json)).toMatchObject({
      schedule_expression: 'cron(17 3 * * ? *)',
      schedule_expression_timezone: 'UTC',
      target: {
        arn: expect.stringMatching(/write-manifest_function_/),
        dead_letter_config: { arn: expect.stringMatching(/:precise-ttl-dead-letters$/) },
        input: '{}',
      },
    });
    expect(statementsOf(json, 'precise-ttl-SessionData-proof').map(({ Action }) => Action)).toEqual([
      ['lambda:InvokeFunction'],
      ['sqs:SendMessage'],
    ]);
  });

  test('knows the journal, the bucket and that there is an archive', () => {
    expect(environmentOf(json, 'write-manifest')).toMatchObject({
      ARCHIVE_BUCKET: 'law',
      ARCHIVE_PREFIX: 'gone/',
      ARCHIVED_WITHIN_SECONDS: '240',
      JOURNAL_TABLE: 'precise-ttl-journal',
      LOG_KEYS: 'full',
    });
  });
});

test('with a key its roles may use it through DynamoDB, S3 and SQS', () => {
  const json = synthesized({ archive: {}, kmsKeyArn: KEY });
  const uses = ['write-manifest', 'proof'].map(name =>
    statementsOf(json, `precise-ttl-SessionData-${name}`).filter(({ Resource }) => Resource.includes(KEY)),
  );
  expect(uses.map(all => all.map(({ Condition }) => JSON.stringify(Condition)))).toEqual([
    [/kms:ViaService.*dynamodb/, /kms:ViaService.*s3/, /lambda:FunctionArn/i].map(each =>
      expect.stringMatching(each),
    ),
    [expect.stringMatching(/sqs:arn/)],
  ]);
});

test('without an archive it has a bucket where the archive would have it, and the sweep keeps the books', () => {
  const alone = synthesized({ proof: true });
  expect(resources(alone, 'aws_lambda_event_source_mapping')).toEqual([]);
  expect(environmentOf(alone, 'write-manifest')).not.toHaveProperty('ARCHIVED_WITHIN_SECONDS');
  expect(bucketsOf(alone)).toEqual(bucketsOf(synthesized({ archive: {} })));
  const deleting = statementsOf(alone, 'precise-ttl-delete-chunk').map(({ Action }) => Action.join());
  expect(deleting).toContain('dynamodb:PutItem');
});

test('a table without archive and proof has none', () => {
  const json = synthesized({});
  expect(scheduleOf(json)).toBeUndefined();
  expect(bucketsOf(json)).toEqual([]);
});
