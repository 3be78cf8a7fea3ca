import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expiryAttributes, expiryModel, withExpiry } from 'precise-ttl';

const TableName = 'Jobs';
const jobs = expiryModel({ partitionKey: 'jobId' });

export interface Job {
  jobId: string;
  task: string;
  /** Seconds after which the job runs again. Without it the job runs once. */
  everySeconds?: number;
}

/** Schedules a job for a time, epoch seconds. A job with the same id that still waits is not changed. */
export async function schedule(documents: DynamoDBDocumentClient, job: Job, runAt: number) {
  const Item = { ...job, ...expiryAttributes(jobs, { jobId: job.jobId }, { expiresAt: runAt }) };
  const ConditionExpression = 'attribute_not_exists(jobId)';
  await documents.send(new PutCommand({ TableName, Item, ConditionExpression }));
}

/** Moves a job to another time, by a renewal of its item. */
export async function move(documents: DynamoDBDocumentClient, jobId: string, runAt: number) {
  const renewal = { TableName, Key: { jobId }, ConditionExpression: 'attribute_exists(jobId)' };
  await documents.send(new UpdateCommand(withExpiry(jobs, renewal, { expiresAt: runAt })));
}

/** Cancels a job. Once its time has come, the condition fails, because from then on every deletion is an expiry. */
export async function cancel(documents: DynamoDBDocumentClient, jobId: string) {
  await documents.send(
    new DeleteCommand({
      TableName,
      Key: { jobId },
      ConditionExpression: '#ttl > :soon',
      ExpressionAttributeNames: { '#ttl': jobs.ttlAttribute },
      // Clocks may differ, so a job cannot be cancelled in its last two seconds.
      ExpressionAttributeValues: { ':soon': Math.floor(Date.now() / 1000) + 2 },
    }),
  );
}
