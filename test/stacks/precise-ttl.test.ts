// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PreciseTtlProps } from '../../config/props.ts';
import { STACK } from '../../stacks/app.ts';
import { TASKS } from '../../statemachine/contract/machines.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import {
  resources,
  settingsIn,
  sweptTables,
  synthesizeToFolder,
  type TerraformJson,
  terraformJson,
} from '../support/synthesized.ts';

const json = terraformJson(configOf(SESSION_DATA));

interface Policy {
  readonly Statement: readonly {
    readonly Action: readonly string[] | string;
    readonly Resource: readonly string[];
    readonly Condition?: unknown;
  }[];
}

/** The permissions of the role with this name, as `action on resource`, with references cut to what they refer to. */
function permissions(terraform: TerraformJson, roleName: string): string[] {
  const policy = resources(terraform, 'aws_iam_role_policy').find(({ name }) => name === roleName);
  const { Statement } = JSON.parse(String(policy?.['policy'])) as Policy;
  return Statement.flatMap(({ Action, Resource: on }) =>
    [Action].flat().flatMap(action => on.map(resource => `${action} on ${readable(resource)}`)),
  ).sort();
}

/** `${aws_dynamodb_table.SessionData_table_table_1234.arn}/index/x` → `aws_dynamodb_table/index/x` */
function readable(resource: string): string {
  return resource
    .replaceAll(/\$\{data\.aws_partition[^}]*\}/g, 'aws')
    .replaceAll(/\$\{data\.aws_region[^}]*\}/g, 'REGION')
    .replaceAll(/\$\{data\.aws_caller_identity[^}]*\}/g, 'ACCOUNT')
    .replaceAll(/\$\{(?:data\.)?(aws_[a-z_]+)\.(?:sweeps_[a-z-]+_|[A-Za-z]+_)([a-z-]+)_[^}]*\}/g, '$1($2)');
}

function trusted(terraform: TerraformJson, roleName: string) {
  const role = resources(terraform, 'aws_iam_role').find(({ name }) => name === roleName);
  return JSON.parse(String(role?.['assume_role_policy'])).Statement[0];
}

describe('the table', () => {
  test('by second has the TTL attribute as the only key of the index', () => {
    const json = terraformJson(
      configOf({ tableName: 'Tokens', partitionKey: 'id', index: { by: 'second' } }),
    );
    const [table] = sweptTables(json);
    expect(table).toMatchObject({
      attribute: [
        { name: 'id', type: 'S' },
        { name: 'ttl', type: 'N' },
      ],
      global_secondary_index: [{ name: 'expirySecondIndex', hash_key: 'ttl', projection_type: 'KEYS_ONLY' }],
    });
    expect(JSON.stringify({ ...table, lifecycle: {} })).not.toContain('range_key');
    expect(settingsIn(json)).toMatchObject([{ tableName: expect.any(String), indexedBy: 'second' }]);
  });

  test('can be of any key type, without sort key', () => {
    const { sortKey, ...hashOnly } = SESSION_DATA;
    expect(sortKey).toBeDefined();
    const [other] = sweptTables(
      terraformJson(configOf({ ...hashOnly, partitionKey: { name: 'UserName', type: 'B' } })),
    );
    expect(other).not.toHaveProperty('range_key');
    expect(other?.['attribute']).toContainEqual({ name: 'UserName', type: 'B' });
  });

  test('that is there already is looked up, and nothing of it is changed', () => {
    const existing = terraformJson(configOf({ ...SESSION_DATA, existingTable: true }));
    expect(sweptTables(existing)).toEqual([]);
    expect(permissions(existing, 'precise-ttl-query-expired')).toContain(
      'dynamodb:Query on aws_dynamodb_table(table)/index/expirationWindowIndex',
    );
  });
});

test('the journal is a table on demand, whose rows expire, and is protected', () => {
  const journal = resources(json, 'aws_dynamodb_table').find(({ name }) => name === 'precise-ttl-journal');
  expect(journal).toMatchObject({
    billing_mode: 'PAY_PER_REQUEST',
    hash_key: 'id',
    range_key: 'at',
    ttl: { attribute_name: 'expires', enabled: true },
    point_in_time_recovery: { enabled: true },
    deletion_protection_enabled: true,
    lifecycle: { prevent_destroy: true },
  });
  expect(journal).not.toHaveProperty('server_side_encryption');
});

