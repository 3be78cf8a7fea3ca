import { SchedulerClient } from '@aws-sdk/client-scheduler';

export const local = (endpoint: string) => ({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  maxAttempts: 1,
});

/** The SDK's own client for an endpoint on this machine; it doesn't try again. */
export const schedulerClient = (endpoint: string): SchedulerClient => new SchedulerClient(local(endpoint));
