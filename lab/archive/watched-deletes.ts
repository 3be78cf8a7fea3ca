import type { ItemImage } from '../../functions/stream/event.ts';
import { type Body, parseBody } from '../../local/dynamodb/answer.ts';
import { DynamoDbProxy, type ProxiedCall } from '../../local/dynamodb/proxy.ts';
import type { SweptItem } from './first-verdict.ts';
import { lifeOf } from './life.ts';

export interface WatchedDeletesOptions {
  /** The DynamoDB behind it. */
  readonly target: string;
  readonly keyNames: readonly string[];
  readonly ttlAttribute: string;
  /** The next turn in the order of all that is watched. */
  readonly turn: () => number;
  /** Gets the keys of items that the sweep has read, and is about to copy and delete. */
  readonly onRead: (keys: readonly ItemImage[]) => void;
}

interface Answered {
  readonly Responses?: readonly { readonly Item?: ItemImage; readonly Error?: object }[];
}

/**
 * Stands between the sweep and DynamoDB, and outlives the sweep: it hears the answer to a delete even when the process that sent it was
 * killed meanwhile.
 */
export class WatchedDeletes {
  readonly swept: SweptItem[] = [];
  /** Deletes that do not say which item they removed: nobody could hold them against the archive. */
  readonly blind: string[] = [];
  readonly #options: WatchedDeletesOptions;
  #proxy: DynamoDbProxy | undefined;

  private constructor(options: WatchedDeletesOptions) {
    this.#options = options;
  }

  static async start(options: WatchedDeletesOptions): Promise<WatchedDeletes> {
    const watched = new WatchedDeletes(options);
    watched.#proxy = await DynamoDbProxy.start(options.target, { handle: call => watched.#handle(call) });
    return watched;
  }

  get endpoint(): string {
    return this.#proxy?.endpoint ?? '';
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    await this.#proxy?.stop();
  }

  async #handle({ operation, text, forward }: ProxiedCall) {
    if (operation === 'BatchWriteItem' || operation === 'DeleteItem') this.blind.push(operation);
    const turn = this.#options.turn();
    const answer = await forward();
    if (operation === 'BatchGetItem') this.#options.onRead(keysOf(parseBody(text) ?? {}));
    if (operation === 'BatchExecuteStatement' && answer.status === 200) {
      this.#note(parseBody(text) ?? {}, (parseBody(answer.body) ?? {}) as Answered, turn);
    }
    return answer;
  }

  #note(body: Body, { Responses = [] }: Answered, turn: number): void {
    const { keyNames, ttlAttribute } = this.#options;
    const statements = (body['Statements'] ?? []) as readonly { readonly Statement?: string }[];
    for (const [index, { Statement = '' }] of statements.entries()) {
      const { Item, Error: refusal } = Responses[index] ?? {};
      if (refusal !== undefined || !Statement.startsWith('DELETE')) continue;
      if (Item === undefined) this.blind.push(Statement);
      else this.swept.push({ life: lifeOf(Item, keyNames, ttlAttribute), turn });
    }
  }
}

function keysOf(body: Body): readonly ItemImage[] {
  const reads = Object.values(
    (body['RequestItems'] ?? {}) as Record<string, { readonly Keys?: readonly ItemImage[] }>,
  );
  return reads.flatMap(({ Keys = [] }) => Keys);
}
