import { NumberValue } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { type ExpiryModelProps, expiryModel, MAX_SHARDS } from '../../expiry/model.ts';
import { plainDecimal } from '../../expiry/plain-decimal.ts';
import { MINUTES_PER_DAY } from '../../expiry/window.ts';
import { anyCharacter } from '../support/any-character.ts';

/** An item to be stamped, as a writer in another language has it, and what `expiryAttributes` makes of it. */
export interface Case {
  /** What `expiryModel` takes, with every field, as the deployment's outputs have it. */
  readonly model: ExpiryModelProps;
  readonly ttl: number;
  /** The item's key in DynamoDB's own JSON: B is base64. */
  readonly item: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly expected: Readonly<Record<string, number | string>>;
}

/** A key attribute's value, for the document client and in DynamoDB's JSON. */
interface KeyValue {
  readonly plain: unknown;
  readonly json: Readonly<Record<string, string>>;
}

const DIVISORS = Array.from({ length: MINUTES_PER_DAY }, (_, index) => index + 1).filter(
  minutes => MINUTES_PER_DAY % minutes === 0,
);

const strings = fc
  .string({ unit: anyCharacter, minLength: 1, maxLength: 40 })
  .map((text): KeyValue => ({ plain: text, json: { S: text } }));

const doubles = fc.double({ noNaN: true, min: -1e125, max: 1e125 });
const wholes = fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n });
const numbers = fc
  .oneof(
    fc.integer(),
    doubles,
    wholes,
    fc.constantFrom(0, -0, 0.1, 1e20, 1e21, 1e-6, 1e-7, Number.MAX_SAFE_INTEGER),
    fc.constantFrom('1.50', '00042', '-0.0', '1E+3').map(text => NumberValue.from(text)),
  )
  .map((value): KeyValue => ({ plain: value, json: { N: plainDecimal(textOf(value)) ?? '' } }));

const bytes = fc
  .uint8Array({ minLength: 1, maxLength: 40 })
  .map((value): KeyValue => ({ plain: value, json: { B: Buffer.from(value).toString('base64') } }));

const values = fc.oneof(strings, numbers, bytes);

/** From 1974, so that no clock can be taken for one in another unit, to the year 4907; mostly about now. */
const ttls = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1_600_000_000, max: 2_000_000_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 130_000_000, max: 92_700_000_000 }) },
);

const byWindow = fc
  .record({
    granularityMinutes: fc.constantFrom(...DIVISORS),
    shards: fc.integer({ min: 1, max: MAX_SHARDS }),
    ttl: ttls,
    // Undefined: wherever it is. Otherwise on an edge, or a second off it.
    offEdge: fc.constantFrom(undefined, undefined, -1, 0, 1),
    names: fc.constantFrom(['pk', 'sk'], ['UserName', 'SessionId'], ['клиент', '票']),
    partition: values,
    sort: fc.option(values, { nil: undefined }),
  })
  .map(({ granularityMinutes, shards, ttl, offEdge, names, partition, sort }): Case => {
    const length = granularityMinutes * 60;
    const moment = offEdge === undefined ? ttl : Math.round(ttl / length) * length + offEdge;
    const rest = {
      indexedBy: 'window',
      windowAttribute: 'expirationWindow',
      granularityMinutes,
      shards,
    } as const;
    return caseOf(names, partition, sort, moment, rest);
  });

const bySecond = fc
  .record({ ttl: ttls, partition: values, sort: fc.option(values, { nil: undefined }) })
  .map(({ ttl, partition, sort }) => caseOf(['pk', 'sk'], partition, sort, ttl, { indexedBy: 'second' }));

/** So many cases by window, and a tenth as many by second. */
export function generateCases(count: number, seed: number): readonly Case[] {
  return [
    ...fc.sample(byWindow, { numRuns: count, seed }),
    ...fc.sample(bySecond, { numRuns: Math.ceil(count / 10), seed }),
  ];
}

function caseOf(
  [partitionKey = '', sortKey = '']: readonly string[],
  partition: KeyValue,
  sort: KeyValue | undefined,
  ttl: number,
  rest: Omit<ExpiryModelProps, 'partitionKey'>,
): Case {
  const model: ExpiryModelProps = {
    partitionKey,
    ...(sort && { sortKey }),
    ttlAttribute: 'expiresAt',
    ...rest,
  };
  const key = { [partitionKey]: partition.plain, ...(sort && { [sortKey]: sort.plain }) };
  return {
    model,
    ttl,
    item: { [partitionKey]: partition.json, ...(sort && { [sortKey]: sort.json }) },
    // A TTL is checked against the writer's clock: here it is to come in a moment.
    expected: expiryAttributes(expiryModel(model), key, { expiresAt: ttl, nowMs: (ttl - 60) * 1000 }),
  };
}

function textOf(value: number | bigint | NumberValue): string {
  return typeof value === 'object' ? value.value : String(value);
}