describe('the functions', () => {
  const functions = resources(json, 'aws_lambda_function');

  test('are four, on nodejs24.x and arm64, and know nothing of a table', () => {
    expect(functions.map(({ function_name }) => function_name).sort()).toEqual([
      'precise-ttl-delete-chunk',
      'precise-ttl-plan-sweep',
      'precise-ttl-query-expired',
      'precise-ttl-record-metrics',
    ]);
    for (const each of functions) {
      expect(Object.keys((each['environment'] as { variables: object }).variables)).toHaveLength(4);
      expect(each).toMatchObject({
        runtime: 'nodejs24.x',
        architectures: ['arm64'],
        handler: 'index.handler',
        memory_size: 512,
        environment: {
          variables: {
            DEPLOYMENT_NAME: 'precise-ttl',
            JOURNAL_TABLE: expect.stringMatching(/^\$\{aws_dynamodb_table\..*\.name\}$/),
            POWERTOOLS_METRICS_NAMESPACE: 'PreciseTtl',
            POWERTOOLS_SERVICE_NAME: expect.any(String),
          },
        },
      });
    }
  });

  test('are given the settings of their tables by the execution', () => {
    const [settings] = settingsIn(json);
    expect(settings).toMatchObject({
      tableName: expect.stringMatching(/^\$\{aws_dynamodb_table\..*\.name\}$/),
      indexName: 'expirationWindowIndex',
      partitionKey: 'UserName',
      sortKey: 'SessionId',
      ttlAttribute: 'ExpirationTime',
      windowAttribute: 'expirationWindow',
      granularityMinutes: 1440,
      shards: 2,
      deleteMode: 'guarded',
      precision: 'second',
      pollSeconds: 0,
    });
    expect(settingsIn(json, 'replay')).toEqual([settings]);
  });

  test('end well before the child execution that calls them must', () => {
    for (const { function_name, timeout } of functions) {
      const most = String(function_name).endsWith('plan-sweep') ? 120 : 40;
      expect(Number(timeout)).toBeLessThanOrEqual(most);
    }
  });

  test('come as archives that are there after synth', () => {
    const outdir = synthesizeToFolder(configOf(SESSION_DATA));
    for (const { filename } of functions)
      expect(existsSync(join(outdir, 'stacks', STACK, String(filename)))).toBe(true);
  });

  test('each has a log group that forgets after 30 days', () => {
    const groups = resources(json, 'aws_cloudwatch_log_group');
    for (const file of Object.values(TASKS)) {
      expect(groups).toContainEqual(
        expect.objectContaining({
          name: `/aws/lambda/precise-ttl-${file}`,
          retention_in_days: 30,
        }),
      );
    }
  });
});

describe('the roles', () => {
  test('of deletes may write no other table', () => {
    // It reads the journal, too: whether the table is paused.
    const written = permissions(json, 'precise-ttl-delete-chunk').filter(
      each => each.startsWith('dynamodb:') && !each.startsWith('dynamodb:Query on '),
    );
    expect(written).toEqual(['dynamodb:PartiQLDelete on aws_dynamodb_table(table)']);
  });

  test('of the state machines is taken by both, for this account alone', () => {
    const { Condition } = trusted(json, 'precise-ttl-sweep');
    expect(readable(Condition.StringEquals['aws:SourceAccount'])).toBe('ACCOUNT');
    expect(Condition.ArnLike['aws:SourceArn'].map(readable)).toEqual(
      ['precise-ttl', 'precise-ttl-replay', 'precise-ttl-replay/*'].map(
        each => `arn:aws:states:REGION:ACCOUNT:stateMachine:${each}`,
      ),
    );
    const roles = resources(json, 'aws_sfn_state_machine').map(({ role_arn }) => role_arn);
    expect(new Set(roles)).toEqual(
      new Set([expect.stringMatching(/^\$\{aws_iam_role\.[\w-]+_sweep_role_\w+\.arn\}$/)]),
    );
  });

  test('of schedules are taken by those of the deployment alone', () => {
    const { Condition } = trusted(json, 'precise-ttl-schedule');
    expect(readable(Condition.ArnLike['aws:SourceArn'])).toBe(
      'arn:aws:scheduler:REGION:ACCOUNT:schedule-group/precise-ttl',
    );
  });
});

test('the functions do not log that a call began and ended well', () => {
  const levels = resources(json, 'aws_lambda_function').map(({ logging_config }) => logging_config);
  const quiet = expect.objectContaining({ log_format: 'JSON', system_log_level: 'WARN' });
  expect(levels).toEqual([quiet, quiet, quiet, quiet]);
});

describe('the state machines', () => {
  test('are an Express one of the ticks and a Standard one of replays, which log and do not trace', () => {
    const machines = resources(json, 'aws_sfn_state_machine');
    expect(machines.map(({ name, type }) => [name, type]).sort()).toEqual([
      ['precise-ttl', 'EXPRESS'],
      ['precise-ttl-replay', 'STANDARD'],
    ]);
    for (const machine of machines) {
      expect(machine).toMatchObject({
        logging_configuration: { level: 'ERROR', include_execution_data: false },
        tracing_configuration: { enabled: false },
      });
    }
  });

  test('log no execution data when one of the tables has keys that must not be shown', () => {
    const shown = (...logKeys: readonly ('full' | 'hash')[]) =>
      resources(
        terraformJson(
          configOf(
            ...logKeys.map((each, index) => ({ ...SESSION_DATA, tableName: `T-${index}`, logKeys: each })),
          ),
        ),
        'aws_sfn_state_machine',
      ).map(({ logging_configuration: log }) => (log as Record<string, unknown>)['include_execution_data']);
    expect(shown('full', 'full')).toEqual([true, true]);
    expect(shown('full', 'hash')).toEqual([false, false]);
  });
});

