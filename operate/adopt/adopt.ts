import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { modelOf } from '../../config/deployments.ts';
import type { Deletion } from '../../functions/delete-chunk/deletion.ts';
import type { With } from '../aws/clients.ts';
import { InputError } from '../errors.ts';
import { describeShape, describeTable } from '../table/describe-table.ts';
import { sampleItems } from '../table/sample.ts';
import { sparingRate, type TableScan } from '../table/scan.ts';
import { type Building, createIndex, enableNativeTtl, untilBuilt } from './change-table.ts';
import { type DeleteExpiredOptions, deleteExpired } from './delete-expired.ts';
import { type AdoptionPlan, ttlTally } from './plan.ts';
import { type Reading, readIndexProgress, readWrites, type Wish } from './reading.ts';
import { lookAtAll, type TtlLook } from './ttl.ts';

/** Options of an adoption. */
export interface AdoptOptions extends Wish, With<'dynamoDb' | 'cloudWatch' | 'isBeside' | 'isLocal'> {
  readonly tableName: string;
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds between two requests for the index's status. @default depends on whether the table is on this machine */
  readonly pollMs?: number;
}

/** The changes that the adoption made to the table. */
export interface Adopted {
  readonly index: 'as it was' | 'being built' | 'built';
  readonly nativeTtl: 'as it was' | 'turned on';
}

/** Milliseconds between two requests for the index's status: building an index takes minutes on AWS, and no time on this machine. */
const POLL_MS = 5000;
const LOCAL_POLL_MS = 200;

/**
 * Reads all that an adoption needs to know about a table. It changes nothing.
 *
 * @throws {InputError} without a region; {TableNotFoundError}, {MissingPermissionError}, or the SDK's error
 */
export async function readTable({ clients, tableName, signal, now }: AdoptOptions): Promise<Reading> {
  const { dynamoDb } = clients;
  const region = await regionOf(dynamoDb);
  const table = await describeTable(dynamoDb, tableName);
  const sample = await sampleItems(dynamoDb, { tableName, tableArn: table.arn, signal });
  const writes = clients.isBeside('CLOUDWATCH')
    ? await readWrites(clients.cloudWatch, tableName, now())
    : {
        unknown: 'DynamoDB is on this machine, and AWS_ENDPOINT_URL_CLOUDWATCH names no CloudWatch beside it',
      };
  return { region, table, sample, writes, now: Math.floor(now() / 1000) };
}

/** @throws {InputError} when neither the options nor the SDK's configuration name a region */
async function regionOf(client: DynamoDBClient): Promise<string> {
  try {
    return await client.config.region();
  } catch {
    throw new InputError('region', 'expected the region of the table, got none; name it, or set AWS_REGION');
  }
}

/** Reads every item at a rate that spares the table, and checks its TTL. It changes nothing. */
export function lookAtTable(
  reading: Reading,
  { ttl }: AdoptionPlan,
  options: AdoptOptions,
  onProgress: TableScan['onProgress'],
): Promise<TtlLook> {
  const { clients, signal } = options;
  const tally = ttlTally(reading, ttl.attribute);
  const scan = { readUnitsPerSecond: sparingRate(reading.table), signal, onProgress };
  return lookAtAll(clients.dynamoDb, reading.table, tally, scan);
}

/**
 * Makes the planned changes: adds the index, waits until DynamoDB has built it, and turns native TTL on. When the signal aborts,
 * finished changes stay, and DynamoDB continues to build the index.
 *
 * @throws {AdoptError}, {MissingPermissionError}, or the SDK's error
 */
export async function changeTable(
  { table }: Reading,
  { index, nativeTtl, ttl }: AdoptionPlan,
  options: AdoptOptions,
  onPoll: (building: Building) => void,
): Promise<Adopted> {
  const { clients, signal } = options;
  const adopted: Adopted = { index: 'as it was', nativeTtl: 'as it was' };
  if (signal.aborted) return adopted;
  if (index.action === 'create') await createIndex(clients.dynamoDb, table, index);
  if (index.action !== 'none') {
    if (!(await watchIndex(index.name, options, onPoll))) return { ...adopted, index: 'being built' };
  }
  const built: Adopted = { ...adopted, index: index.action === 'none' ? 'as it was' : 'built' };
  if (signal.aborted || nativeTtl !== 'enable') return built;
  await enableNativeTtl(clients.dynamoDb, table, ttl.attribute);
  return { ...built, nativeTtl: 'turned on' };
}

function watchIndex(
  indexName: string,
  { clients, tableName, signal, now, ...options }: AdoptOptions,
  onPoll: (building: Building) => void,
): Promise<boolean> {
  return untilBuilt({
    indexName,
    describe: async () =>
      (await describeShape(clients.dynamoDb, tableName)).indexes.find(({ name }) => name === indexName),
    progress: async () =>
      clients.isBeside('CLOUDWATCH')
        ? readIndexProgress(clients.cloudWatch, tableName, indexName, now())
        : undefined,
    onPoll,
    pollMs: options.pollMs ?? (clients.isLocal() ? LOCAL_POLL_MS : POLL_MS),
    signal,
    now,
  });
}

/** Deletes the items that expired before the adoption. */
export function deleteOldItems(
  { table }: Reading,
  { ttl, configuration }: AdoptionPlan,
  options: AdoptOptions,
  deleting: Pick<DeleteExpiredOptions, 'deletesPerSecond' | 'onDeletion' | 'onProgress'>,
): Promise<Deletion> {
  return deleteExpired(options.clients.dynamoDb, table, {
    ...deleting,
    signal: options.signal,
    readUnitsPerSecond: sparingRate(table),
    model: modelOf(configuration),
    ttlAttribute: ttl.attribute,
  });
}

/** The result of an adoption as plain data. */
export function adoptionResult(
  { region, table, sample, writes }: Reading,
  { look, ...plan }: AdoptionPlan,
  done: Adopted & {
    readonly end: 'done' | 'interrupted';
    readonly dryRun: boolean;
    readonly deletion: Deletion | undefined;
  },
) {
  const { deletion, ...others } = done;
  return {
    table: { ...table, region, writes, sampledItems: sample.items.length },
    plan: {
      ttlAttribute: plan.ttl,
      ttlValues: look.values,
      expired: look.expired,
      lookedAt: look.items,
      index: plan.index,
      nativeTtl: plan.nativeTtl,
      units: plan.units,
    },
    result: { ...others, ...(deletion && { deletion: countsOf(deletion) }) },
    configuration: plan.configuration,
  };
}

function countsOf({ deleted, renewed, notFound, failed, unprocessed }: Deletion) {
  return { deleted, renewed, notFound, failed: failed.length, left: unprocessed.length };
}
