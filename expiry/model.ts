import { type FieldProblem, InvalidModelError } from './errors.ts';
import { fieldProblems, isObject, type Kind, kind, oneOf, unknownFieldProblems, whole } from './fields.ts';
import { type KeyNames, utf8 } from './shard.ts';
import { MAX_TTL_SECONDS } from './ttl.ts';
import { GRANULARITIES, MINUTES_PER_DAY } from './window.ts';

/** What the index's partition key holds. `'window'`: the span of time that contains the TTL. `'second'`: the TTL itself. */
export const INDEXED_BY = ['window', 'second'] as const;
export type IndexedBy = (typeof INDEXED_BY)[number];

/** How the items of a table expire. Writers, readers and the sweep must use the same model. */
export interface ExpiryModelProps extends KeyNames {
  readonly partitionKey: string;
  readonly sortKey?: string;
  /** Attribute with the expiry time: a Number, epoch seconds. @default 'ttl' */
  readonly ttlAttribute?: string;
  /** The index's partition key: a window, or the TTL itself. @default 'window' */
  readonly indexedBy?: IndexedBy;
  /** Only if indexed by window: attribute with the window, the partition key of the index. @default 'expirationWindow' */
  readonly windowAttribute?: string;
  /** Only if indexed by window: length of a window in minutes, a divisor of a day. @default 1440, a day */
  readonly granularityMinutes?: number;
  /** Only if indexed by window: number of index keys over which the items of a window are spread. @default 2 */
  readonly shards?: number;
  /** Lifetime of an item in seconds, if the item's writer names none; 0: the item never expires. @default 0 */
  readonly defaultTtlSeconds?: number;
}

/** A checked model with all defaults, made by {@link expiryModel}. An index by second has no `windowAttribute`. */
export interface ExpiryModel extends KeyNames {
  readonly ttlAttribute: string;
  readonly indexedBy: IndexedBy;
  readonly windowAttribute: string | undefined;
  /** Length of a window in seconds: the span of the TTLs under one index key. 1 in an index by second. */
  readonly granularitySeconds: number;
  readonly shards: number;
  readonly defaultTtlSeconds: number;
}

export interface WindowModel extends ExpiryModel {
  readonly indexedBy: 'window';
  readonly windowAttribute: string;
}

export const DEFAULT_TTL_ATTRIBUTE = 'ttl';
export const DEFAULT_INDEXED_BY: IndexedBy = 'window';
export const DEFAULT_WINDOW_ATTRIBUTE = 'expirationWindow';
export const DEFAULT_GRANULARITY_MINUTES = MINUTES_PER_DAY;
/**
 * Two, because one partition may be too slow for the writes of a window: docs/contributing/decisions.md, "Two shards by default". With two
 * shards instead of one, a table without expiries costs a cent more a month.
 */
export const DEFAULT_SHARDS = 2;

/** Enough: at DynamoDB's default quota, 40,000 writes per second, an on-demand table needs at most 400 shards (cli/partition-rule.ts). */
export const MAX_SHARDS = 1000;

/** Longest name of an index key's attribute, bytes of UTF-8. Source: DynamoDB quotas. */
const MAX_KEY_ATTRIBUTE_NAME_LENGTH = 255;

/** Refused as the name of an attribute: in a JavaScript object this name is the prototype, so the attribute's value would be lost. */
const LOST_NAME = '__proto__';

export const MODEL_KINDS = {
  partitionKey: keyAttributeName(),
  sortKey: keyAttributeName(),
  ttlAttribute: keyAttributeName(),
  indexedBy: oneOf(INDEXED_BY),
  windowAttribute: keyAttributeName(),
  granularityMinutes: granularity(),
  shards: whole(1, MAX_SHARDS),
  defaultTtlSeconds: whole(0, MAX_TTL_SECONDS),
} satisfies { readonly [Name in keyof ExpiryModelProps]-?: Kind<Required<ExpiryModelProps>[Name]> };

const FIELDS = Object.keys(MODEL_KINDS);

/**
 * Checks the model and fills in the defaults.
 * @throws InvalidModelError naming the first wrong or unknown field
 */
