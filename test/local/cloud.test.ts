/** @jest-environment ./test/support/dynamodb-environment.ts */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Terraform references, as CDKTF writes them
import { setTimeout as sleep } from 'node:timers/promises';
import { VirtualClock } from 'stepfunctions-emulator';
import { LocalCloud, type LocalCloudOptions } from '../../local/cloud.ts';
import { TerraformError } from '../../local/errors.ts';
import { handmadeStack, lambdaFunction, type StackParts } from '../support/handmade-stack.ts';
import { dynamoDbOfFile } from '../support/local-dynamodb.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A machine with one task that calls the function `work` with the execution's input. */
const machine = (definition: unknown = undefined) => ({
  sweep: {
    name: 'sweep',
    type: 'STANDARD',
    role_arn: 'arn:aws:iam::123456789012:role/r',
    definition: JSON.stringify(
      definition ?? {
        QueryLanguage: 'JSONata',
        StartAt: 'Work',
        States: {
          Work: {
            Type: 'Task',
            Resource: 'arn:aws:states:::lambda:invoke',
            Arguments: { FunctionName: '${aws_lambda_function.work.arn}', Payload: '{% $states.input %}' },
            Output: '{% $states.result.Payload %}',
            End: true,
          },
        },
      },
    ),
  },
});
const SCHEDULE = {
  tick: {
    name: 'tick',
    group_name: 'default',
    state: 'ENABLED',
    schedule_expression: 'cron(* * * * ? *)',
    flexible_time_window: { mode: 'OFF' },
    target: {
      arn: '${aws_sfn_state_machine.sweep.arn}',
      role_arn: 'arn:aws:iam::123456789012:role/r',
      input: '{"scheduledTime":"<aws.scheduler.scheduled-time>"}',
    },
  },
};
const stack = (code: string, over: StackParts['resource'] = {}): StackParts => ({
  resource: {
    aws_lambda_function: { work: lambdaFunction('work', code) },
    aws_sfn_state_machine: machine(),
    ...over,
  },
});
const ECHO = 'export const handler = async event => ({ event })';

async function start(parts: StackParts, options: Partial<LocalCloudOptions> = {}): Promise<LocalCloud> {
  const made = handmadeStack(parts);
  cleanUps.push(made.remove);
  const cloud = await LocalCloud.start({
    stack: made.stack,
    dynamoDb: dynamoDbOfFile(),
    ...options,
  });
  cleanUps.push(() => cloud.stop());
  return cloud;
}

test('runs a machine with its bundled function, by name and by ARN', async () => {
  const ended: string[] = [];
  const cloud = await start(stack(ECHO), { onExecution: execution => ended.push(execution.status) });
  const byName = await cloud.startExecution('sweep', { a: 1 }).done;
  expect(byName).toMatchObject({ status: 'SUCCEEDED', output: { event: { a: 1 } } });
  const byArn = cloud.startExecution('arn:aws:states:us-east-1:123456789012:stateMachine:sweep', {}, 'mine');
  expect(byArn.name).toBe('mine');
  expect((await byArn.done).status).toBe('SUCCEEDED');
  expect(ended).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  expect(cloud.running).toEqual([]);
  expect(() => cloud.startExecution('other', {})).toThrow(
    'state machine: expected one of sweep, got "other"',
  );
});

test('schedules start executions by the clock, with the scheduled time as input, unless there is nothing to do', async () => {
  const clock = new VirtualClock(Date.parse('2026-11-20T09:00:10Z'));
  const outputs: unknown[] = [];
  const starters: unknown[] = [];
  const cloud = await start(stack(ECHO, { aws_scheduler_schedule: SCHEDULE }), {
    clock,
    onExecution(execution, by) {
      outputs.push(execution.output);
      starters.push(by);
    },
    isNeeded: async ({ scheduledTime }) => new Date(scheduledTime).getUTCMinutes() !== 2,
  });
  expect(cloud.upcoming().map(u => u.at)).toEqual([Date.parse('2026-11-20T09:01:00Z')]);
  await clock.sleep(190_000);
  cloud.pauseSchedules();
  await Promise.all(cloud.running.map(execution => execution.done));
  expect(outputs).toEqual([
    { event: { scheduledTime: '2026-11-20T09:01:00Z' } },
    { event: { scheduledTime: '2026-11-20T09:03:00Z' } },
  ]);
  await cloud.startExecution('sweep', {}).done;
  expect(starters).toEqual(['tick', 'tick', undefined]);
});

test('stopping ends what runs and can be done twice', async () => {
  const cloud = await start(
    stack('export const handler = () => new Promise(() => setInterval(() => {}, 1000))'),
  );
  const execution = cloud.startExecution('sweep', {});
  await sleep(100);
  await Promise.all([cloud.stop(), cloud.stop()]);
  expect(execution.status).toBe('ABORTED');
});

test('fails at the start for a definition the interpreter refuses, and says where it stands', async () => {
  const definition = { StartAt: 'A', States: { A: { Type: 'Pass', InputPath: '$.x', End: true } } };
  const starting = start(stack(ECHO, { aws_sfn_state_machine: machine(definition) }));
  await expect(starting).rejects.toThrow(TerraformError);
  await expect(starting).rejects.toThrow(/^aws_sfn_state_machine\.sweep\.definition: .*QueryLanguage/);
});
