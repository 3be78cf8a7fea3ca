import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { ChooseCallFault } from 'aws-on-loopback/call-fault';
import { DUMMY_CREDENTIALS } from 'aws-on-loopback/dynamodb/clients';
import { startEventBridge } from 'aws-on-loopback/eventbridge/start-eventbridge';
import { startKinesis } from 'aws-on-loopback/kinesis/start-kinesis';
import { startLambda } from 'aws-on-loopback/lambda/lambda-api';
import { requireFree } from 'aws-on-loopback/ports';
import type { WrittenObject } from 'aws-on-loopback/s3/s3-api';
import { type LocalS3, startS3 } from 'aws-on-loopback/s3/start-s3';
import type { LocalService } from 'aws-on-loopback/service';
import { localQueueUrl, SERVICE_VARIABLES, type ServiceEndpoints } from 'aws-on-loopback/service-variables';
import { type LocalSqs, startSqs } from 'aws-on-loopback/sqs/start-sqs';
import type { Clock, FunctionResult } from 'stepfunctions-emulator';
import { requireLoopback } from 'stepfunctions-emulator/loopback';
import type { DestinationKind, DestinationName } from '../../config/stream-props.ts';
import type { SynthesizedCloud } from '../stack/synthesized.ts';
import { type UsedServices, usedServices } from './used-services.ts';

/** Services with a port, which another process may also provide. */
export type ServiceName = Exclude<keyof ServiceEndpoints, 'lambda'>;

/** Flags of `precise-ttl local` for the services' ports. */
export const PORT_FLAGS = {
  s3: '--s3-port',
  sqs: '--sqs-port',
  eventBridge: '--eventbridge-port',
  kinesis: '--kinesis-port',
} as const satisfies Readonly<Record<ServiceName, string>>;

/** An expiry event that reached its destination. */
export interface ArrivedEvent {
  /** Name of a bus, a queue or a stream, or of a function that is not run here. */
  readonly destination: string;
  readonly kind: DestinationKind;
  /** Content as JSON; for an EventBridge event, its detail. */
  readonly text: string;
}

export interface ServicesOptions {
  /** Folder of archived objects, as `<folder>/<bucket>/<key>`. @default in memory */
  readonly archiveFolder?: string | undefined;
  /** @default free ones */
  readonly ports?: Readonly<Partial<Record<ServiceName, number>>> | undefined;
  /** Faults in the calls of each service, for the lab. @default none */
  readonly faults?: Readonly<Partial<Record<ServiceName, ChooseCallFault>>> | undefined;
  /** Called for every archived object. */
  readonly onObject?: ((written: WrittenObject) => void) | undefined;
  /** Called once when the store of archived objects is full. */
  readonly onArchiveFull?: ((message: string) => void) | undefined;
  /** Called for every event that arrives. */
  readonly onEvent?: ((event: ArrivedEvent) => void) | undefined;
}

interface Surroundings extends ServicesOptions {
  /** The environment; an endpoint in it replaces a server of our own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Invokes a function; undefined for an unknown one. */
  readonly invoke: (functionName: string, payload: unknown) => Promise<FunctionResult | undefined>;
}

interface Started {
  s3?: LocalS3;
  sqs?: LocalSqs;
  eventBridge?: LocalService;
  kinesis?: LocalService;
  lambda?: LocalService;
}

/** The AWS services besides DynamoDB that functions use: only those that the synthesized stack needs. */
export class LocalServices {
  readonly used: UsedServices;
  /** Endpoints of the services. */
  readonly endpoints: ServiceEndpoints;
  /** Undefined when nothing is archived, or another process provides S3. */
  readonly s3: LocalS3 | undefined;
  readonly sqs: LocalSqs | undefined;
  readonly #started: Started;
  readonly #region: string;

  private constructor(used: UsedServices, started: Started, endpoints: ServiceEndpoints, region: string) {
    this.used = used;
    this.#started = started;
    this.endpoints = endpoints;
    this.s3 = started.s3;
    this.sqs = started.sqs;
    this.#region = region;
  }

