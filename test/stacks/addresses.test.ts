import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { TerraformStack, Testing } from 'cdktf';
import { PreciseTtl } from '../../stacks/precise-ttl.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { terraformJson } from '../support/synthesized.ts';

/**
 * Where everything stands in Terraform's state. Under another address Terraform would delete a thing and make it anew: queues
 * with what is in them, logs, roles. So these never change within a major version.
 */
const ADDRESSES = `
  aws_cloudwatch_dashboard.sweeps_precise-ttl_dashboard_A7E8E05C
  aws_cloudwatch_log_group.sweeps_precise-ttl_delete-chunk_logs_6C4960EF
  aws_cloudwatch_log_group.sweeps_precise-ttl_plan-sweep_logs_BFE3B9DE
  aws_cloudwatch_log_group.sweeps_precise-ttl_query-expired_logs_08CD42FC
  aws_cloudwatch_log_group.sweeps_precise-ttl_record-metrics_logs_68A1C08B
  aws_cloudwatch_log_group.sweeps_precise-ttl_replay_logs_B22D25AB
  aws_cloudwatch_log_group.sweeps_precise-ttl_sweep_logs_BEF58B9D
  aws_cloudwatch_metric_alarm.sweeps_precise-ttl_alarms_dead-letters_EDE09387
  aws_cloudwatch_metric_alarm.sweeps_precise-ttl_alarms_deletion-lag_4CB1C030
  aws_cloudwatch_metric_alarm.sweeps_precise-ttl_alarms_executions-failed_E2E216E1
  aws_cloudwatch_metric_alarm.sweeps_precise-ttl_alarms_items-failed_990E7E6A
  aws_cloudwatch_metric_alarm.sweeps_precise-ttl_alarms_no-sweep_E77959CC
  aws_cloudwatch_metric_alarm.sweeps_precise-ttl_alarms_watermark-age_C1F70AD2
  aws_dynamodb_table.SessionData_table_0F12F0FA
  aws_dynamodb_table.sweeps_precise-ttl_journal_table_ECC02B3C
  aws_iam_role.sweeps_precise-ttl_delete-chunk_role_7148E1F3
  aws_iam_role.sweeps_precise-ttl_plan-sweep_role_0C147F36
  aws_iam_role.sweeps_precise-ttl_query-expired_role_23DEFC1C
  aws_iam_role.sweeps_precise-ttl_record-metrics_role_828A3CEE
  aws_iam_role.sweeps_precise-ttl_replay_role_4D81D9FE
  aws_iam_role.sweeps_precise-ttl_schedules_role_FD6848B2
  aws_iam_role.sweeps_precise-ttl_sweep_role_F8949F57
  aws_iam_role_policy.sweeps_precise-ttl_delete-chunk_role_policy_13D50EC2
  aws_iam_role_policy.sweeps_precise-ttl_plan-sweep_role_policy_DE244450
  aws_iam_role_policy.sweeps_precise-ttl_query-expired_role_policy_AFCD114E
  aws_iam_role_policy.sweeps_precise-ttl_record-metrics_role_policy_51578841
  aws_iam_role_policy.sweeps_precise-ttl_replay_role_policy_BC11964C
  aws_iam_role_policy.sweeps_precise-ttl_schedules_role_policy_3CCCA63F
  aws_iam_role_policy.sweeps_precise-ttl_sweep_role_policy_9613EDF4
  aws_lambda_function.sweeps_precise-ttl_delete-chunk_function_E00154BF
  aws_lambda_function.sweeps_precise-ttl_plan-sweep_function_49D54CEC
  aws_lambda_function.sweeps_precise-ttl_query-expired_function_21E89146
  aws_lambda_function.sweeps_precise-ttl_record-metrics_function_6E407E98
  aws_scheduler_schedule.sweeps_precise-ttl_schedules_tick_064F74ED
  aws_scheduler_schedule_group.sweeps_precise-ttl_schedules_group_BCB4E9A9
  aws_sfn_state_machine.sweeps_precise-ttl_replay_machine_C1D2E2EA
  aws_sfn_state_machine.sweeps_precise-ttl_sweep_machine_B12C02A1
  aws_sns_topic.sweeps_precise-ttl_alarms_topic_9681ACF5
  aws_sns_topic_policy.sweeps_precise-ttl_alarms_topic-policy_EBAC77FD
  aws_sqs_queue.sweeps_precise-ttl_schedules_dead-letters_DA3D77E9
  data.aws_caller_identity.place_identity_C353A6E0
  data.aws_partition.place_partition_FC7095B2
  data.aws_region.place_region_950A0145
  module.created_tables
  output.tables
`;

