import { type FieldProblem, InvalidModelError } from './errors.ts';
import { fieldProblems, isObject, type Kind, kind, oneOf, unknownFieldProblems, whole } from './fields.ts';
import { type KeyNames, utf8 } from './shard.ts';
import { MAX_TTL_SECONDS } from './ttl.ts';
import { GRANULARITIES, MINUTES_PER_DAY } from './window.ts';

/**
 * How expired items are found in the index. `'window'`: the index's partition key is the window that a writer stamps on each item.
 * `'second'`: the index's partition key is the TTL attribute itself, so that writers stamp nothing.
 */
export const INDEXED_BY = ['window', 'second'] as const;
export type IndexedBy = (typeof INDEXED_BY)[number];

/** How the items of a table expire. Writers, readers and the sweep must use the same model. */
export interface ExpiryModelProps extends KeyNames {
  readonly partitionKey: string;
  /** Name of the table's sort key. @default no sort key */
  readonly sortKey?: string;
  /** Attribute with the expiry time: Number, epoch seconds. @default 'ttl' */
  readonly ttlAttribute?: string;
  /** The kind of the index's partition key. @default 'window' */
  readonly indexedBy?: IndexedBy;
  /** Indexed by window: attribute with the window's key; partition key of the index. @default 'expirationWindow' */
  readonly windowAttribute?: string;
  /** Indexed by window: length of a window in minutes; a divisor of a day. @default 1440, a day */
  readonly granularityMinutes?: number;
  /** Indexed by window: number of index keys over which one window is spread. @default 2 */
  readonly shards?: number;
  /** Lifetime of an item in seconds, if the item's writer names none; 0: the item does not expire. @default 0 */
  readonly defaultTtlSeconds?: number;
}

/** A checked model with every default filled in. Made by {@link expiryModel}. */
export interface ExpiryModel extends KeyNames {
  readonly ttlAttribute: string;
  readonly indexedBy: IndexedBy;
  /** Undefined if the table is indexed by second: its items have no such attribute. */
  readonly windowAttribute: string | undefined;
  /** Length, in seconds, of the span of expiry times under one index key. */
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
 * Two keys seldom share a partition of the index. For an idle table, two keys cost a cent a month more than one key:
 * docs/contributing/decisions.md, "Two shards by default".
 */
export const DEFAULT_SHARDS = 2;

/**
 * Maximum number of shards of one window: enough for 20,000 items per second in windows of a day, with some reserve
 * (cli/partition-rule.ts). A table on demand allows 40,000 writes per second by default, which are 20,000 puts and as many deletes.
 */
export const MAX_SHARDS = 1000;

/** Longest attribute name that can be part of an index key. Source: DynamoDB quotas. */
const MAX_KEY_ATTRIBUTE_NAME_LENGTH = 255;

/** This attribute name has a special meaning in JavaScript objects: code that reads keys or times by this name would fail. */
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

/**
 * Refuses objects that {@link expiryModel} has not made, such as its props: attributes would be stamped as `undefined`.
 * @throws InvalidModelError
 */
export function checkModel(model: unknown, field = 'model'): void {
  if (isObject(model) && 'granularitySeconds' in model) return;
  throw new InvalidModelError({
    field,
    expected: 'what expiryModel() returns',
    got: model,
    remedy: 'Call expiryModel({ partitionKey: … }) once and pass its result.',
  });
}

/**
 * Problems of a model's values; empty if they are valid. This function also checks the configuration of a deployment, whose other fields
 * are ignored.
 */
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
