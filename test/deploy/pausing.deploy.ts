import {
  GetScheduleCommand,
  SchedulerClient,
  UpdateScheduleCommand,
  type UpdateScheduleInput,
} from '@aws-sdk/client-scheduler';
import { configOf, SESSION_DATA } from '../support/synthesized.ts';
import { Deployment } from './support/deployment.ts';
import { describeWithTerraform, type EmulatedAws, startEmulatedAws } from './support/proof.ts';

const GROUP = 'precise-ttl';
const NAMES = [`${GROUP}-tick`, `${GROUP}-reconcile`];

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

  const schedule = (Name: string, GroupName = GROUP) =>
    scheduler.send(new GetScheduleCommand({ Name, GroupName }));

  /** As somebody does it in the console of EventBridge Scheduler. */
  const change = async (over: Partial<UpdateScheduleInput>, group = GROUP) => {
    for (const name of NAMES.map(each => each.replace(GROUP, group))) {
      const { Arn, CreationDate, LastModificationDate, $metadata, ...found } = await schedule(name, group);
      const input = { ...found, ...over } as UpdateScheduleInput;
      await scheduler.send(new UpdateScheduleCommand(input));
    }
  };
  const states = async (group = GROUP) =>
    Promise.all(NAMES.map(async name => (await schedule(name.replace(GROUP, group), group)).State));

  test.each<[string, Partial<UpdateScheduleInput>]>([
    ['without an end', { State: 'DISABLED' }],
    ['for two hours', { StartDate: new Date(Math.floor(Date.now() / 1000) * 1000 + 7_200_000) }],
  ])('%s is left alone by a plan, and by a deployment that changes the schedules', async (_, paused) => {
    await deployment.deploy(configOf(SESSION_DATA));
    await change(paused);
    expect(await deployment.plan()).toEqual({});

    const actions = await deployment.deploy(configOf({ ...SESSION_DATA, reconcileHours: 48 }));
    expect(Object.values(actions).flat().join()).toContain('aws_scheduler_schedule');
    const reconcile = await schedule(`${GROUP}-reconcile`);
    expect(reconcile).toMatchObject(paused);
    expect(reconcile.Target?.Input).toContain('"lookbackMinutes":2880');
  });

  test('ends with enabled: false and true, by which the schedules are made anew', async () => {
    await deployment.deploy(configOf(SESSION_DATA));
    await change({ State: 'DISABLED' });
    const removed = await deployment.deploy(configOf({ ...SESSION_DATA, enabled: false }));
    // The alarm of missing sweeps goes with them, and out of the dashboard; the table goes out of the tick's definition.
    expect(removed).toEqual({
      delete: expect.arrayContaining([
        expect.stringContaining('_tick_'),
        expect.stringContaining('_no-sweep_'),
      ]),
      update: [
        expect.stringContaining('aws_cloudwatch_dashboard.'),
        expect.stringContaining('aws_sfn_state_machine.'),
      ],
    });
    await expect(schedule(`${GROUP}-tick`)).rejects.toThrow();
    await deployment.deploy(configOf(SESSION_DATA));
    expect(await states()).toEqual(['ENABLED', 'ENABLED']);
  });

  test('a limit by hand is what a plan would end', async () => {
    await deployment.deploy(configOf(SESSION_DATA));
    const { Target } = await schedule(`${GROUP}-tick`);
    if (Target === undefined) throw new Error('The tick has a target.');
    const Input = JSON.stringify({ ...JSON.parse(Target.Input ?? ''), maxDeletesPerSecond: 200 });
    await change({ Target: { ...Target, Input } });
    expect(await deployment.plan()).toEqual({
      update: expect.arrayContaining([expect.stringContaining('_tick_')]),
    });
  });
});