/** The same of a construct of one table. In a configuration each table had one of these before tables shared a deployment. */
const OF_A_CONSTRUCT = `
  aws_cloudwatch_dashboard.SessionData_dashboard_098E5250
  aws_cloudwatch_log_group.SessionData_delete-chunk_logs_7B09BE7F
  aws_cloudwatch_log_group.SessionData_plan-sweep_logs_7F8A1DC8
  aws_cloudwatch_log_group.SessionData_query-expired_logs_5DF58F6A
  aws_cloudwatch_log_group.SessionData_record-metrics_logs_D4AFEFE5
  aws_cloudwatch_log_group.SessionData_sweep_logs_C2E61919
  aws_cloudwatch_metric_alarm.SessionData_alarms_dead-letters_2780F258
  aws_cloudwatch_metric_alarm.SessionData_alarms_deletion-lag_DF5C65D9
  aws_cloudwatch_metric_alarm.SessionData_alarms_executions-failed_2C6231BA
  aws_cloudwatch_metric_alarm.SessionData_alarms_items-failed_BFE1FE5A
  aws_cloudwatch_metric_alarm.SessionData_alarms_no-sweep_467BB59C
  aws_dynamodb_table.SessionData_table_0F12F0FA
  aws_iam_role.SessionData_delete-chunk_role_532CF85B
  aws_iam_role.SessionData_plan-sweep_role_5F45E759
  aws_iam_role.SessionData_query-expired_role_8FCDDF5A
  aws_iam_role.SessionData_record-metrics_role_2F715127
  aws_iam_role.SessionData_schedules_role_E4DD9905
  aws_iam_role.SessionData_sweep_role_06AEE70F
  aws_iam_role_policy.SessionData_delete-chunk_role_policy_6CA4A3CC
  aws_iam_role_policy.SessionData_plan-sweep_role_policy_01AC9778
  aws_iam_role_policy.SessionData_query-expired_role_policy_36C2CE31
  aws_iam_role_policy.SessionData_record-metrics_role_policy_121C4A6F
  aws_iam_role_policy.SessionData_schedules_role_policy_4EE7D6A8
  aws_iam_role_policy.SessionData_sweep_role_policy_52353198
  aws_lambda_function.SessionData_delete-chunk_function_C0288B95
  aws_lambda_function.SessionData_plan-sweep_function_9415A38D
  aws_lambda_function.SessionData_query-expired_function_104EAAAB
  aws_lambda_function.SessionData_record-metrics_function_32F4DDBA
  aws_scheduler_schedule.SessionData_schedules_tick_A4EE4513
  aws_scheduler_schedule_group.SessionData_schedules_group_2DAA4996
  aws_sfn_state_machine.SessionData_sweep_machine_DE016BA6
  aws_sns_topic.SessionData_alarms_topic_2318B60A
  aws_sns_topic_policy.SessionData_alarms_topic-policy_68B80309
  aws_sqs_queue.SessionData_schedules_dead-letters_719500E2
  data.aws_caller_identity.SessionData_place_identity_BE6D668B
  data.aws_partition.SessionData_place_partition_CF28215A
  data.aws_region.SessionData_place_region_F7286BF5
  module.created_tables
`;

/** What such a construct has since then. */
const NEW_IN_A_CONSTRUCT = /^aws_\w+\.SessionData_(journal_table|replay_\w+|alarms_watermark-age)_/;

/** Type and name of every block, and of what a module has. */
function addressesOf(json: object): string[] {
  const { resource, data, module, output } = json as Record<string, Record<string, object>>;
  const blocks = (prefix: string, types: Record<string, object> = {}) =>
    Object.entries(types).flatMap(([type, named]) =>
      Object.keys(named).map(name => `${prefix}${type}.${name}`),
    );
  return [
    ...blocks('', resource),
    ...blocks('data.', data),
    ...Object.keys(module ?? {}).map(name => `module.${name}`),
    ...Object.keys(output ?? {}).map(name => `output.${name}`),
  ].sort();
}

