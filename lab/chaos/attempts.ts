import type { DynamoDbCall } from '../faults/index.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** A delete of one item that a function sent to DynamoDB, whatever came of it. */
export interface Attempt {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The ids of the items that a call is to delete, in its order; the items have one key, a string. A call that reads deletes none. */
export function idsIn({ operation, keys }: Pick<DynamoDbCall, 'operation' | 'keys'>): string[] {
  if (operation === 'BatchGetItem') return [];
  return keys.map(key => /"S":"([^"]*)"/.exec(key)?.[1] ?? '');
}

/** The deletes of a run, as a proxy before DynamoDB saw them. */
export class Attempts {
  readonly #all: Attempt[] = [];

  add(call: DynamoDbCall): void {
    for (const id of idsIn(call)) this.#all.push({ id, at: call.at });
  }

  /** As many items as the sweep can at most have found renewed, held and not found, by what the application did. */
  most(ledger: Pick<Ledger, 'mayBeRenewed' | 'mayBeHeld' | 'mayBeGone'>): {
    renewed: number;
    held: number;
    notFound: number;
  } {
    return {
      held: this.#all.filter(({ id }) => ledger.mayBeHeld(id)).length,
      renewed: this.#all.filter(({ id, at }) => ledger.mayBeRenewed(id, at)).length,
      notFound: this.#all.filter(({ id, at }) => ledger.mayBeGone(id, at)).length,
    };
  }
}
