import { PARTITION_UNITS } from '../../expiry/partition-rule.ts';
import { sha256 } from '../../expiry/sha256.ts';
import { utf8 } from '../../expiry/utf8.ts';
import { WriteCapacity } from '../../lab/faults/index.ts';

/**
 * The partitions of an index. A key lies on one of them, by its hash, and shares its write units with all other keys there. Each has a
 * second's worth of units at the most. DynamoDB also splits a partition that stays hot for minutes, and keeps some more units for bursts,
 * but promises neither: both are left out.
 */
export class IndexPartitions {
  readonly #partitions: readonly WriteCapacity[];
  readonly #ofKey = new Map<string, WriteCapacity>();
  readonly #seed: number;

  constructor(count: number, seed: number) {
    this.#partitions = Array.from(
      { length: count },
      () => new WriteCapacity({ unitsPerSecond: PARTITION_UNITS }),
    );
    this.#seed = seed;
  }

  /** Takes a write unit of the partition that holds the key, or says that none is left. */
  take(key: string, nowMs: number): boolean {
    return this.#partitionOf(key)?.take(1, nowMs) ?? false;
  }

  #partitionOf(key: string): WriteCapacity | undefined {
    const known = this.#ofKey.get(key);
    if (known !== undefined) return known;
    const [hash = 0] = sha256(utf8(`${this.#seed} ${key}`));
    const partition = this.#partitions[hash % this.#partitions.length];
    if (partition !== undefined) this.#ofKey.set(key, partition);
    return partition;
  }
}
