import { configOf, SESSION_DATA } from '../support/configs.ts';
import { type TerraformJson, terraformJson } from '../support/synthesized.ts';

/**
 * Where what holds something stands in Terraform's state: items, objects, messages, logs, and what runs. Under another address Terraform
 * would delete it and make it anew. So these never change within a major version.
 */
const ADDRESSES = `
  aws_cloudwatch_log_group.SessionData_archive_reader_archive-expiries_logs_5FA81FDE
  aws_cloudwatch_log_group.SessionData_events_reader_publish-expiries_logs_4EF516DB
  aws_cloudwatch_log_group.sweeps_precise-ttl_delete-chunk_logs_6C4960EF
  aws_cloudwatch_log_group.sweeps_precise-ttl_plan-sweep_logs_BFE3B9DE
  aws_cloudwatch_log_group.sweeps_precise-ttl_query-expired_logs_08CD42FC
  aws_cloudwatch_log_group.sweeps_precise-ttl_record-metrics_logs_68A1C08B
  aws_cloudwatch_log_group.sweeps_precise-ttl_replay_logs_B22D25AB
  aws_cloudwatch_log_group.sweeps_precise-ttl_sweep_logs_BEF58B9D
  aws_dynamodb_table.SessionData_table_0F12F0FA
  aws_dynamodb_table.sweeps_precise-ttl_journal_table_ECC02B3C
  aws_lambda_event_source_mapping.SessionData_archive_reader_mapping_9DE5D579
  aws_lambda_event_source_mapping.SessionData_events_reader_mapping_3A18B2EC
  aws_s3_bucket.SessionData_archive_bucket_4347CC4B
  aws_sfn_state_machine.sweeps_precise-ttl_replay_machine_C1D2E2EA
  aws_sfn_state_machine.sweeps_precise-ttl_sweep_machine_B12C02A1
  aws_sqs_queue.SessionData_archive_reader_failures_0CF45A40
  aws_sqs_queue.SessionData_events_reader_failures_AA5BCAC1
  aws_sqs_queue.sweeps_precise-ttl_schedules_dead-letters_DA3D77E9
  terraform_data.SessionData_events_since_F5115524
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

const PROPS = { ...SESSION_DATA, archive: {}, events: { eventBus: 'default' } };

test('what holds something has the address that it always had', () => {
  expect(holding(terraformJson(configOf(PROPS)))).toEqual(ADDRESSES);
});

test('no prop moves it', () => {
  const changed = { ...PROPS, index: { shards: 4 } };
  expect(holding(terraformJson(configOf(changed)))).toEqual(ADDRESSES);
});
