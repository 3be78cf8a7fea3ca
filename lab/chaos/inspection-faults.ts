import type { ChooseFault, DynamoDbFault } from '../faults/index.ts';
import { idsIn } from './attempts.ts';
import type { InspectedItem } from './inspection-plan.ts';

/** Smallest and largest value that a count may have. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

export interface InspectionFaultsOptions {
  readonly items: readonly InspectedItem[];
  /** Time for which items of the kind "after a while" stay unprocessed, from the first delete of such an item, milliseconds. */
  readonly busyMs: number;
  /** Renews an item by a second, in DynamoDB. */
  readonly renewByASecond: (item: InspectedItem) => Promise<unknown>;
}

const STALE: DynamoDbFault = { name: 'stale', effect: { kind: 'stale' } };

/**
 * Faults of an inspected sweep, the same in every run: unprocessed keys, an index that lags behind, and renewals between the query and the
 * delete. It counts the deletes of items that the application had renewed or deleted: the sweep must report the same counts.
 */
export class InspectionFaults {
  readonly #options: InspectionFaultsOptions;
  readonly #items: ReadonlyMap<string, InspectedItem>;
  readonly #sent = new Map<string, number>();
  /** Times of the deletes that DynamoDB processed, by id, epoch milliseconds. */
  readonly #processed = new Map<string, number[]>();
  #busyUntil: number | undefined;

  constructor(options: InspectionFaultsOptions) {
    this.#options = options;
    this.#items = new Map(options.items.map(item => [item.id, item]));
  }

  readonly choose: ChooseFault = call => {
    if (call.operation === 'Query') return STALE;
    const errors = new Map<number, string>();
    const renewals: InspectedItem[] = [];
    for (const [index, id] of idsIn(call).entries()) {
      const item = this.#items.get(id);
      if (item === undefined) continue;
      if (this.#isUnprocessed(item, call.at)) {
        errors.set(index, 'ProvisionedThroughputExceeded');
        continue;
      }
      const before = this.#processed.get(id) ?? [];
      this.#processed.set(id, [...before, call.at]);
      if (item.deed === 'renewed by a second' && before.length === 0) renewals.push(item);
    }
    if (errors.size === 0 && renewals.length === 0) return undefined;
    const before = () => Promise.all(renewals.map(item => this.#options.renewByASecond(item)));
    return { name: 'unprocessed', effect: { kind: 'leaveOut', errors }, before };
  };

  /** Number of items that the sweep found to be renewed. */
  get renewed(): Range {
    const bySecond = this.#itemsThat('renewed by a second').flatMap(({ id, ttl }) => {
      const [first] = this.#processed.get(id) ?? [];
      // When it is deleted a second late, it was expired in spite of its renewal, or not expired by the cutoff: both are correct.
      return first === undefined ? [] : [{ least: first < (ttl + 1) * 1000 ? 1 : 0, most: 1 }];
    });
    const renewed = this.#timesProcessed('renewed');
    return {
      least: renewed + bySecond.reduce((sum, { least }) => sum + least, 0),
      most: renewed + bySecond.reduce((sum, { most }) => sum + most, 0),
    };
  }

  /** Number of items that the sweep did not find. */
  get notFound(): Range {
    const times = this.#timesProcessed('deleted');
    return { least: times, most: times };
  }

  #isUnprocessed({ id, capacity }: InspectedItem, at: number): boolean {
    const sent = (this.#sent.get(id) ?? 0) + 1;
    this.#sent.set(id, sent);
    if (capacity !== 'after a while') return capacity === 'the second time' && sent === 1;
    this.#busyUntil ??= at + this.#options.busyMs;
    return at < this.#busyUntil;
  }

  #itemsThat(deed: InspectedItem['deed']): readonly InspectedItem[] {
    return this.#options.items.filter(item => item.deed === deed);
  }

  #timesProcessed(deed: InspectedItem['deed']): number {
    return this.#itemsThat(deed).reduce((sum, { id }) => sum + (this.#processed.get(id)?.length ?? 0), 0);
  }
}
