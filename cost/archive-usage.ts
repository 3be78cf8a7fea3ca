import { ARCHIVE, CALL_MS, FUNCTION_MEMORY_MB } from './assumptions.ts';

/** The settings and items of a table that decide the size and cost of its archive. */
export interface ArchiveShape {
  readonly itemsPerMonth: number;
  readonly itemBytes: number;
  /** Seconds for which removals are collected. */
  readonly batchSeconds: number;
}

/** The archive's usage in a month, in the units that are billed. */
export interface ArchiveUsage {
  readonly calls: number;
  readonly gbSeconds: number;
  readonly puts: number;
  /** Size of the stored objects. */
  readonly storedGb: number;
  readonly loggedGb: number;
}

/** Seconds of a month of 30 days, for which the ticks are counted too. */
const SECONDS = 2_592_000;
const GB = 1e9;

/** Lambda polls a shard four times per second. Source: Lambda Developer Guide, "Using AWS Lambda with Amazon DynamoDB". */
const POLL_SECONDS = 0.25;

/** Most records of a call, whose 6 MB are the other limit. Source: Lambda quotas; stacks/parts/archive.ts. */
const MAX_RECORDS = 1000;
const MAX_BYTES = 6e6;

/**
 * Deletions per second of one partition of a table, and so removals per second of one shard of its stream. Source: DynamoDB Developer
 * Guide, "Partitions".
 */
const REMOVALS_PER_SHARD = 1000;

/**
 * The archive's usage in a month in which the same number of items expires in each second. If less than one item expires in each
 * collecting time, each is an object of its own.
 */
export function archiveOfMonth(shape: ArchiveShape): ArchiveUsage {
  const { itemsPerMonth, itemBytes, batchSeconds } = shape;
  const shards = Math.max(1, Math.ceil(itemsPerMonth / SECONDS / REMOVALS_PER_SHARD));
  const gathered = (shards * SECONDS) / Math.max(batchSeconds, POLL_SECONDS);
  const lineBytes = itemBytes + ARCHIVE.lineBytes;
  const atMost = Math.max(1, Math.min(MAX_RECORDS, MAX_BYTES / lineBytes));
  const calls = Math.max(Math.min(itemsPerMonth, gathered), itemsPerMonth / atMost);
  // The measured processor time is for items of 1 KB, and mostly depends on their bytes.
  const itemsMs = itemsPerMonth * ARCHIVE.itemMs * Math.max(1, itemBytes / 1000);
  const milliseconds = calls * (CALL_MS + ARCHIVE.putMs) + itemsMs;
  return {
    calls,
    gbSeconds: (milliseconds / 1000) * (FUNCTION_MEMORY_MB / 1024),
    // The items of a call mostly have the same date.
    puts: calls,
    storedGb: (itemsPerMonth * itemBytes * ARCHIVE.storedShare) / GB,
    loggedGb: (calls * ARCHIVE.loggedBytes) / GB,
  };
}