  /**
   * Starts the needed services; when one fails, none is left running.
   * @throws {NotLoopbackError} for an endpoint in the environment that is not on this machine
   */
  static async start(synthesized: SynthesizedCloud, surroundings: Surroundings): Promise<LocalServices> {
    const { environment, clock, ports = {}, faults = {}, archiveFolder, onObject, onEvent } = surroundings;
    const { onArchiveFull: onFull } = surroundings;
    const used = usedServices(synthesized);
    const { buckets, queues, eventQueues, buses, streams, callsFunction } = used;
    const given = givenEndpoints(environment);
    const started: Started = {};
    /** Returns the options of a service: its port, which must be free, and its faults. */
    const place = async (service: ServiceName) => {
      const port = ports[service];
      if (port !== undefined) await requireFree(port, PORT_FLAGS[service]);
      return { port, choose: faults[service] };
    };
    const wants = (service: ServiceName, isUsed: boolean) => isUsed && given[service] === undefined;
    /** The local service of each destination of events. */
    const starts: Readonly<Record<DestinationName, () => Promise<void>>> = {
      async queueArn() {
        if (!wants('sqs', queues.length > 0)) return;
        started.sqs = await startSqs({
          queues,
          clock,
          ...(await place('sqs')),
          onMessage(queue, { body }) {
            if (eventQueues.has(queue)) onEvent?.({ destination: queue, kind: 'queue', text: body });
          },
        });
      },
      async eventBus() {
        if (!wants('eventBridge', buses.length > 0)) return;
        started.eventBridge = await startEventBridge({
          buses: buses.filter(bus => bus !== 'default'),
          clock,
          ...(await place('eventBridge')),
          onEvent: ({ bus, detail }) => onEvent?.({ destination: bus, kind: 'bus', text: detail }),
        });
      },
      async streamArn() {
        if (!wants('kinesis', streams.length > 0)) return;
        started.kinesis = await startKinesis({
          streams,
          ...(await place('kinesis')),
          onRecord: ({ stream, data }) =>
            onEvent?.({ destination: stream, kind: 'stream', text: data.toString() }),
        });
      },
      async functionArn() {
        if (callsFunction) started.lambda = await startLambda({ invoke: invoker(surroundings) });
      },
    };
    try {
      if (wants('s3', buckets.length > 0)) {
        const options = { buckets, folder: archiveFolder, onObject, onFull };
        started.s3 = await startS3({ ...options, ...(await place('s3')) });
      }
      for (const start of Object.values(starts)) await start();
    } catch (error) {
      await stopAll(started);
      throw error;
    }
    const own = Object.entries(started).map(([service, { endpoint }]) => [service, endpoint]);
    const endpoints: ServiceEndpoints = { ...given, ...Object.fromEntries(own) };
    return new LocalServices(used, started, endpoints, synthesized.region);
  }

  /** Sends a message as Lambda does to a failure destination. */
  async send(queueArn: string, message: object): Promise<void> {
    const queue = queueArn.split(':').at(-1) ?? '';
    const body = JSON.stringify(message);
    if (this.sqs !== undefined) {
      this.sqs.send(queue, { body });
      return;
    }
    const endpoint = requireLoopback(this.endpoints.sqs ?? '', SERVICE_VARIABLES.sqs);
    const client = new SQSClient({
      endpoint,
      region: this.#region,
      credentials: {
        accessKeyId: DUMMY_CREDENTIALS.AWS_ACCESS_KEY_ID,
        secretAccessKey: DUMMY_CREDENTIALS.AWS_SECRET_ACCESS_KEY,
      },
    });
    try {
      const QueueUrl = localQueueUrl(endpoint, queue);
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
    } finally {
      client.destroy();
    }
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    await stopAll(this.#started);
  }
}

async function stopAll(started: Started): Promise<void> {
  await Promise.all(Object.values(started).map(server => server.stop()));
}

/**
 * Endpoints from the environment. That of Lambda is not among them: `cloud.ts` uses it, only for functions that the local cloud does not
 * have.
 */
function givenEndpoints(environment: Surroundings['environment']): ServiceEndpoints {
  const services = Object.keys(PORT_FLAGS) as ServiceName[];
  return Object.fromEntries(
    services.flatMap(service => {
      const variable = SERVICE_VARIABLES[service];
      const endpoint = environment[variable];
      return endpoint ? [[service, requireLoopback(endpoint, variable)]] : [];
    }),
  );
}

/** Makes the calls of functions. A function that is not run here is treated as successful: otherwise its shard would wait for a day. */
function invoker({ invoke, onEvent }: Surroundings): Surroundings['invoke'] {
  return async (functionName, payload) => {
    const result = await invoke(functionName, payload);
    if (result !== undefined) return result;
    for (const event of eventsIn(payload)) {
      onEvent?.({ destination: functionName, kind: 'function', text: JSON.stringify(event) });
    }
    return { ok: true, payload: null };
  };
}

function eventsIn(payload: unknown): readonly unknown[] {
  const events = (payload as { readonly events?: unknown } | null)?.events;
  return Array.isArray(events) ? events : [];
}
