import type { Clock } from 'stepfunctions-emulator';
import { LocalApiServer } from '../api-server.ts';
import { awsJson } from '../aws-json.ts';
import type { SynthesizedCloud } from '../stack/synthesized.ts';
import { cloudWatchOperations } from './api.ts';
import { LocalCloudWatch, type LocalCloudWatchOptions } from './cloudwatch.ts';

/** What stands before the operation's name in a request, as the SDK sends it. */
const TARGET = 'GraniteServiceVersion20100801';

/** CloudWatch for what was synthesized. The alarms are evaluated from {@link LocalCloudWatch.start} on. */
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

/** Answers the API of CloudWatch. */
export function serveCloudWatch(
  cloudWatch: LocalCloudWatch,
  port: number | undefined,
): Promise<LocalApiServer> {
  const protocol = awsJson({ target: TARGET, operations: cloudWatchOperations(cloudWatch) });
  return LocalApiServer.start(protocol, { port });
}
