// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { LATE } from '../../functions/record-metrics/metrics.ts';
import type { MetricSet } from '../../functions/runtime/environment.ts';
import {
  ALARM_NAMES,
  ALARMS,
  type AlarmName,
  type AlarmsProp,
  type AlarmTuning,
  isRecorded,
  kebab,
  subjectOf,
} from '../alarms.ts';
import type { PreciseTtlProps } from '../props.ts';
import type { Json, JsonObject } from './synthesize.ts';
import { TemplateError } from './template.ts';

/** The alarms of a module: it has none of what `archive` and `events` make. */
export const MODULE_ALARMS = ALARM_NAMES.filter(alarm => subjectOf(alarm) === undefined);

/** `noSweep` is the key `no_sweep` of the variable `alarms`. */
export function alarmKey(alarm: AlarmName): string {
  return kebab(alarm).replaceAll('-', '_');
}

/** What is set of each alarm that can be, where variables will be; `from` makes them differ. */
export function tunedAlarms(from: number, metrics: MetricSet = 'all'): AlarmsProp {
  const tuned = MODULE_ALARMS.map((alarm, index): [AlarmName, AlarmTuning] => [
    alarm,
    { ...(isTunable(alarm) && { threshold: from * 100 + index }), periods: from + index },
  ]);
  return Object.fromEntries(tuned.filter(([alarm]) => isRecorded(alarm, metrics)));
}

function isTunable(alarm: AlarmName): boolean {
  return !('isFixed' in ALARMS[alarm]);
}

/** How the module calls what is set of the alarms: the term, and the number that stands for it. */
export const ALARM_TERMS: Readonly<Record<string, (props: Pick<PreciseTtlProps, 'alarms'>) => number>> =
  Object.fromEntries(
    MODULE_ALARMS.flatMap(alarm =>
      ([...(isTunable(alarm) ? ['threshold'] : []), 'periods'] as ('threshold' | 'periods')[]).map(field => {
        // The periods of a sign of life are one span.
        const times = field === 'periods' && 'isHeartbeat' in ALARMS[alarm] ? ALARMS[alarm].periodSeconds : 1;
        return [
          `local.alarms.${alarmKey(alarm)}.${field}${times === 1 ? '' : ` * ${times}`}`,
          ({ alarms }: Pick<PreciseTtlProps, 'alarms'>) => {
            const tuning = alarms ? alarms[alarm] : undefined;
            return tuning ? Number(tuning[field]) * times : Number.NaN;
          },
        ];
      }),
    ),
  );

/** What `lateMs` works out, in Terraform. */
const LATE_MS = `var.precision_seconds < ${LATE.plainSeconds} ? (var.precision_seconds + ${LATE.secondsMore}) * 1000 : ${LATE.plainMs}`;

/** A default as an expression, of an alarm whose threshold does not depend on the table or on nothing but its precision. */
function thresholdTerm(alarm: AlarmName): string {
  const [precise, plain] = [1, LATE.plainSeconds].map(precisionSeconds =>
    ALARMS[alarm].threshold({ precisionSeconds }),
  );
  return precise === plain ? String(precise) : LATE_MS;
}

/** When an alarm makes sense, but for being turned off. */
function existsTerm(alarm: AlarmName): string {
  if ('onlyEnabled' in ALARMS[alarm]) return 'var.enabled';
  return isRecorded(alarm, 'essential') ? 'true' : 'var.metrics == "all"';
}

/** Below each other, as `terraform fmt` writes them. */
const WIDEST = Math.max(...MODULE_ALARMS.map(alarm => alarmKey(alarm).length));

/** What `alarmsOf` works out, in Terraform. */
export const ALARM_LOCALS: Readonly<Record<string, string>> = {
  alarm_defaults: `{\n${MODULE_ALARMS.map(
    alarm =>
      `    ${alarmKey(alarm).padEnd(WIDEST)} = { threshold = ${thresholdTerm(alarm)}, periods = ${ALARMS[alarm].periods}, exists = ${existsTerm(alarm)} }\n`,
  ).join('')}  }`,
  alarms: `{
    for name, alarm in local.alarm_defaults : name => {
      threshold = coalesce(try(var.alarms[name].threshold, null), alarm.threshold)
      periods   = coalesce(try(var.alarms[name].periods, null), alarm.periods)
      is_made   = var.create_alarms && alarm.exists && try(var.alarms[name].enabled, true)
    }
  }`,
  has_alarms: 'anytrue([for alarm in values(local.alarms) : alarm.is_made])',
};

