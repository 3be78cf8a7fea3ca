import { type CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';

/** An alarm as CloudWatch has it. */
export interface SeenAlarm {
  readonly name: string;
  /** OK, ALARM or INSUFFICIENT_DATA. */
  readonly state: string;
  /** When it came into this state. */
  readonly since: Date | undefined;
  /** It tells somebody when it sounds. */
  readonly hasAction: boolean;
}

/** Those of these names that are there. No table has more than the 100 names that one call takes. */
export async function describeAlarms(
  client: CloudWatchClient,
  names: readonly string[],
): Promise<readonly SeenAlarm[]> {
  // Without names CloudWatch would list all alarms of the account.
  if (names.length === 0) return [];
  const { MetricAlarms = [] } = await client.send(
    new DescribeAlarmsCommand({ AlarmNames: [...names], AlarmTypes: ['MetricAlarm'], MaxRecords: 100 }),
  );
  return MetricAlarms.map(alarm => ({
    name: alarm.AlarmName ?? '',
    state: alarm.StateValue ?? '',
    since: alarm.StateTransitionedTimestamp ?? alarm.StateUpdatedTimestamp,
    hasAction: alarm.ActionsEnabled !== false && (alarm.AlarmActions ?? []).length > 0,
  }));
}
