// biome-ignore-all lint/suspicious/noTemplateCurlyInString: names that look like Terraform's templates
import { expiryModel } from '../../expiry/model.ts';
import { ALARM_NAMES } from '../../stacks/config/alarms.ts';
import { checkConfig } from '../../stacks/config/config.ts';
import { modelOf } from '../../stacks/config/deployments.ts';
import { type PreciseTtlProps, type PropName, resolveProps } from '../../stacks/config/props.ts';
import { EXAMPLE_ARNS } from '../../tools/docs/role-statements.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { inWords, resources, settingsIn, type TerraformJson, terraformJson } from '../support/synthesized.ts';

const json = terraformJson(configOf(SESSION_DATA));

const outputsOf = ({ output }: TerraformJson) =>
  JSON.parse(inWords(JSON.stringify(output['tables']?.value))).SessionData;

test('an output has what scripts need of each table under its own name', () => {
  const two = terraformJson(configOf(SESSION_DATA, { tableName: 'a.b', partitionKey: 'id' }));
  expect(Object.keys(two.output)).toEqual(['config', 'tables']);
  expect(Object.keys(two.output['tables']?.value ?? {})).toEqual(['SessionData', 'a.b']);
  expect(outputsOf(two)).toEqual({
    tableArn: '<SessionData_table arn>',
    deployment: 'precise-ttl',
    stateMachineArn: '<sweep_machine arn>',
    replayStateMachineArn: '<replay_machine arn>',
    deadLetterQueueUrl: '<schedules_dead-letters url>',
    alarmTopicArn: '<alarms_topic arn>',
    expiryModel: {
      partitionKey: 'UserName',
      sortKey: 'SessionId',
      ttlAttribute: 'ExpirationTime',
      indexedBy: 'window',
      windowAttribute: 'expirationWindow',
      granularityMinutes: 1440,
      shards: 2,
    },
  });
});

/** The roles have a test of their own, test/deploy has the conditions, and the settings of each table are looked at below. */
const ELSEWHERE = /^(iam_role_policy|sfn_state_machine\.definition|table\.lifecycle\.postcondition)/;

/** All arguments of a value by their paths. */
function pathsIn(value: unknown, path: string): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path, inWords(`${value}`)]];
  return Object.entries(value).flatMap(([key, each]) =>
    key === '//' ? [] : pathsIn(each, `${path}.${key}`.replace('global_secondary_index.0', 'index')),
  );
}

/** The arguments of each block, by its type and name; data sources are called `data.`. */
function blocksIn({ resource, data }: TerraformJson): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const ofKind = (blocks: TerraformJson['resource'], kind: string) =>
    Object.entries(blocks).flatMap(([type, named]) =>
      Object.entries(named).map(([name, body]) => {
        const short = type.replace('aws_dynamodb_', kind).replace('aws_', kind).replace('cloudwatch_', '');
        return [`${short} ${name}`, new Map(pathsIn(body, short))] as const;
      }),
    );
  return new Map([...ofKind(resource, ''), ...ofKind(data, 'data.')]);
}

const BY_DEFAULT = blocksIn(json);

/** What a deployment has otherwise than by default: `+ type` and `- type` for blocks, `argument: value` within one; with their number. */
function changesOf(other: TerraformJson): string[] {
  const blocks = blocksIn(other);
  const lines = [...new Set([...BY_DEFAULT.keys(), ...blocks.keys()])].flatMap(address => {
    const [before, after] = [BY_DEFAULT.get(address), blocks.get(address)];
    const [type = ''] = address.split(' ');
    if (before === undefined || after === undefined) return [`${after ? '+' : '-'} ${type}`];
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      path => before.get(path) !== after.get(path),
    );
    return changed.map(path => `${path}: ${after.get(path) ?? 'none'}`);
  });
  const counts = Map.groupBy(
    lines.filter(line => !ELSEWHERE.test(line.replace(/^[+-] /, ''))),
    line => line,
  );
  return [...counts].map(([line, { length }]) => (length > 1 ? `${line} (${length})` : line)).sort();
}

