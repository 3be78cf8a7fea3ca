import { isExpired } from '../../expiry/ttl.ts';
import { type PreciseTtlProps, refusesNativeTtl, resolveProps } from '../../stacks/props.ts';
import { countTtl, type TtlCounts } from '../table/sample.ts';
import { adoptedProps } from './configuration.ts';
import { costOfIndex, type IndexCost, shareOfThroughput, shareWithTtl } from './cost.ts';
import { CannotAdoptError } from './errors.ts';
import { type IndexPlan, planIndex } from './index-plan.ts';
import type { Reading, Wish } from './reading.ts';
import { chooseTtlAttribute, type TtlChoice } from './ttl-attribute.ts';

/** What adopting a table takes: all that is decided, before anything is changed. */
export interface AdoptionPlan {
  readonly ttl: TtlChoice;
  readonly index: IndexPlan;
  /** `enable` native TTL; `none`: it is ENABLED, or ENABLING. `off`: it has to be, and a person turns it off. */
  readonly nativeTtl: 'enable' | 'none' | 'off';
  /** Of the sample. */
  readonly ttlValues: TtlCounts;
  /** Sampled items that are expired already. */
  readonly expired: number;
  readonly cost: IndexCost;
  /** The table's entry in the configuration. */
  readonly configuration: PreciseTtlProps;
}

/**
 * Decides what to do about a table, from what was read of it.
 *
 * @throws {CannotAdoptError} when it can't be adopted as it is
 */
export function planAdoption(reading: Reading, wish: Wish): AdoptionPlan {
  const { table, sample, now, region } = reading;
  const ttl = chooseTtlAttribute(reading, wish);
  const share = sample.items.length === 0 ? 1 : shareWithTtl(sample, ttl.attribute);
  const index = planIndex(table, ttl.attribute, wish, shareOfThroughput(table, share, wish));
  if (table.billing === 'on-demand') refuseThroughput(table.name, wish);
  const ttlValues = countTtl(sample.items, ttl.attribute, now);
  if (index.action === 'create') refuseOtherTypes(table.name, ttl.attribute, ttlValues, sample.items.length);
  const configuration = adoptedProps(table, ttl.attribute, wish, index.name, region);
  const hasToBeOff = refusesNativeTtl(resolveProps(configuration));
  const nativeTtl = hasToBeOff ? 'off' : table.ttl.status === 'DISABLED' ? 'enable' : 'none';
  if (nativeTtl === 'enable' && table.multiRegionConsistency === 'STRONG') {
    throw new CannotAdoptError(
      `table ${table.name}: expected a table that can have native TTL, got a global table with strong consistency (MRSC), which can't; ` +
        'a deployment needs native TTL as its backstop',
    );
  }
  return {
    ttl,
    index,
    nativeTtl,
    ttlValues,
    expired: sample.items.filter(item => isExpired(item[ttl.attribute], now)).length,
    cost: costOfIndex(reading, index),
    configuration,
  };
}

/** Whether anything of the table is changed. */
export function changes({ index, nativeTtl }: Pick<AdoptionPlan, 'index' | 'nativeTtl'>): boolean {
  return index.action === 'create' || nativeTtl === 'enable';
}

function refuseThroughput(tableName: string, { indexReadUnits, indexWriteUnits }: Wish): void {
  const flag =
    indexReadUnits !== undefined
      ? '--index-read-units'
      : indexWriteUnits !== undefined
        ? '--index-write-units'
        : undefined;
  if (flag === undefined) return;
  throw new CannotAdoptError(
    `${flag}: expected none for ${tableName}, which is on demand, as its indexes are, got one; leave it out`,
  );
}

/** An index takes Numbers only: writers of anything else would be broken by it. */
function refuseOtherTypes(
  tableName: string,
  attribute: string,
  { string, otherType }: TtlCounts,
  sampled: number,
): void {
  const wrong = string + otherType;
  if (wrong === 0) return;
  throw new CannotAdoptError(
    `attribute ${attribute}: expected a Number of epoch seconds in every item of ${tableName} that has it, got ` +
      `${[string > 0 && `a String in ${string}`, otherType > 0 && `another type in ${otherType}`].filter(Boolean).join(' and ')} of ${sampled} sampled items; ` +
      'once the index is there, DynamoDB refuses such writes, so their writer would fail, and leaves such items out of the index. ' +
      'Change the writer, rewrite or remove these values, and run this again; or adopt another attribute with --ttl-attribute',
  );
}
