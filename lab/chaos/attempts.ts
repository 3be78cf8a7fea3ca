import type { DynamoDbCall } from '../faults/index.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** A function's attempt to delete one item in DynamoDB, whatever the result was. */
export interface Attempt {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The ids of the items that a call deletes, in its order; the items have one key, a string. A read has none. */
export function idsIn(call: Pick<DynamoDbCall, 'operation' | 'keys'>): string[] {
  return isRead(call) ? [] : idsOf(call);
}

/** Whether a call reads a page's items to see whether they are held. */
function isRead({ operation }: Pick<DynamoDbCall, 'operation'>): boolean {
  return operation === 'BatchGetItem';
}

function idsOf({ keys }: Pick<DynamoDbCall, 'keys'>): string[] {
  return keys.map(key => /"S":"([^"]*)"/.exec(key)?.[1] ?? '');
}

/** The deletes of a run, as a proxy before DynamoDB saw them. */
export class Attempts {
  readonly #all: Attempt[] = [];
  readonly #read: string[] = [];

  add(call: DynamoDbCall): void {
    if (isRead(call)) this.#read.push(...idsOf(call));
    else this.#all.push(...idsOf(call).map(id => ({ id, at: call.at })));
  }

  /** Largest numbers of items that the sweep can have found renewed, held and not found, given the application's writes. */
  most(ledger: Pick<Ledger, 'mayBeRenewed' | 'mayBeHeld' | 'mayBeGone'>): {
    renewed: number;
    held: number;
    notFound: number;
  } {
    return {
      held: [...this.#all.map(({ id }) => id), ...this.#read].filter(id => ledger.mayBeHeld(id)).length,
      renewed: this.#all.filter(({ id, at }) => ledger.mayBeRenewed(id, at)).length,
      notFound: this.#all.filter(({ id, at }) => ledger.mayBeGone(id, at)).length,
    };
  }
}
