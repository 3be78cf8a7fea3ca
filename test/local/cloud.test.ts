/** @jest-environment ./test/support/dynamodb-environment.ts */
import { LocalCloud } from '../../local/cloud.ts';
import { TerraformError } from '../../local/errors.ts';
import { plainStack } from '../../stacks/app.ts';
import { mapValues } from '../../stacks/parts/deployed-sweep.ts';
import { configOf } from '../support/configs.ts';
import { dynamoDbOfFile } from '../support/local-dynamodb.ts';

/** Starts the stack of a table with another definition in its machines. */
function startWith(states: object): Promise<LocalCloud> {
  const stack = plainStack(configOf({ tableName: 'Sessions', partitionKey: 'id' }));
  const definition = JSON.stringify({ StartAt: 'A', ...states });
  const machines = mapValues(stack.resource['aws_sfn_state_machine'] ?? {}, machine => ({
    ...machine,
    definition,
  }));
  const resource = { ...stack.resource, aws_sfn_state_machine: machines };
  return LocalCloud.start({ stack: { ...stack, resource }, dynamoDb: dynamoDbOfFile(), schedules: false });
}

test('runs a machine by name and by ARN; stopping ends what runs, and can be done twice', async () => {
  const A = { Type: 'Wait', Seconds: 60, End: true };
  const cloud = await startWith({ QueryLanguage: 'JSONata', States: { A } });
  const byName = cloud.startExecution('precise-ttl', {});
  const arn = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl-replay';
  const byArn = cloud.startExecution(arn, {}, 'mine');
  expect(cloud.running).toEqual([byName, byArn]);
  expect(byArn).toMatchObject({ name: 'mine', machine: { arn } });
  expect(() => cloud.startExecution('other', {})).toThrow(
    'state machine: expected one of precise-ttl, precise-ttl-replay, got "other"',
  );
  await Promise.all([cloud.stop(), cloud.stop()]);
  expect([byName.status, byArn.status]).toEqual(['ABORTED', 'ABORTED']);
});

test('fails at the start for a definition the interpreter refuses, and says where it stands', async () => {
  const starting = startWith({ States: { A: { Type: 'Pass', InputPath: '$.x', End: true } } });
  await expect(starting).rejects.toThrow(TerraformError);
  await expect(starting).rejects.toThrow(/- aws_sfn_state_machine\..+\.definition: .*QueryLanguage/);
});