const KEY = 'arn:aws:kms:us-east-1:123456789012:key/1';
/** All but the one of pipes, which this deployment has not. */
const ALARMS = ALARM_NAMES.length - 1;
const TOPIC = 'arn:aws:sns:us-east-1:123456789012:on-call';
const BUCKET_SETTINGS = [
  ...['lifecycle_configuration', 'object_lock_configuration', 'policy', 'public_access_block'],
  ...['server_side_encryption_configuration', 'versioning'],
];

/** What a pipe brings, beside its roles. */
const PIPED = [
  ...['+ log_group (2)', '+ metric_alarm', '+ lambda_function', '+ pipes_pipe'],
  ...['table.lifecycle.ignore_changes.3: none', 'table.lifecycle.ignore_changes.4: none'],
  ...['table.stream_enabled: true', 'table.stream_view_type: NEW_AND_OLD_IMAGES'],
];

/** For each setting a value that is not its default, and all that it changes beside the table's settings and outputs. */
const EFFECTS: Readonly<
  Record<Exclude<PropName, 'tableName' | 'deployment'>, [Partial<PreciseTtlProps>, readonly string[]]>
> = {
  existingTable: [
    { existingTable: true },
    ['+ data.table', '- table', 'terraform_data.depends_on.0: none', 'terraform_data.for_each.SessionData: '],
  ],
  tableKmsKeyArn: [
    { tableKmsKeyArn: KEY },
    ['table.server_side_encryption.enabled: true', `table.server_side_encryption.kms_key_arn: ${KEY}`],
  ],
  partitionKey: [{ partitionKey: 'a${b}' }, [`table.attribute.0.name: a$$\{b}`, `table.hash_key: a$$\{b}`]],
  partitionKeyType: [{ partitionKey: { name: 'UserName', type: 'B' } }, ['table.attribute.0.type: B']],
  sortKey: [{ sortKey: 'at' }, ['table.attribute.1.name: at', 'table.range_key: at']],
  sortKeyType: [{ sortKey: { name: 'SessionId', type: 'N' } }, ['table.attribute.1.type: N']],
  ttlAttribute: [
    { ttlAttribute: 'ttl' },
    ['table.attribute.3.name: ttl', 'table.index.range_key: ttl', 'table.ttl.attribute_name: ttl'],
  ],
  indexedBy: [
    { index: { by: 'second' } },
    [
      ...['table.attribute.2.name: ExpirationTime', 'table.attribute.2.type: N'],
      ...['table.attribute.3.name: none', 'table.attribute.3.type: none'],
      ...['table.index.hash_key: ExpirationTime', 'table.index.name: expirySecondIndex'],
      'table.index.range_key: none',
    ],
  ],
  windowAttribute: [
    { index: { attribute: 'window' } },
    ['table.attribute.2.name: window', 'table.index.hash_key: window'],
  ],
  indexName: [{ index: { name: 'own' } }, ['table.index.name: own']],
  granularityMinutes: [{ index: { granularityMinutes: 60 } }, []],
  shards: [{ index: { shards: 4 } }, []],
  deleteMode: [{ deleteMode: 'batch' }, []],
  precision: [{ precision: 'minute' }, ['metric_alarm.threshold: 120000']],
  pollSeconds: [{ pollSeconds: 5 }, []],
  archive: [
    { archive: { lockDays: 7 } },
    [
      ...PIPED,
      '+ log_stream',
      '+ iam_role (3)',
      '+ kinesis_firehose_delivery_stream',
      '+ s3_bucket',
      ...BUCKET_SETTINGS.map(setting => `+ s3_bucket_${setting}`),
    ],
  ],
  events: [{ events: { to: EXAMPLE_ARNS.queue } }, [...PIPED, '+ iam_role (2)']],
  maxDeletesPerSecond: [{ maxDeletesPerSecond: 5 }, []],
  logKeys: [
    { logKeys: 'full' },
    ['sfn_state_machine.logging_configuration.include_execution_data: true (2)'],
  ],
  alarms: [
    { alarms: TOPIC },
    [
      '- sns_topic',
      `metric_alarm.alarm_actions.0: ${TOPIC} (${ALARMS})`,
      `metric_alarm.ok_actions.0: ${TOPIC} (${ALARMS})`,
    ],
  ],
  dashboard: [{ dashboard: true }, ['+ dashboard']],
  kmsKeyArn: [
    { kmsKeyArn: KEY },
    [
      `log_group.kms_key_id: ${KEY} (6)`,
      // The journal.
      'table.server_side_encryption.enabled: true',
      `table.server_side_encryption.kms_key_arn: ${KEY}`,
      `lambda_function.kms_key_arn: ${KEY} (4)`,
      'sfn_state_machine.encryption_configuration.kms_data_key_reuse_period_seconds: 300 (2)',
      `sfn_state_machine.encryption_configuration.kms_key_id: ${KEY} (2)`,
      'sfn_state_machine.encryption_configuration.type: CUSTOMER_MANAGED_KMS_KEY (2)',
      `sns_topic.kms_master_key_id: ${KEY}`,
      `sqs_queue.kms_master_key_id: ${KEY}`,
      // SQS takes one of the two.
      'sqs_queue.sqs_managed_sse_enabled: none',
    ],
  ],
};