describe('the schedule', () => {
  const schedules = resources(json, 'aws_scheduler_schedule');
  const [tick] = schedules;

  test('is a tick every minute, no flexible window, with retries and a dead-letter queue', () => {
    expect(schedules).toHaveLength(1);
    expect(tick).toMatchObject({
      schedule_expression: 'cron(* * * * ? *)',
      schedule_expression_timezone: 'UTC',
      flexible_time_window: { mode: 'OFF' },
      state: 'ENABLED',
      target: {
        arn: expect.stringMatching(/^\$\{aws_sfn_state_machine\./),
        // What comes later than that is worth nothing: the next ticks have looked back by then.
        retry_policy: { maximum_retry_attempts: 5, maximum_event_age_in_seconds: 300 },
        dead_letter_config: { arn: expect.stringMatching(/^\$\{aws_sqs_queue\./) },
        // It must reach Scheduler with its brackets.
        input: '{"scheduledTime":"<aws.scheduler.scheduled-time>"}',
      },
    });
    expect(resources(json, 'aws_sqs_queue')).toEqual([
      expect.objectContaining({ sqs_managed_sse_enabled: true }),
    ]);
  });

  test('is left as somebody sets it in the console', () => {
    expect(tick).toMatchObject({ lifecycle: { ignore_changes: ['state', 'start_date'] } });
  });
});

describe('a deployment', () => {
  test('has an output with what scripts need of each table under its own name', () => {
    const two = terraformJson(configOf(SESSION_DATA, { tableName: 'a.b', partitionKey: 'id' }));
    expect(Object.keys(two.output)).toEqual(['config', 'tables']);
    const tables = two.output['tables']?.value as unknown as Record<string, Record<string, string>>;
    expect(Object.keys(tables)).toEqual(['SessionData', 'a.b']);
    const { expiryModel: _model, ...arns } = tables['SessionData'] ?? {};
    expect(
      Object.entries(arns)
        .map(([name, value]) => [name, readable(value)])
        .sort(),
    ).toEqual([
      ['alarmTopicArn', 'aws_sns_topic(alarms)'],
      ['deadLetterQueueUrl', 'aws_sqs_queue(schedules)'],
      ['deployment', 'precise-ttl'],
      ['replayStateMachineArn', 'aws_sfn_state_machine(replay)'],
      ['stateMachineArn', 'aws_sfn_state_machine(sweep)'],
      ['tableArn', 'aws_dynamodb_table(table)'],
    ]);
  });

  test("has each table's expiry model in it, which expiryModel takes", () => {
    const bySecond: PreciseTtlProps = { tableName: 'Tokens', partitionKey: 'a${b}', index: { by: 'second' } };
    const { output } = terraformJson(configOf(SESSION_DATA, bySecond));
    const tables = output['tables']?.value as unknown as Record<string, { expiryModel: object }>;
    expect(tables['SessionData']?.expiryModel).toEqual({
      partitionKey: 'UserName',
      sortKey: 'SessionId',
      ttlAttribute: 'ExpirationTime',
      indexedBy: 'window',
      windowAttribute: 'expirationWindow',
      granularityMinutes: 1440,
      shards: 2,
    });
    expect(tables['Tokens']?.expiryModel).toEqual({
      partitionKey: 'a$${b}',
      ttlAttribute: 'ttl',
      indexedBy: 'second',
    });
  });

  test('says which Terraform it needs, and takes every provider of the major version', () => {
    expect(json.terraform).toMatchObject({
      required_version: '>= 1.10',
      required_providers: { aws: { source: 'hashicorp/aws', version: '>= 6.25, < 7' } },
    });
  });

  test('keeps its state in a file beside the project, or in a bucket with a lock', () => {
    expect(json.terraform.backend['local']).toEqual({ path: '../../../terraform.precise-ttl.tfstate' });
    const s3 = terraformJson({ ...configOf(SESSION_DATA), state: { backend: 's3', bucket: 'my-state' } });
    expect(s3.terraform.backend['s3']).toEqual({
      bucket: 'my-state',
      key: 'precise-ttl/terraform.tfstate',
      region: 'us-east-1',
      encrypt: true,
      use_lockfile: true,
    });
  });

  test('is tagged', () => {
    const tagged = terraformJson({ ...configOf(SESSION_DATA), tags: { team: 'sessions' } });
    expect(tagged.provider['aws']).toEqual([
      { region: 'us-east-1', default_tags: [{ tags: { team: 'sessions' } }] },
    ]);
  });
});
