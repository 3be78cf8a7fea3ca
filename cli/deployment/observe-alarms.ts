import { type CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { type Checked, check } from './check.ts';

/** An alarm of a deployment. */
export interface SeenAlarm {
  readonly name: string;
  /** OK, ALARM or INSUFFICIENT_DATA. */
  readonly state: string;
  readonly reason: string;
  readonly since: Date | undefined;
  readonly description: string;
}

/**
 * The alarms whose names begin with the name of a sweep and a hyphen.
 *
 * @param others names of other sweeps; one may begin with this name and a hyphen, too
 */
export function observeAlarms(
  cloudWatch: CloudWatchClient,
  name: string,
  others: readonly string[],
  region: string,
): Promise<Checked<readonly SeenAlarm[]>> {
  const longer = others.filter(other => other.startsWith(`${name}-`));
  const resource = `arn:aws:cloudwatch:${region}:*:alarm:*`;
  return check('cloudwatch:DescribeAlarms', resource, async () => {
    const alarms: SeenAlarm[] = [];
    const pages = paginateDescribeAlarms(
      { client: cloudWatch },
      { AlarmNamePrefix: `${name}-`, AlarmTypes: ['MetricAlarm'] },
    );
    for await (const { MetricAlarms = [] } of pages) {
      for (const alarm of MetricAlarms) {
        if (longer.some(other => alarm.AlarmName?.startsWith(`${other}-`))) continue;
        alarms.push({
          name: alarm.AlarmName ?? '',
          state: alarm.StateValue ?? '',
          reason: alarm.StateReason ?? '',
          since: alarm.StateTransitionedTimestamp ?? alarm.StateUpdatedTimestamp,
          description: alarm.AlarmDescription ?? '',
        });
      }
    }
    return alarms;
  });
}
