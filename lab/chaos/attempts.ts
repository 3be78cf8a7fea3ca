import type { DynamoDbCall } from '../faults/index.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** A delete of one item that a function sent to DynamoDB, whatever came of it. */
export interface Attempt {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The ids of the items that a call is to delete, in its order; the items have one key, a string. A call that reads deletes none. */
export function idsIn(call: Pick<DynamoDbCall, 'operation' | 'keys'>): string[] {
  return isRead(call) ? [] : idsOf(call);
}

/** A read of a page's items, made to see whether they are held. */
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

  /** As many items as the sweep can at most have found renewed, held and not found, by what the application did. */
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