test('a deployment has the addresses that it always had', () => {
  expect(addressesOf(terraformJson(configOf(SESSION_DATA)))).toEqual(ADDRESSES.trim().split(/\s+/));
});

test('a construct of one table has the addresses that it always had', () => {
  const stack = new TerraformStack(Testing.app(), 'own');
  new AwsProvider(stack, 'aws', { region: 'eu-central-1' });
  new PreciseTtl(stack, 'SessionData', SESSION_DATA);
  const addresses = addressesOf(JSON.parse(Testing.synth(stack)));
  expect(addresses.filter(address => !NEW_IN_A_CONSTRUCT.test(address))).toEqual(
    OF_A_CONSTRUCT.trim().split(/\s+/),
  );
});

test('neither a prop nor an existing table moves anything', () => {
  const changed = terraformJson(
    configOf({
      ...SESSION_DATA,
      existingTable: true,
      index: { shards: 4 },
      tags: { team: 'sessions' },
    }),
  );
  const table = 'aws_dynamodb_table.SessionData_';
  const moved = ADDRESSES.trim()
    .split(/\s+/)
    .map(address => (address.startsWith(table) ? `data.${address}` : address))
    .sort();
  expect(addressesOf(changed)).toEqual(moved);
});

test('without schedules, and the alarm of sweeps that do not come, everything else stays where it is', () => {
  const paused = terraformJson(configOf({ ...SESSION_DATA, enabled: false }));
  const addresses = ADDRESSES.trim().split(/\s+/);
  expect(addressesOf(paused)).toEqual(
    addresses.filter(each => !/^aws_scheduler_schedule\.|_no-sweep_/.test(each)),
  );
});

/** What there is besides with `archive` and `events`. */
const OF_THE_STREAM = `
  aws_cloudwatch_log_group.SessionData_archive_reader_archive-expiries_logs_5FA81FDE
  aws_cloudwatch_log_group.SessionData_events_reader_publish-expiries_logs_4EF516DB
  aws_cloudwatch_metric_alarm.sweeps_precise-ttl_alarms_readers-behind_7B735240
  aws_iam_role.SessionData_archive_reader_archive-expiries_role_6A015C95
  aws_iam_role.SessionData_events_reader_publish-expiries_role_2BA5DFA6
  aws_iam_role_policy.SessionData_archive_reader_archive-expiries_role_policy_8B2BFCCE
  aws_iam_role_policy.SessionData_events_reader_publish-expiries_role_policy_76047CA3
  aws_lambda_event_source_mapping.SessionData_archive_reader_mapping_9DE5D579
  aws_lambda_event_source_mapping.SessionData_events_reader_mapping_3A18B2EC
  aws_lambda_function.SessionData_archive_reader_archive-expiries_function_262E167B
  aws_lambda_function.SessionData_events_reader_publish-expiries_function_8820EE0D
  aws_s3_bucket.SessionData_archive_bucket_4347CC4B
  aws_s3_bucket_lifecycle_configuration.SessionData_archive_bucket_lifecycle_4B22360F
  aws_s3_bucket_ownership_controls.SessionData_archive_bucket_ownership_91313C84
  aws_s3_bucket_policy.SessionData_archive_bucket_policy_70886ABF
  aws_s3_bucket_public_access_block.SessionData_archive_bucket_public-access_ED46DBC1
  aws_s3_bucket_server_side_encryption_configuration.SessionData_archive_bucket_encryption_B6B80DA1
  aws_s3_bucket_versioning.SessionData_archive_bucket_versioning_E8294730
  aws_sqs_queue.SessionData_archive_reader_failures_0CF45A40
  aws_sqs_queue.SessionData_events_reader_failures_AA5BCAC1
  data.aws_cloudwatch_log_groups.SessionData_archive_reader_archive-expiries_logs_5FA81FDE
  data.aws_cloudwatch_log_groups.SessionData_events_reader_publish-expiries_logs_4EF516DB
  terraform_data.SessionData_events_since_F5115524
`;

test('the archive and the events have the addresses that they always had', () => {
  const props = { ...SESSION_DATA, archive: {}, events: { eventBus: 'default' } };
  const known = ADDRESSES.trim().split(/\s+/);
  const added = addressesOf(terraformJson(configOf(props))).filter(address => !known.includes(address));
  expect(added).toEqual(OF_THE_STREAM.trim().split(/\s+/));
});