/** Outputs of a table beside those by default. */
const OUTPUTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  archive: { streamArn: '<SessionData_table stream_arn>', archiveBucketName: '<pipes_archive_bucket id>' },
  events: { streamArn: '<SessionData_table stream_arn>' },
  existingTable: { tableArn: '<arn>' },
  alarms: { alarmTopicArn: TOPIC },
  dashboard: { dashboardName: 'precise-ttl' },
};

/** What Terraform makes of a value, in which it knows each reference. */
function applied(value: unknown) {
  const text = JSON.stringify(value)
    .replaceAll(/\$\{data\.aws_region\.\w+\.region\}/g, 'us-east-1')
    .replaceAll(/\$\{(?:data\.)?aws_dynamodb_table\.(\w+?)_table_\w+\.name\}/g, '$1');
  expect(text).not.toMatch(/(?<!\$)\$\{/);
  return JSON.parse(text.replaceAll('$${', '${'));
}

test.each(Object.entries(EFFECTS))(
  '%s changes what it is for, and nothing else',
  (name, [props, changes]) => {
    const table = { ...SESSION_DATA, ...props };
    const resolved = resolveProps(table);
    const changed = terraformJson(configOf(table));
    expect(changesOf(changed)).toEqual([...changes].sort());
    const isPiped = name === 'archive' || name === 'events';
    for (const machine of ['tick', 'replay'] as const) {
      const [settings = {}] = applied(settingsIn(changed, machine));
      // A second later, so that no clock says of an expiry that it is none.
      expect({ ...resolved, ...(isPiped && { marginSeconds: 1 }) }).toMatchObject(settings);
      expect(settings['marginSeconds']).toBe(isPiped ? 1 : undefined);
    }
    const { expiryModel: model, ...outputs } = outputsOf(changed);
    const { expiryModel: _model, ...byDefault } = outputsOf(json);
    expect(outputs).toEqual({ ...byDefault, ...OUTPUTS[name] });
    expect(expiryModel(applied(model))).toEqual(modelOf(table));
    // Commands get the same table from the output.
    const { region, tables } = checkConfig(applied(changed.output['config']?.value));
    expect([region, tables.map(each => resolveProps(each))]).toEqual([
      'us-east-1',
      [{ ...resolved, existingTable: true }],
    ]);
  },
);

test('without alarms there is no topic', () => {
  const quiet = terraformJson(configOf({ ...SESSION_DATA, alarms: false }));
  expect(changesOf(quiet)).toEqual([`- metric_alarm (${ALARMS})`, '- sns_topic']);
  expect(outputsOf(quiet)).not.toHaveProperty('alarmTopicArn');
});

test('one table whose keys must not be shown is enough for no data of executions in the logs', () => {
  const tables = (['full', 'hash'] as const).map((logKeys, at) => ({
    ...SESSION_DATA,
    tableName: `T-${at}`,
    logKeys,
  }));
  const machines = resources(terraformJson(configOf(...tables)), 'aws_sfn_state_machine');
  expect(machines).toHaveLength(2);
  for (const { logging_configuration: log } of machines)
    expect(log).toMatchObject({ include_execution_data: false });
});

/**
 * Where what holds something stands in Terraform's state: items, objects, messages, logs, and what runs. Under another address Terraform
 * would delete it and make it anew. So these never change within a major version.
 */
const ADDRESSES = `
  aws_cloudwatch_log_group.sweeps_precise-ttl_delete-chunk_logs_6C4960EF
  aws_cloudwatch_log_group.sweeps_precise-ttl_pipes_logs_927C63B7
  aws_cloudwatch_log_group.sweeps_precise-ttl_pipes_only-expiries_logs_C8244C51
  aws_cloudwatch_log_group.sweeps_precise-ttl_plan-sweep_logs_BFE3B9DE
  aws_cloudwatch_log_group.sweeps_precise-ttl_query-expired_logs_08CD42FC
  aws_cloudwatch_log_group.sweeps_precise-ttl_record-metrics_logs_68A1C08B
  aws_cloudwatch_log_group.sweeps_precise-ttl_replay_logs_B22D25AB
  aws_cloudwatch_log_group.sweeps_precise-ttl_sweep_logs_BEF58B9D
  aws_dynamodb_table.SessionData_table_0F12F0FA
  aws_dynamodb_table.sweeps_precise-ttl_journal_table_ECC02B3C
  aws_kinesis_firehose_delivery_stream.sweeps_precise-ttl_pipes_archive_precise-ttl-SessionData_378D3AC5
  aws_pipes_pipe.sweeps_precise-ttl_pipes_precise-ttl-SessionData-archive_79566B5B
  aws_pipes_pipe.sweeps_precise-ttl_pipes_precise-ttl-SessionData-bus_C9C365FF
  aws_s3_bucket.sweeps_precise-ttl_pipes_archive_bucket_2E1AA475
  aws_sfn_state_machine.sweeps_precise-ttl_replay_machine_C1D2E2EA
  aws_sfn_state_machine.sweeps_precise-ttl_sweep_machine_B12C02A1
  aws_sqs_queue.sweeps_precise-ttl_schedules_dead-letters_DA3D77E9
  terraform_data.sweeps_precise-ttl_first-deploy-with-existingTable-true-then-take-out-the-entry_7ABEF377
  terraform_data.sweeps_precise-ttl_first-deploy-with-existingTable-true-then-take-out-the-entry_7ABEF377-name
  terraform_data.sweeps_precise-ttl_first-deploy-with-existingTable-true-then-take-out-the-entry_7ABEF377-released
`
  .trim()
  .split(/\s+/);

const TYPES = new Set(ADDRESSES.map(address => address.split('.')[0] ?? ''));

function holding({ resource }: TerraformJson): string[] {
  const blocks = Object.entries(resource).filter(([type]) => TYPES.has(type));
  return blocks.flatMap(([type, named]) => Object.keys(named).map(name => `${type}.${name}`)).sort();
}

const PROPS = {
  ...SESSION_DATA,
  archive: true,
  events: { to: 'arn:aws:events:us-east-1:123456789012:event-bus/default' },
};

// That no prop moves one, the effects of each prop show.
test('what holds something has the address that it always had', () => {
  expect(holding(terraformJson(configOf(PROPS)))).toEqual(ADDRESSES);
});
