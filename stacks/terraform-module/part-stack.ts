import { Construct } from 'constructs';
import { type AlarmName, deployedAlarms, subjectOf } from '../../config/alarms.ts';
import type { ResolvedProps } from '../../config/props.ts';
import { expression, when } from '../../config/values.ts';
import { metricAlarm } from '../parts/alarms.ts';
import { Place } from '../parts/place.ts';
import type { StreamReader } from '../parts/stream-reader.ts';
import { openAlarms, tuningOf } from './open-alarms.ts';
import { type Outputs, openShared, WrittenStack } from './written-stack.ts';

/** The stack of a table's optional part. Its values are expressions that are valid in the part's module. */
export abstract class PartStack extends WrittenStack {
  protected readonly place = openPlace(this);
  protected readonly tableArn = expression<string>('var.table.arn');
  protected readonly streamArn = expression<string>('var.table.stream_arn');
  protected readonly environment = expression<Readonly<Record<string, string>>>('var.environment');
  protected readonly sweep = openTable();

  /** Makes each alarm of the part depend on its setting. */
  protected alarmsOf(subject: 'archive' | 'events'): void {
    const scope = new Construct(this, 'alarms');
    const { name, tableName } = this.sweep;
    const all = deployedAlarms({
      name,
      enabled: true,
      metrics: 'all',
      metricsNamespace: '',
      alarms: openAlarms('var.alarms', (alarm: AlarmName) => subjectOf(alarm) === subject),
      tables: [{ tableName, name, precisionSeconds: 1, [subject]: {} }],
    });
    for (const alarm of all) {
      const made = metricAlarm(scope, alarm, expression('var.alarm_topic_arn'), this.sweep);
      made.addOverride('count', when(tuningOf('var.alarms', alarm.alarm, 'enabled'), 1, 0));
    }
  }

  /** The outputs of a reader of the stream. */
  protected readerOutputs({ function: reader, failures }: StreamReader): Outputs {
    return {
      function_arn: ['ARN of the function that the stream calls.', reader.arn],
      role_arn: ['ARN of its role.', reader.role.arn],
      log_group_arn: ['ARN of its log group.', reader.logGroup.arn],
      failure_queue_arn: ['ARN of the queue of what it gave up.', failures.arn],
      failure_queue_url: ['URL of that queue.', failures.url],
      alarm_arns: ['ARNs of its alarms.', expression('local.alarm_arns')],
    };
  }
}

function openTable(): ResolvedProps {
  const setting = (name: string) => expression<never>(`var.settings.${name}`);
  return {
    ...openShared('var.deployment'),
    tableName: expression('var.table.name'),
    name: setting('name'),
    sweep: expression('var.deployment.name'),
    logKeys: setting('log_keys'),
    tableKmsKeyArn: setting('table_kms_key_arn'),
  } as unknown as ResolvedProps;
}

function openPlace(scope: Construct): Place {
  const name = (field: string) => expression<string>(`var.place.${field}`);
  return new Place(scope, 'place', {
    account: name('account'),
    partition: name('partition'),
    dnsSuffix: name('dns_suffix'),
    region: name('region'),
  });
}
