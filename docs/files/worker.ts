import { type AttributeValue, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { ExpiryEvent } from 'precise-ttl';
import { type Job, schedule } from './jobs.ts';

/** Makes the worker. `work` gets the same `runId` if an event comes twice. */
export function workerOf(
  documents: DynamoDBDocumentClient,
  work: (job: Job, runId: string) => Promise<void>,
) {
  return async ({ events }: { events: ExpiryEvent[] }) => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    for (const event of events) {
      try {
        const job = unmarshall(event.oldImage as Record<string, AttributeValue>) as Job;
        await work(job, event.id);
        await scheduleNext(documents, job, event);
      } catch (error) {
        console.error(error);
        batchItemFailures.push({ itemIdentifier: event.id });
      }
    }
    return { batchItemFailures };
  };
}

/** Schedules the next run. Its time is counted from the time at which this one was due, so that delays do not add up. */
async function scheduleNext(documents: DynamoDBDocumentClient, job: Job, { expiredAt }: ExpiryEvent) {
  const { jobId, task, everySeconds } = job;
  if (everySeconds === undefined || expiredAt === null) return;
  const dueAt = Date.parse(expiredAt) / 1000;
  const missed = Math.floor((Date.now() / 1000 - dueAt) / everySeconds);
  try {
    await schedule(documents, { jobId, task, everySeconds }, dueAt + (missed + 1) * everySeconds);
  } catch (error) {
    // The event came a second time, and the next run is scheduled already.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
