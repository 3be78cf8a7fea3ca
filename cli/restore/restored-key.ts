import type { ItemKey } from '../../statemachine/contract.ts';
import type { Fate } from './put-back.ts';

/** What became of one key. */
export interface RestoredKey {
  readonly key: ItemKey;
  readonly fate: Fate['fate'] | 'found' | 'notInArchive' | 'notTried';
  readonly reason?: string;
  /** ISO, of the image that was found. */
  readonly expiredAt?: string;
}
