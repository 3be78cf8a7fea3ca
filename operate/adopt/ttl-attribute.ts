import { CannotAdoptError } from '../errors.ts';
import { ttlCandidates } from '../table/sample.ts';
import type { Reading, Wish } from './reading.ts';

/** The TTL attribute, and the source that named it. */
export interface TtlChoice {
  readonly attribute: string;
  readonly from: 'flag' | 'nativeTtl' | 'sample';
}

const SAY_IT = 'say which one it is';

/**
 * Chooses the TTL attribute: the option; else that of native TTL; else the attribute of the sample that looks like one. The user
 * has to confirm the last one, because native TTL deletes by it.
 *
 * @throws {CannotAdoptError} when there is none or more than one, and when native TTL has another one or is being turned off
 */
export function chooseTtlAttribute({ table, sample, now }: Reading, wish: Wish): TtlChoice {
  const { status, attribute: native } = table.ttl;
  const wanted = wish.ttlAttribute;
  if (native !== undefined && status !== 'DISABLED') {
    if (wanted !== undefined && wanted !== native) {
      throw new CannotAdoptError(
        'ttlAttribute',
        `expected ${native}, which native TTL of ${table.name} is on (${status}), got ${wanted}; a table has one ` +
          `native TTL. Leave it out to adopt ${native}; or turn native TTL off, wait until it is DISABLED, and run this again`,
      );
    }
    if (status === 'DISABLING') {
      throw new CannotAdoptError(
        `native TTL of ${table.name}`,
        'expected it on, or off, got DISABLING; DynamoDB takes up to an hour for it: run this again ' +
          'when it is DISABLED',
      );
    }
    return { attribute: native, from: wanted === undefined ? 'nativeTtl' : 'flag' };
  }
  if (wanted !== undefined) return { attribute: wanted, from: 'flag' };
  const keys = [table.partitionKey.name, table.sortKey?.name];
  const names = ttlCandidates(sample.items, now)
    .map(({ attribute }) => attribute)
    .filter(name => !keys.includes(name));
  const [found, other] = names;
  if (found === undefined) {
    throw new CannotAdoptError(
      'ttlAttribute',
      `expected the attribute with the moment of expiry, got none: native TTL of ${table.name} is off, and none ` +
        `of ${sample.items.length} sampled items has an epoch under a name such as ttl or expiresAt; ${SAY_IT}`,
    );
  }
  if (other !== undefined) {
    throw new CannotAdoptError(
      'ttlAttribute',
      `expected the attribute with the moment of expiry, got none, and the sample has ${names.join(' and ')}; ${SAY_IT}`,
    );
  }
  return { attribute: found, from: 'sample' };
}
