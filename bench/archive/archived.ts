import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { modelOf } from '../../config/model-of.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { countLines } from '../../lab/archive/archived-objects.ts';
import { StreamRecorder } from '../../lab/archive/recorder.ts';
import { KEY_NAMES } from '../../lab/archive/users.ts';
import { type EndpointFaultName, SeededEndpointFaults } from '../../lab/faults/index.ts';
import type { ApiCall, CallFault } from '../../local/call-fault.ts';
import { LocalCloud, type LocalCloudOptions } from '../../local/cloud.ts';
import { localDynamoDbStreams } from '../../local/dynamodb/clients.ts';
import { startDynamoDbLocal } from '../../local/dynamodb/dynamodb-local.ts';
import { plainStack } from '../../stacks/plain-stack.ts';

/** A table with an archive, running on this machine, and what watches it. Nothing of it is killed. */
export interface Archived {
  readonly stack: LocalCloudOptions['stack'];
  /** `AWS_ENDPOINT_URL_…` of what runs, for another process. */
  readonly environment: Readonly<Record<string, string>>;
  /** It has the table and S3. No schedule fires, and nothing reads the stream. */
  readonly cloud: LocalCloud;
  readonly bucket: string;
  readonly streamArn: string;
  readonly recorder: StreamRecorder;
  readonly s3Counts: () => S3Counts;
  /** How often an object was stored, the same one again too. */
  readonly stored: () => number;
  /** Lines of all objects that were stored. */
  readonly lines: () => number;
  readonly objects: () => Promise<[key: string, body: Uint8Array][]>;
  readonly problems: readonly string[];
}

export interface ArchivedOptions {
  readonly table: PreciseTtlProps;
  readonly seed: number;
  /** How far the clocks of Step Functions and Lambda are ahead of DynamoDB's, milliseconds. */
  readonly skewMs: number;
  /** Gets every call of S3 and what is done to it. */
  readonly onS3Call?: (call: ApiCall, fault: CallFault | undefined) => void;
  /** Gets the key of every object once it is stored. */
  readonly onStored?: (key: string) => void;
}

/** Calls of S3, and what was done to them. */
export type S3Counts = Readonly<Partial<Record<EndpointFaultName, number>>> & { readonly calls: number };

/** What of a run's faults of S3 did not happen; a run without them proves nothing. */
export function missingFaults(counts: S3Counts): string[] {
  const missing = (Object.keys(S3_RATES) as EndpointFaultName[]).filter(name => !counts[name]);
  return missing.map(name => `no call of S3 was ${name}; take another --seed, or raise --expiries`);
}

/** Of all calls: 20% fail, and 1% hang. */
const S3_RATES = { throttled: 0.07, unavailable: 0.07, cut: 0.06, hanging: 0.01 } as const;

const REGION = 'us-east-1';

/** Starts everything, and stops it when `use` is done. */
export async function withArchived<T>(
  { table, seed, skewMs, onS3Call, onStored }: ArchivedOptions,
  use: (archived: Archived) => Promise<T>,
): Promise<T> {
  const stack = plainStack({ region: REGION, tables: [table] });
  const undo: (() => unknown)[] = [];
  try {
    const dynamoDb = await startDynamoDbLocal({ longRun: true });
    undo.push(() => dynamoDb.stop());
    const faults = new SeededEndpointFaults({ service: 's3', seed: seed + 3, rates: S3_RATES });
    let calls = 0;
    let stored = 0;
    const linesOf = new Map<string, number>();
    const cloud: LocalCloud = await LocalCloud.start({
      stack,
      environment: { AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint },
      skewMs,
      schedules: false,
      mappings: { onlyDrained: true },
      services: {
        faults: {
          s3(call) {
            const fault = faults.choose(call);
            calls += 1;
            onS3Call?.(call, fault);
            return fault;
          },
        },
        onObject({ bucket, key }) {
          onStored?.(key);
          stored += 1;
          void cloud.services.s3
            ?.read(bucket, key)
            .then(body => linesOf.set(key, body ? countLines(body) : 0));
        },
      },
    });
    undo.push(() => cloud.stop());
    const bucket = cloud.synthesized.buckets[0] ?? '';
    const { Table } = await cloud.client.send(new DescribeTableCommand({ TableName: table.tableName }));
    const streamArn = Table?.LatestStreamArn ?? '';
    const streams = localDynamoDbStreams(dynamoDb.endpoint, REGION);
    undo.push(() => streams.destroy());
    const problems: string[] = [];
    const recorder = new StreamRecorder({
      ...{ streams, streamArn, keyNames: KEY_NAMES, ttlAttribute: modelOf(table).ttlAttribute },
      onError: error => problems.push(`the stream cannot be recorded: ${error}`),
    });
    undo.push(() => recorder.stop());
    const { s3 = '', sqs = '' } = cloud.services.endpoints;
    return await use({
      ...{ stack, cloud, bucket, streamArn, recorder, problems },
      s3Counts: () => ({ calls, ...faults.counts }),
      environment: {
        AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint,
        AWS_ENDPOINT_URL_S3: s3,
        AWS_ENDPOINT_URL_SQS: sqs,
      },
      stored: () => stored,
      lines: () => [...linesOf.values()].reduce((sum, lines) => sum + lines, 0),
      async objects() {
        const keys = (await cloud.services.s3?.keys(bucket)) ?? [];
        return Promise.all(
          keys.map(
            async key =>
              [key, (await cloud.services.s3?.read(bucket, key)) ?? Buffer.alloc(0)] as [string, Uint8Array],
          ),
        );
      },
    });
  } finally {
    for (const step of undo.reverse()) await step();
  }
}