/** Terraform's names of what is there by variables, without the type. */
const TOPIC = 'aws_sns_topic.alarms_topic';
const DASHBOARD = 'aws_cloudwatch_dashboard.dashboard';
const alarmAddress = (alarm: AlarmName) => `aws_cloudwatch_metric_alarm.alarms_${alarmKey(alarm)}`;

/** ARNs of the alarms that there are, by key. */
const ALARM_ARNS = `{ for name, made in { ${MODULE_ALARMS.map(alarm => `${alarmKey(alarm)} = ${alarmAddress(alarm)}`).join(', ')} } : name => made[0].arn if length(made) > 0 }`;

/** The same as a list, in the order of the constructs. */
const ALARM_ARN_LIST = `concat(${MODULE_ALARMS.map(alarm => `${alarmAddress(alarm)}[*].arn`).join(', ')})`;

const TYPES = ['aws_cloudwatch_metric_alarm', 'aws_cloudwatch_dashboard'];
const OUTPUTS = ['alarm_arns'];

/** A sweep with another value of a prop that takes alarms away, with the alarms and the dashboard that it had before. */
export function withMonitoringOf(full: JsonObject, json: JsonObject): JsonObject {
  const put = (block: string, keys: readonly string[]) => ({
    ...(json[block] as JsonObject),
    ...Object.fromEntries(keys.map(key => [key, (full[block] as JsonObject)[key] as Json])),
  });
  return { ...json, resource: put('resource', TYPES), output: put('output', OUTPUTS) };
}

/** The dashboard of a sweep, as it is synthesized. */
export function dashboardOf(json: Json): string {
  const { resource } = json as unknown as { resource: Record<string, Record<string, JsonObject>> };
  return String(resource['aws_cloudwatch_dashboard']?.['dashboard']?.['dashboard_body']);
}

/**
 * Makes the alarms and the dashboard depend on the variables.
 * @param essentialDashboard the dashboard with `metrics: 'essential'`, with variables in it
 */
export function withMonitoring(json: JsonObject, essentialDashboard: string): JsonObject {
  const resource = json['resource'] as Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  const take = (address: string): JsonObject => {
    const [type = '', id = ''] = address.split('.');
    const found = resource[type]?.[id];
    if (found === undefined) throw new TemplateError(`${address} is not there.`);
    return found;
  };
  // The topic is there whatever tells whom: it costs nothing, and a `count` would take it away with the subscriptions to it.
  const topicArn = `var.alarm_topic != null ? var.alarm_topic.arn : ${TOPIC}.arn`;
  const actions = [`\${${topicArn}}`];
  const alarms = MODULE_ALARMS.map((alarm): [string, Json] => {
    const address = alarmAddress(alarm);
    return [
      address.split('.')[1] ?? '',
      {
        count: `\${local.alarms.${alarmKey(alarm)}.is_made ? 1 : 0}`,
        ...take(address),
        alarm_actions: actions,
        ok_actions: actions,
      },
    ];
  });
  const made = Object.keys(resource['aws_cloudwatch_metric_alarm'] ?? {});
  if (made.length !== alarms.length)
    throw new TemplateError(`${made.join()} are not the alarms of the list.`);
  const { output } = json as Readonly<Record<string, JsonObject>>;
  const valued = (name: string, value: string) => ({
    [name]: { ...(output?.[name] as JsonObject), value: `\${${value}}` },
  });
  return {
    ...json,
    resource: {
      ...resource,
      aws_cloudwatch_metric_alarm: Object.fromEntries(alarms),
      aws_cloudwatch_dashboard: {
        dashboard: {
          count: '${var.dashboard ? 1 : 0}',
          ...take(DASHBOARD),
          dashboard_body: `%{ if var.metrics == "all" }${withAlarmArns(dashboardOf(json))}%{ else }${withAlarmArns(essentialDashboard)}%{ endif }`,
        },
      },
    },
    output: {
      ...output,
      ...valued('alarm_arns', ALARM_ARNS),
      ...valued('alarm_topic_arn', `local.has_alarms ? (${topicArn}) : null`),
      ...valued('dashboard_name', `one(${DASHBOARD}[*].dashboard_name)`),
    },
  };
}

/** The widget of the alarms with those that there are; CloudWatch takes none without any. */
function withAlarmArns(body: string): string {
  const [widget, beginning] = /,(\{"type":"alarm",[^[]*"alarms":)\[[^\]]*\]\}\}/.exec(body) ?? [];
  if (widget === undefined) throw new TemplateError('The dashboard has no widget of the alarms.');
  const made = `,${beginning}\${jsonencode(${ALARM_ARN_LIST})}}}`;
  return body.replace(widget, () => `%{ if local.has_alarms }${made}%{ endif }`);
}
