import { ARCHIVE, CALL_MS } from './assumptions.ts';

/** The settings and items of a table that decide the size and cost of its archive. */
export interface ArchiveShape {
  readonly itemsPerMonth: number;
  readonly itemBytes: number;
  /** How long removals are gathered. */
  readonly batchSeconds: number;
  readonly functionMemoryMb: number;
}

/** A month of the archive, in the units in which it is billed. */
export interface ArchiveUsage {
  readonly calls: number;
  readonly gbSeconds: number;
  readonly puts: number;
  /** Size of the objects that were put. */
  readonly storedGb: number;
  readonly loggedGb: number;
}

/** A month of 30 days, as the ticks are counted. */
const SECONDS = 2_592_000;
const GB = 1e9;

/** Lambda asks a shard four times a second. Source: Lambda Developer Guide, "Using AWS Lambda with Amazon DynamoDB". */
const POLL_SECONDS = 0.25;

/** A call has at most so many records, and 6 MB of them. Source: Lambda quotas; stacks/parts/archive.ts. */
const MAX_RECORDS = 1000;
const MAX_BYTES = 6e6;

/**
 * Deletions a second of one partition of a table, and so removals a second of one shard of its stream. Source: DynamoDB Developer Guide,
 * "Partitions".
 */
const REMOVALS_PER_SHARD = 1000;

/** When as many items expire in each second, evenly. Fewer than one in each time of gathering: each is an object of its own. */
export function archiveOfMonth(shape: ArchiveShape): ArchiveUsage {
  const { itemsPerMonth, itemBytes, batchSeconds, functionMemoryMb } = shape;
  const shards = Math.max(1, Math.ceil(itemsPerMonth / SECONDS / REMOVALS_PER_SHARD));
  const gathered = (shards * SECONDS) / Math.max(batchSeconds, POLL_SECONDS);
  const lineBytes = itemBytes + ARCHIVE.lineBytes;
  const atMost = Math.max(1, Math.min(MAX_RECORDS, MAX_BYTES / lineBytes));
  const calls = Math.max(Math.min(itemsPerMonth, gathered), itemsPerMonth / atMost);
  // The processor's part is of items of 1 KB, most of which is their bytes.
  const itemsMs = itemsPerMonth * ARCHIVE.itemMs * Math.max(1, itemBytes / 1000);
  const milliseconds = calls * (CALL_MS + ARCHIVE.putMs) + itemsMs;
  return {
    calls,
    gbSeconds: (milliseconds / 1000) * (functionMemoryMb / 1024),
    // The items of a call are mostly of one date.
    puts: calls,
    storedGb: (itemsPerMonth * itemBytes * ARCHIVE.storedShare) / GB,
    loggedGb: (calls * ARCHIVE.loggedBytes) / GB,
  };
}
