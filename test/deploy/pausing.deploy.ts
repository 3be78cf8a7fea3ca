import {
  GetScheduleCommand,
  SchedulerClient,
  UpdateScheduleCommand,
  type UpdateScheduleInput,
} from '@aws-sdk/client-scheduler';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { Deployment } from './support/deployment.ts';
import { describeWithTerraform, type EmulatedAws, startEmulatedAws } from './support/proof.ts';

const GROUP = 'precise-ttl';
const TICK = `${GROUP}-tick`;

describeWithTerraform('a schedule that somebody has stopped by hand', () => {
  let aws: EmulatedAws;
  let scheduler: SchedulerClient;
  let deployment: Deployment;

  beforeAll(async () => {
    aws = await startEmulatedAws();
    scheduler = new SchedulerClient({
      endpoint: aws.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
  });
  afterAll(async () => {
    scheduler?.destroy();
    await aws?.stop();
  });
  beforeEach(async () => {
    await aws.reset();
    deployment = new Deployment(aws);
  });
  afterEach(() => deployment.remove());

  const schedule = () => scheduler.send(new GetScheduleCommand({ Name: TICK, GroupName: GROUP }));

  /** As somebody does it in the console of EventBridge Scheduler. */
  const change = async (over: Partial<UpdateScheduleInput>) => {
    const { Arn, CreationDate, LastModificationDate, $metadata, ...found } = await schedule();
    await scheduler.send(new UpdateScheduleCommand({ ...found, ...over } as UpdateScheduleInput));
  };

  test.each<[string, Partial<UpdateScheduleInput>]>([
    ['without an end', { State: 'DISABLED' }],
    ['for two hours', { StartDate: new Date(Math.floor(Date.now() / 1000) * 1000 + 7_200_000) }],
  ])('%s is left alone by a plan, and by a deployment that changes the schedule', async (_, paused) => {
    await deployment.deploy(configOf(SESSION_DATA));
    await change(paused);
    expect(await deployment.plan()).toEqual({});

    const Description = 'Sweeps each minute';
    const overrides = { aws_scheduler_schedule: { description: Description } };
    const actions = await deployment.deploy({ ...configOf(SESSION_DATA), overrides });
    expect(Object.values(actions).flat().join()).toContain('aws_scheduler_schedule');
    expect(await schedule()).toMatchObject({ ...paused, Description });
  });

  test('a limit by hand is what a plan would end', async () => {
    await deployment.deploy(configOf(SESSION_DATA));
    const { Target } = await schedule();
    if (Target === undefined) throw new Error('The tick has a target.');
    const Input = JSON.stringify({ ...JSON.parse(Target.Input ?? ''), maxDeletesPerSecond: 200 });
    await change({ Target: { ...Target, Input } });
    expect(await deployment.plan()).toEqual({
      update: expect.arrayContaining([expect.stringContaining('_tick_')]),
    });
  });
});
