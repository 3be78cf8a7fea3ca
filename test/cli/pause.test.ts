import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SFNClient } from '@aws-sdk/client-sfn';
import { NoAnswerError } from '../../cli/aws/no-answer.ts';
import type { OperatingClients } from '../../cli/aws/operating-clients.ts';
import { inPackage } from '../../cli/invocation.ts';
import { pauseTables } from '../../cli/pause/job.ts';
import { configOf, SESSION_DATA } from '../support/synthesized.ts';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-pause-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a pause is told although Step Functions no longer says what is open', async () => {
  const Name = 'precise-ttl-SessionData-tick';
  const changed: unknown[] = [];
  const scheduler = Object.assign(new SchedulerClient({ region: 'us-east-1' }), {
    async send(command: { readonly constructor: { readonly name: string }; readonly input: object }) {
      if (command.constructor.name === 'ListSchedulesCommand') return { Schedules: [{ Name }] };
      if (command.constructor.name === 'UpdateScheduleCommand') changed.push(command.input);
      return { Name, State: 'ENABLED', ScheduleExpression: 'cron(* * * * ? *)' };
    },
  });
  const stateMachineArn = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl-SessionData';
  const sfn = Object.assign(new SFNClient({ region: 'us-east-1' }), {
    async send(command: { readonly constructor: { readonly name: string } }) {
      if (command.constructor.name === 'ListStateMachinesCommand') {
        return { stateMachines: [{ name: 'precise-ttl-SessionData', stateMachineArn }] };
      }
      throw new NoAnswerError('SFN', { kind: 'timed out', seconds: 5 }, undefined);
    },
  });
  const clients = { scheduler, sfn, where: () => 'here', isLocal: () => true, destroy() {} };
  const printed: string[] = [];
  const resultFile = join(folder, 'out.json');
  const paused = await pauseTables({
    ...{ config: configOf(SESSION_DATA), table: undefined, forMs: undefined, resultFile },
    connect: () => clients as unknown as OperatingClients,
    confirm: async () => true,
    call: inPackage,
    now: () => 0,
    print: text => printed.push(text),
  });
  expect(paused).toBe(true);
  expect(changed).toMatchObject([{ Name, State: 'DISABLED' }]);
  expect(printed.join('\n')).toContain(
    'SessionData: paused. Step Functions did not answer: which executions are open is not known.',
  );
  expect(JSON.parse(readFileSync(resultFile, 'utf8')).tables).toMatchObject([{ open: null }]);
});
