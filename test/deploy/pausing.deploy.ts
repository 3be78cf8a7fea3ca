import { GetScheduleCommand, SchedulerClient, UpdateScheduleCommand } from '@aws-sdk/client-scheduler';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { useFreshDeployment } from './support/deployment.ts';
import { describeWithTerraform } from './support/proof.ts';

describeWithTerraform('a schedule that somebody has changed by hand', () => {
  const on = useFreshDeployment();

  test('stays paused by a plan and by a deployment, and a limit is what a plan would end', async () => {
    await on.deployment.deploy(configOf(SESSION_DATA));
    const scheduler = new SchedulerClient({
      endpoint: on.aws.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    const schedule = () =>
      scheduler.send(new GetScheduleCommand({ Name: 'precise-ttl-tick', GroupName: 'precise-ttl' }));
    const { Arn, CreationDate, LastModificationDate, $metadata, ...found } = await schedule();
    const tick = {
      ...{ Name: found.Name, GroupName: found.GroupName, Target: found.Target },
      ...{ ScheduleExpression: found.ScheduleExpression, FlexibleTimeWindow: found.FlexibleTimeWindow },
    };
    const StartDate = new Date(Math.floor(Date.now() / 1000) * 1000 + 7_200_000);
    const paused = { State: 'DISABLED', StartDate } as const;
    await scheduler.send(new UpdateScheduleCommand({ ...tick, ...paused }));
    expect(await on.deployment.plan()).toEqual({});

    const Description = 'Sweeps each minute';
    const overrides = { aws_scheduler_schedule: { description: Description } };
    const described = { ...configOf(SESSION_DATA), overrides };
    expect(Object.values(await on.deployment.deploy(described)).join()).toContain('aws_scheduler_schedule');
    expect(await schedule()).toMatchObject({ ...paused, Description });

    const Input = JSON.stringify({ ...JSON.parse(found.Target?.Input ?? ''), maxDeletesPerSecond: 200 });
    const limited = { Arn: found.Target?.Arn, RoleArn: found.Target?.RoleArn, Input };
    await scheduler.send(new UpdateScheduleCommand({ ...tick, Description, Target: limited }));
    expect(await on.deployment.plan()).toEqual({
      update: expect.arrayContaining([expect.stringContaining('_tick_')]),
    });
    scheduler.destroy();
  });
});
