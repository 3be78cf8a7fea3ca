import { type CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { type Checked, check } from './check.ts';

/** An alarm as CloudWatch describes it. */
export interface SeenAlarm {
  readonly name: string;
  /** OK, ALARM or INSUFFICIENT_DATA. */
  readonly state: string;
  /** Time of its last change of state. */
  readonly since: Date | undefined;
  readonly description: string;
  /** Whether the alarm notifies somebody. */
  readonly hasAction: boolean;
}

/**
 * Chooses alarms by name, 100 at most; or all whose names begin with the name of a sweep and a hyphen. The name of another sweep
 * can begin in the same way: `others` lists those sweeps, and their alarms are left out.
 */
export type WantedAlarms =
  | { readonly names: readonly string[] }
  | { readonly sweep: string; readonly others: readonly string[] };

/** The wanted alarms that exist. */
export async function observeAlarms(
  cloudWatch: CloudWatchClient,
  wanted: WantedAlarms,
  region: string,
): Promise<Checked<readonly SeenAlarm[]>> {
  // CloudWatch would list all alarms of the account if no names were given.
  if ('names' in wanted && wanted.names.length === 0) return { seen: [] };
  const input =
    'names' in wanted ? { AlarmNames: [...wanted.names] } : { AlarmNamePrefix: `${wanted.sweep}-` };
  const longer = 'names' in wanted ? [] : wanted.others.filter(other => other.startsWith(`${wanted.sweep}-`));
  return check('cloudwatch:DescribeAlarms', `arn:aws:cloudwatch:${region}:*:alarm:*`, async () => {
    const alarms: SeenAlarm[] = [];
    const pages = paginateDescribeAlarms(
      { client: cloudWatch },
      { ...input, AlarmTypes: ['MetricAlarm'], MaxRecords: 100 },
    );
    for await (const { MetricAlarms = [] } of pages) {
      for (const alarm of MetricAlarms) {
        if (longer.some(other => alarm.AlarmName?.startsWith(`${other}-`))) continue;
        alarms.push({
          name: alarm.AlarmName ?? '',
          state: alarm.StateValue ?? '',
          since: alarm.StateTransitionedTimestamp ?? alarm.StateUpdatedTimestamp,
          description: alarm.AlarmDescription ?? '',
          hasAction: alarm.ActionsEnabled !== false && (alarm.AlarmActions ?? []).length > 0,
        });
      }
    }
    return alarms;
  });
}
