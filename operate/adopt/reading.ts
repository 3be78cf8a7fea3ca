import type { IndexedBy } from '../../expiry/model.ts';
import type { DescribedTable } from '../table/describe-table.ts';
import type { Sample } from '../table/sample.ts';

/** The options that were given. */
export interface Wish {
  /** @default the one of native TTL, or what a sample of the items shows */
  readonly ttlAttribute: string | undefined;
  readonly indexedBy: IndexedBy;
  /** @default an index with these keys that is there, or the default name of `config/props.ts` */
  readonly indexName: string | undefined;
  /** Units per second of the index, for a provisioned table. @default a share of the table's */
  readonly indexReadUnits: number | undefined;
  readonly indexWriteUnits: number | undefined;
  /** With it, or with a grace, native TTL has to be off. @default none */
  readonly holdAttribute?: string | undefined;
  readonly graceSeconds?: number | undefined;
  /** Hashes instead of keys. */
  readonly mask?: boolean;
  /** So many a second of the items are deleted at the end that are expired already. @default it is asked */
  readonly deleteExpired?: number | undefined;
}

/** Writes to the table, from CloudWatch. */
export type Writes =
  | {
      /** Write units per second, the mean of the last day. */
      readonly unitsPerSecond: number;
      /** The mean of the busiest hour of that day. */
      readonly busiestHour: number;
    }
  | { readonly unknown: string };

/** All that is known of the table. */
export interface Reading {
  readonly region: string;
  readonly table: DescribedTable;
  readonly sample: Sample;
  readonly writes: Writes;
  /** Epoch seconds. */
  readonly now: number;
}