export function expiryModel(props: ExpiryModelProps & { readonly indexedBy?: 'window' }): WindowModel;
export function expiryModel(props: ExpiryModelProps): ExpiryModel;
export function expiryModel(props: ExpiryModelProps): ExpiryModel {
  if (!isObject(props)) {
    throw new InvalidModelError({
      field: 'model',
      expected: `an object with ${FIELDS.join(', ')}`,
      got: props,
      remedy: "Name the table's partition key at least.",
    });
  }
  const [problem] = [...unknownFieldProblems(props, FIELDS), ...modelProblems(props)];
  if (problem) throw new InvalidModelError(problem);
  const indexedBy = props.indexedBy ?? DEFAULT_INDEXED_BY;
  return {
    partitionKey: props.partitionKey,
    ...(props.sortKey === undefined ? {} : { sortKey: props.sortKey }),
    ttlAttribute: props.ttlAttribute ?? DEFAULT_TTL_ATTRIBUTE,
    indexedBy,
    ...(indexedBy === 'window'
      ? {
          windowAttribute: props.windowAttribute ?? DEFAULT_WINDOW_ATTRIBUTE,
          granularitySeconds: (props.granularityMinutes ?? DEFAULT_GRANULARITY_MINUTES) * 60,
          shards: props.shards ?? DEFAULT_SHARDS,
        }
      : { windowAttribute: undefined, granularitySeconds: 1, shards: 1 }),
    defaultTtlSeconds: props.defaultTtlSeconds ?? 0,
  };
}

/** Refuses a value that {@link expiryModel} did not make: only its results have `granularitySeconds`. @throws InvalidModelError */
export function checkModel(model: unknown, field = 'model'): void {
  if (isObject(model) && 'granularitySeconds' in model) return;
  throw new InvalidModelError({
    field,
    expected: 'what expiryModel() returns',
    got: model,
    remedy: 'Call expiryModel({ partitionKey: … }) once and pass its result.',
  });
}

export function modelProblems(props: ExpiryModelProps): FieldProblem[] {
  const options = {
    required: ['partitionKey'],
    remedy: 'Leave it out for the default, or write a number in that range.',
  };
  return [...fieldProblems(MODEL_KINDS, props, options), ...clashProblems(props), ...secondProblems(props)];
}

function secondProblems(props: ExpiryModelProps): FieldProblem[] {
  if (props.indexedBy !== 'second') return [];
  return (['windowAttribute', 'granularityMinutes', 'shards'] as const).flatMap(field =>
    props[field] === undefined
      ? []
      : [
          {
            field,
            expected: "none with indexedBy: 'second'",
            got: props[field],
            remedy: "Leave it out, or index the table by window: indexedBy: 'window'.",
          },
        ],
  );
}

function keyAttributeName(): Kind<string> {
  return kind(
    value =>
      typeof value === 'string' &&
      value !== '' &&
      value !== LOST_NAME &&
      utf8(value).length <= MAX_KEY_ATTRIBUTE_NAME_LENGTH,
    `the name of an attribute, 1 to ${MAX_KEY_ATTRIBUTE_NAME_LENGTH} bytes`,
    {
      remedy: got =>
        got === LOST_NAME
          ? 'Use another attribute: of this one the AWS SDK for JavaScript loses the value.'
          : 'Write the name as it stands in the items.',
    },
  );
}

function clashProblems(props: ExpiryModelProps): FieldProblem[] {
  const { partitionKey, sortKey, ttlAttribute = DEFAULT_TTL_ATTRIBUTE } = props;
  const { windowAttribute = DEFAULT_WINDOW_ATTRIBUTE } = props;
  const names = { partitionKey, sortKey, ttlAttribute, windowAttribute };
  const roles = Object.entries(names).filter(
    ([field, name]) => name !== undefined && !(field === 'windowAttribute' && props.indexedBy === 'second'),
  );
  return roles.flatMap(([field, got], index) => {
    const [twin] = roles.slice(0, index).find(([, other]) => other === got) ?? [];
    const expected = `another attribute than ${twin}`;
    const remedy = 'Each of the four roles needs an attribute of its own.';
    return twin === undefined ? [] : [{ field, expected, got, remedy }];
  });
}

function granularity(): Kind<number> {
  return kind(
    got => GRANULARITIES.some(minutes => minutes === got),
    'a whole number of minutes that divides a day evenly (1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, … 1440)',
    {
      fromText: whole(1, MINUTES_PER_DAY).fromText,
      remedy: got =>
        `Use ${nearestGranularity(got)}: windows of that length line up with hours, days and replays.`,
    },
  );
}

function nearestGranularity(got: unknown): number {
  const wanted = typeof got === 'number' && Number.isFinite(got) ? got : DEFAULT_GRANULARITY_MINUTES;
  return GRANULARITIES.reduce((best, minutes) =>
    Math.abs(minutes - wanted) < Math.abs(best - wanted) ? minutes : best,
  );
}
