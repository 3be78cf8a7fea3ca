import { busIn, queueIn, streamIn } from 'aws-on-loopback/service-variables';
import { DESTINATION_VARIABLES, type DestinationName } from '../../config/stream-props.ts';
import type { SynthesizedCloud } from '../stack/synthesized.ts';

/** The parts of the services besides DynamoDB that are used. */
export interface UsedServices {
  readonly buckets: readonly string[];
  /** Names of queues. Queues that only schedules use are left out: a failed start is only counted. */
  readonly queues: readonly string[];
  /** Queues to which events are sent. */
  readonly eventQueues: ReadonlySet<string>;
  readonly buses: readonly string[];
  /** Names of Kinesis streams. */
  readonly streams: readonly string[];
  /** Whether a function calls a function. */
  readonly callsFunction: boolean;
}

/** Reads the local name of the events' destination from a function's environment. */
const NAME_IN: Readonly<Record<DestinationName, (setting: string) => string | undefined>> = {
  eventBus: busIn,
  queueArn: queueIn,
  functionArn: name => name,
  streamArn: streamIn,
};

/** Finds the services in the resources and in the functions' environment, because a used resource may exist already. */
export function usedServices({
  buckets,
  functions,
  mappings,
}: Pick<SynthesizedCloud, 'buckets' | 'functions' | 'mappings'>): UsedServices {
  const values = (variable: string): string[] =>
    functions.flatMap(({ environment }) => environment[variable] || []);
  const getEvents = (destination: DestinationName): string[] => {
    const names = values(DESTINATION_VARIABLES[destination]).flatMap(
      setting => NAME_IN[destination](setting) ?? [],
    );
    return [...new Set(names)];
  };
  const eventQueues = new Set(getEvents('queueArn'));
  const failureQueues = mappings.flatMap(({ failureQueueArn }) => failureQueueArn?.split(':').at(-1) ?? []);
  return {
    buckets: [...new Set([...buckets, ...values('ARCHIVE_BUCKET')])],
    queues: [...new Set([...failureQueues, ...eventQueues])],
    eventQueues,
    buses: getEvents('eventBus'),
    streams: getEvents('streamArn'),
    callsFunction: getEvents('functionArn').length > 0,
  };
}
