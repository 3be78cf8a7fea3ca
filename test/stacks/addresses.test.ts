import { configOf, SESSION_DATA } from '../support/configs.ts';
import { type TerraformJson, terraformJson } from '../support/synthesized.ts';

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

// That no prop moves one, deployment.test.ts shows.
test('what holds something has the address that it always had', () => {
  expect(holding(terraformJson(configOf(PROPS)))).toEqual(ADDRESSES);
});
