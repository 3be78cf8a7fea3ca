import { lambdaDeploymentMetrics, type RecordDeploymentMetric } from '../runtime/deployment-metric.ts';
import { type DynamoDbStreamEvent, recordsOf } from './event.ts';

/** Seconds from which a delay is recorded. A reader that keeps up, or only waits for a full batch, records none and costs nothing. */
export const MIN_DELAY_SECONDS = 300;

/**
 * Records for how long the oldest record of a batch has waited for its reader, in whole seconds. A batch that does not get through is
 * delivered again and again, so that its delay grows. Called before the work, because a call that crashes or times out records nothing
 * afterwards.
 *
 * @param nowMs epoch milliseconds
 */
export function recordDelay(
  event: DynamoDbStreamEvent,
  record: RecordDeploymentMetric = recordOfDeployment(),
  nowMs: number = Date.now(),
): void {
  const times = recordsOf(event).map(({ dynamodb }) => dynamodb.ApproximateCreationDateTime);
  const seconds = Math.floor(nowMs / 1000 - Math.min(...times));
  // Of a record without a time there is no delay: its reader refuses it.
  if (seconds >= MIN_DELAY_SECONDS) record('ReaderDelay', seconds);
}

let ofDeployment: RecordDeploymentMetric | undefined;

/** Made at the first call and reused while the execution environment lives. */
function recordOfDeployment(): RecordDeploymentMetric {
  ofDeployment ??= lambdaDeploymentMetrics();
  return ofDeployment;
}
