import { LocalCloudWatch, type LocalCloudWatchOptions } from 'aws-on-loopback/cloudwatch/cloudwatch';
import type { Clock } from 'stepfunctions-emulator';
import type { SynthesizedCloud } from './stack/synthesized.ts';

/** Creates CloudWatch for the synthesized stack. The alarms are evaluated after {@link LocalCloudWatch.start}. */
export function cloudWatchOf(
  synthesized: Pick<SynthesizedCloud, 'alarms' | 'blocks'>,
  clock: Clock,
  { onAlarm, messagesIn }: Pick<LocalCloudWatchOptions, 'onAlarm' | 'messagesIn'> = {},
): LocalCloudWatch {
  const queues = synthesized.blocks.flatMap(({ kind, type, body }) =>
    kind === 'resource' && type === 'aws_sqs_queue' && typeof body['name'] === 'string' ? [body['name']] : [],
  );
  return new LocalCloudWatch({ clock, alarms: synthesized.alarms, queues, onAlarm, messagesIn });
}
