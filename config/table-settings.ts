import { isObject, type Kind, kind, objectProblems, whole } from '../expiry/fields.ts';

/** The views that a table's stream can have. Source: DynamoDB API reference, StreamSpecification. */
export const STREAM_VIEWS = ['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES'] as const;

/** Whether a view contains the item before the change. */
export function hasOldImages(view: string): boolean {
  return view === 'OLD_IMAGE' || view === 'NEW_AND_OLD_IMAGES';
}

/** Source: DynamoDB API reference, CreateTable. */
export const TABLE_CLASSES = ['STANDARD', 'STANDARD_INFREQUENT_ACCESS'] as const;

/** Units per second. */
export interface Capacity {
  readonly read: number;
  readonly write: number;
}

/** Units per second of a provisioned table, and of its index if that needs other values. */
export interface ProvisionedCapacity extends Capacity {
  /** Read units of the index. @default `read` */
  readonly indexRead?: number;
  /** Write units of the index. @default `write` */
  readonly indexWrite?: number;
}

/** Most units. AWS has no such limit, since an account's quota can be raised: it only catches numbers that mean something else. */
const MAX_UNITS = 10_000_000;

const UNITS = whole(1, MAX_UNITS, 'a whole number of units a second');

const CAPACITY_KINDS = {
  read: UNITS,
  write: UNITS,
  indexRead: UNITS,
  indexWrite: UNITS,
} satisfies { readonly [Name in keyof ProvisionedCapacity]-?: Kind<number> };

/** The throughput of every table on demand, and the smallest that can be requested. Source: DynamoDB Developer Guide, "Warm throughput". */
export const MIN_WARM = { read: 12_000, write: 4_000 } as const satisfies Capacity;

const WARM_KINDS = {
  read: whole(MIN_WARM.read, MAX_UNITS, 'a whole number of units a second'),
  write: whole(MIN_WARM.write, MAX_UNITS, 'a whole number of units a second'),
} satisfies { readonly [Name in keyof Capacity]: Kind<number> };

const REMEDY = 'Correct the value: units a second, as DynamoDB counts them.';

export const PROVISIONED_CAPACITY: Kind<ProvisionedCapacity> = kind(
  isObject,
  '{ read: …, write: … } in units a second, and where the index needs others indexRead and indexWrite',
  { inside: value => objectProblems(CAPACITY_KINDS, value, { required: ['read', 'write'], remedy: REMEDY }) },
);

export const WARM_THROUGHPUT: Kind<Capacity> = kind(isObject, '{ read: …, write: … } in units a second', {
  inside: value => objectProblems(WARM_KINDS, value, { required: ['read', 'write'], remedy: REMEDY }),
});
