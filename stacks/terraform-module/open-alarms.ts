import { ALARM_NAMES, ALARMS, type AlarmName, type AlarmsProp, tuningKinds } from '../../config/alarms.ts';
import { expression, or } from '../../config/values.ts';
import { snake } from './snake.ts';

/** The variable that contains the alarms' settings: in the whole module, and in that of a part. */
type AlarmsScope = 'local.alarms' | 'var.alarms';

/** The settings of an alarm. */
export function tuningOf<Type>(scope: AlarmsScope, alarm: AlarmName, field: string): Type {
  return expression(`${scope}.${snake(alarm)}.${field}`);
}

/** The settings of some alarms, or their defaults; the other alarms are turned off. */
export function openAlarms(
  scope: AlarmsScope,
  isOurs: (alarm: AlarmName) => boolean,
  threshold: (alarm: AlarmName) => number = defaultThreshold,
): Exclude<AlarmsProp, false> {
  const tunings = ALARM_NAMES.map(alarm => {
    if (!isOurs(alarm)) return [alarm, false];
    const tuned = (field: string, byDefault: number) =>
      or(tuningOf<number | undefined>(scope, alarm, field), byDefault);
    return [
      alarm,
      {
        ...('threshold' in tuningKinds(alarm) && { threshold: tuned('threshold', threshold(alarm)) }),
        periods: tuned('periods', ALARMS[alarm].periods),
      },
    ];
  });
  return Object.fromEntries(tunings);
}

/** The default threshold of an alarm that does not depend on the precision of the tables. */
export function defaultThreshold(alarm: AlarmName): number {
  const { threshold } = ALARMS[alarm] as { threshold: (table: { precisionSeconds: number }) => number };
  return threshold({ precisionSeconds: 1 });
}
