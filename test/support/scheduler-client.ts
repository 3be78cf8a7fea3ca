import { SchedulerClient } from '@aws-sdk/client-scheduler';

/** The SDK's own client for an endpoint on this machine. */
export function schedulerClient(endpoint: string): SchedulerClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return new SchedulerClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
}
