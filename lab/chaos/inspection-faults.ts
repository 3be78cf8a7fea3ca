import type { ChooseFault, DynamoDbFault } from '../faults/index.ts';
import { idsIn } from './attempts.ts';
import type { InspectedItem } from './inspection-plan.ts';

/** Between what a count may at least and at most be. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

export interface InspectionFaultsOptions {
  readonly items: readonly InspectedItem[];
  /** How long what DynamoDB takes after a while stays unprocessed, from the first delete of such an item on. */
  readonly busyMs: number;
  /** Renews an item by a second, in DynamoDB. */
  readonly renewByASecond: (item: InspectedItem) => Promise<unknown>;
}

const STALE: DynamoDbFault = { name: 'stale', effect: { kind: 'stale' } };

/**
 * The faults of an inspected sweep, the same in every run: keys that come back unprocessed, an index that is behind,
 * and renewals between the query and the delete. It notes how often DynamoDB was asked to delete what the application
 * had renewed or deleted: the sweep has to report it as often.
 */
export class InspectionFaults {
  readonly #options: InspectionFaultsOptions;
  readonly #items: ReadonlyMap<string, InspectedItem>;
  readonly #sent = new Map<string, number>();
  /** Epoch milliseconds of the deletes that DynamoDB got to see, by id. */
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

  /** How many items the sweep has found to be renewed. */
  get renewed(): Range {
    const bySecond = this.#itemsThat('renewed by a second').flatMap(({ id, ttl }) => {
      const [first] = this.#processed.get(id) ?? [];
      // Deleted a second late, it was expired in spite of its renewal, or not yet by the cutoff: either is right.
      return first === undefined ? [] : [{ least: first < (ttl + 1) * 1000 ? 1 : 0, most: 1 }];
    });
    const renewed = this.#timesProcessed('renewed');
    return {
      least: renewed + bySecond.reduce((sum, { least }) => sum + least, 0),
      most: renewed + bySecond.reduce((sum, { most }) => sum + most, 0),
    };
  }

  /** How many items the sweep has found to be gone. */
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
