import { checkConfig } from '../../config/config.ts';
import { PROPS, type PreciseTtlProps, propsOfSettings } from '../../config/props.ts';
import { DEFAULT_INDEXED_BY } from '../../expiry/model.ts';
import { CannotAdoptError } from '../errors.ts';
import { type DescribedTable, keyNamesOf } from '../table/describe-table.ts';
import { keyText, tableKeyText } from '../table/key-text.ts';
import {
  type IndexPlan,
  type IndexUnits,
  planIndex,
  shareOfThroughput,
  shareWithTtl,
  unitsOfIndex,
} from './index-plan.ts';
import type { Reading, Wish } from './reading.ts';
import { chooseTtlAttribute, correction, type TtlChoice, type TtlLook, TtlTally } from './ttl.ts';

/** The plan of an adoption: all decisions, made before any change. */
export interface AdoptionPlan {
  readonly ttl: TtlChoice;
  readonly index: IndexPlan;
  /** `enable` native TTL; `none` if it is ENABLED or ENABLING. */
  readonly nativeTtl: 'enable' | 'none';
  /** Findings about the TTLs of all items, or of a sample. */
  readonly look: TtlLook;
  readonly units: IndexUnits;
  /** The table's entry in the configuration. */
  readonly configuration: PreciseTtlProps;
}

/**
 * Makes the plan for a table from what was read.
 *
 * @param full findings about all items; `to come`: do not yet check that all TTLs are Numbers. @default the sample is checked
 * @throws {CannotAdoptError}, {InvalidConfigError} when the table can't be adopted in its state
 */
export function planAdoption(reading: Reading, wish: Wish, full?: TtlLook | 'to come'): AdoptionPlan {
  const { table, sample, region } = reading;
  const ttl = chooseTtlAttribute(reading, wish);
  const share = sample.items.length === 0 ? 1 : shareWithTtl(sample, ttl.attribute);
  const index = planIndex(table, ttl.attribute, wish, shareOfThroughput(table, share, wish));
  if (table.billing === 'on-demand') refuseThroughput(table.name, wish);
  const look = full === undefined || full === 'to come' ? lookAtSample(reading, ttl.attribute) : full;
  if (index.action === 'create' && full !== 'to come') refuseOtherTypes(reading, ttl.attribute, look, wish);
  const configuration = adoptedProps(table, ttl.attribute, wish, index.name, region);
  const nativeTtl = table.ttl.status === 'DISABLED' ? 'enable' : 'none';
  if (nativeTtl === 'enable' && table.multiRegionConsistency === 'STRONG') {
    throw new CannotAdoptError(
      `table ${table.name}`,
      `expected a table that can have native TTL, got a global table with strong consistency (MRSC), which can't; ` +
        'a deployment needs native TTL as its backstop',
    );
  }
  return {
    ttl,
    index,
    nativeTtl,
    look,
    units: unitsOfIndex(reading, index),
    configuration,
  };
}

/** Whether the plan changes the table. */
export function changes({ index, nativeTtl }: Pick<AdoptionPlan, 'index' | 'nativeTtl'>): boolean {
  return index.action === 'create' || nativeTtl === 'enable';
}

function refuseThroughput(tableName: string, wish: Wish): void {
  const field = (['indexReadUnits', 'indexWriteUnits'] as const).find(name => wish[name] !== undefined);
  if (field === undefined) return;
  const detail = `expected none for ${tableName}, which is on demand, as its indexes are, got one; leave it out`;
  throw new CannotAdoptError(field, detail);
}

/** @returns a tally of the table's TTLs */
export function ttlTally({ table, now }: Pick<Reading, 'table' | 'now'>, ttlAttribute: string): TtlTally {
  return new TtlTally(ttlAttribute, keyNamesOf(table), now);
}

function lookAtSample(reading: Reading, ttlAttribute: string): TtlLook {
  const tally = ttlTally(reading, ttlAttribute);
  for (const item of reading.sample.items) tally.add(item);
  return tally.look(reading.sample.complete, false);
}

/** Refuses other types of TTLs: an index takes only Numbers, so DynamoDB would reject the writes of all other types. */
function refuseOtherTypes(
  { table, now }: Reading,
  attribute: string,
  { values: { string, otherType }, items, isFull, noNumbers }: TtlLook,
  { mask = false }: Wish,
): void {
  const [first] = noNumbers;
  if (first === undefined) return;
  const options = tableKeyText(table, mask);
  const keys = noNumbers.map(({ key }) => keyText(key, options));
  const more = string + otherType > keys.length ? ', …' : '';
  throw new CannotAdoptError(
    `attribute ${attribute}`,
    `expected a Number of epoch seconds in every item of ${table.name} that has it, got ` +
      `${[string > 0 && `a String in ${string}`, otherType > 0 && `another type in ${otherType}`].filter(Boolean).join(' and ')} of ` +
      `${items} ${isFull ? 'items, which are all' : 'sampled items'}; ` +
      'once the index is there, DynamoDB refuses such writes, so their writer would fail, and leaves such items out of the index. ' +
      'Change the writer, rewrite or remove these values, and run this again; or adopt another attribute.\n' +
      `Keys: ${keys.join(', ')}${more}` +
      (mask ? '' : `\nThis corrects the first one:\n  ${correction(table.name, attribute, first, now)}`),
  );
}

/**
 * The configuration's entry for the adopted table.
 *
 * @throws {InvalidConfigError} when the table does not fit into a configuration
 */
export function adoptedProps(
  table: DescribedTable,
  ttlAttribute: string,
  { indexedBy }: Pick<Wish, 'indexedBy'>,
  indexName: string,
  region: string,
): PreciseTtlProps {
  const { name: tableName, partitionKey, sortKey } = table;
  const { kmsKeyArn: tableKmsKeyArn } = table.settings;
  const props = propsOfSettings({
    tableName,
    existingTable: true,
    // The roles may not use the key unless its ARN is given, and DynamoDB then denies them access to the table.
    ...(tableKmsKeyArn !== undefined && { tableKmsKeyArn }),
    partitionKey: partitionKey.name,
    ...(partitionKey.type !== 'S' && { partitionKeyType: partitionKey.type }),
    ...(sortKey && { sortKey: sortKey.name }),
    ...(sortKey && sortKey.type !== 'S' && { sortKeyType: sortKey.type }),
    ttlAttribute,
    ...(indexedBy !== DEFAULT_INDEXED_BY && { indexedBy }),
    ...(indexName !== PROPS.indexName.byDefault({ indexedBy }) && { indexName }),
  });
  checkConfig({ region, tables: [props] });
  return props;
}
