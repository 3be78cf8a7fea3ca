import type { IndexedBy } from '../../expiry/model.ts';
import type { DescribedTable } from '../table/describe-table.ts';
import type { Sample } from '../table/sample.ts';

/** The options that were given. */
export interface Wish {
  /** @default that of native TTL, or the attribute that a sample of the items suggests */
  readonly ttlAttribute: string | undefined;
  readonly indexedBy: IndexedBy;
  /** @default an existing index with these keys, or the default name of `config/props.ts` */
  readonly indexName: string | undefined;
  /** Units per second of a provisioned table's index. @default a share of the table's */
  readonly indexReadUnits: number | undefined;
  readonly indexWriteUnits: number | undefined;
  /** Native TTL has to be off with this attribute, or with a grace. @default none */
  readonly holdAttribute?: string | undefined;
  readonly graceSeconds?: number | undefined;
  /** Shows hashes instead of keys. */
  readonly mask?: boolean;
  /** Deletes per second of expired items at the end of the adoption. @default the user is asked */
  readonly deleteExpired?: number | undefined;
}

/** Writes to the table, as CloudWatch counts them. */
export type Writes =
  | {
      /** Mean write units per second of the last day. */
      readonly unitsPerSecond: number;
      /** Mean of the busiest hour of that day. */
      readonly busiestHour: number;
    }
  | { readonly unknown: string };

/** All facts about the table that were read. */
export interface Reading {
  readonly region: string;
  readonly table: DescribedTable;
  readonly sample: Sample;
  readonly writes: Writes;
  /** Epoch seconds. */
  readonly now: number;
}
