import { busIn, queueIn } from '../functions/service-variables.ts';
import type { SynthesizedCloud } from '../terraform/synthesized.ts';

/** What of the services beside DynamoDB is used. */
export interface UsedServices {
  readonly buckets: readonly string[];
  /** Names. Those that schedules alone use are not among them: a start that fails is only counted. */
  readonly queues: readonly string[];
  /** Of the queues, those that get events. */
  readonly eventQueues: ReadonlySet<string>;
  readonly buses: readonly string[];
  /** Whether a function calls a function. */
  readonly callsFunction: boolean;
}

/** By the resources, and by the environment of the functions: what is used may exist already. */
export function usedServices({
  buckets,
  functions,
  mappings,
}: Pick<SynthesizedCloud, 'buckets' | 'functions' | 'mappings'>): UsedServices {
  const values = (variable: string): string[] =>
    functions.flatMap(({ environment }) => environment[variable] || []);
  const eventQueues = new Set(values('EVENTS_QUEUE_URL').flatMap(url => queueIn(url) ?? []));
  const failureQueues = mappings.flatMap(({ failureQueueArn }) => failureQueueArn?.split(':').at(-1) ?? []);
  return {
    buckets: [...new Set([...buckets, ...values('ARCHIVE_BUCKET')])],
    queues: [...new Set([...failureQueues, ...eventQueues])],
    eventQueues,
    buses: [...new Set(values('EVENTS_BUS').map(busIn))],
    callsFunction: values('EVENTS_FUNCTION').length > 0,
  };
}
