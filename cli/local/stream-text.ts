import type { WrittenObject } from 'aws-on-loopback/s3/s3-api';
import type { EventSourceMappingResource } from 'aws-on-loopback/streams/mapping-settings';
import type { ServedCloud } from '../../local/serve.ts';
import type { ArrivedEvent, ServiceName } from '../../local/services/local-services.ts';
import type { UsedServices } from '../../local/services/used-services.ts';
import { localTime } from './log-line.ts';

/** Names of the services and of their resources that are in use. */
const SERVICES: Readonly<Record<ServiceName, readonly [string, (used: UsedServices) => readonly string[]]>> =
  {
    s3: ['S3', ({ buckets }) => buckets],
    sqs: ['SQS', ({ queues }) => queues],
    eventBridge: ['EventBridge', ({ buses }) => buses],
    kinesis: ['Kinesis', ({ streams }) => streams],
  };

/** Rows about the streams: one for each reader, none if there are no readers. */
export function describeStreams(
  { services, synthesized, functions }: ServedCloud['cloud'],
  archiveFolder: string | undefined,
): (readonly [string, string])[] {
  const { endpoints, used } = services;
  const called = synthesized.mappings
    .filter(({ isEnabled }) => isEnabled)
    .map(({ tableName, functionName }) => `${tableName} to ${functionName.split(':').at(-1)}`);
  const consumers = [
    ...new Set(synthesized.functions.flatMap(({ environment }) => environment['EVENTS_FUNCTION'] || [])),
  ];
  const rows = (Object.keys(SERVICES) as ServiceName[]).flatMap(service => {
    const [name, namesIn] = SERVICES[service];
    const [endpoint, names] = [endpoints[service], namesIn(used)];
    return endpoint === undefined || names.length === 0
      ? []
      : [[name, `${endpoint}: ${names.join(', ')}`] as const];
  });
  return [
    ...(called.length === 0 ? [] : [['streams', called.join(', ')] as const]),
    ...rows,
    ...(services.s3 === undefined || archiveFolder === undefined
      ? []
      : [['archive', archiveFolder] as const]),
    ...consumers.map(consumer => ['events', describeConsumer(consumer, functions.knows(consumer))] as const),
  ];
}

function describeConsumer(functionName: string, isKnown: boolean): string {
  if (isKnown) return `go to ${functionName}`;
  return `are shown here, as nobody runs ${functionName}: set AWS_ENDPOINT_URL_LAMBDA to a Lambda API on this machine to have it called`;
}

/** Describes a written object on one line. */
export function describeObject({ bucket, key, bytes, file }: WrittenObject): string {
  return `${localTime(Date.now())}  archived  ${file ?? `s3://${bucket}/${key}`}  ${bytes.toLocaleString('en-US')} bytes`;
}

/** Reports failed writes on one line, even if many fail. The streams keep the records for a day, and the functions are called again. */
export function describeArchiveFull(message: string): string {
  return `${localTime(Date.now())}  archive   is full: nothing is lost, what could not be written is tried again for 23 hours. ${message}`;
}

/** Describes an event on one line. */
export function describeEvent({ kind, destination, text }: ArrivedEvent): string {
  return `${localTime(Date.now())}  event     ${kind} ${destination}  ${text}`;
}

/** Describes a problem of a stream on one line. */
export function describeStreamTrouble(told: unknown, { address }: EventSourceMappingResource): string {
  return `${localTime(Date.now())}  ${address}  ${told}`;
}
