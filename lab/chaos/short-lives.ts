import type { QueryExpiredInput } from '../../statemachine/contract/child.ts';
import { MAX_CHILD_SECONDS } from '../../statemachine/contract/limits.ts';
import type { Millis } from '../../statemachine/times.ts';

/**
 * Makes the children of executions too old to continue soon after they began. On AWS their age counts from the start of the execution;
 * here it counts from the first call of one of its children, because by second a plan can take longer than this life on a busy machine.
 */
export class ShortLives {
  readonly #lifeMs: Millis;
  /** Time of the first call of a child, by the start of the execution. */
  readonly #begun = new Map<string, Millis>();

  constructor(lifeMs: Millis) {
    this.#lifeMs = lifeMs;
  }

  /** Changes the input of QueryExpired so that the child is older; other functions' inputs are unchanged. */
  olderChild(payload: unknown): unknown {
    const { startedAt, progress, now } = payload as Partial<QueryExpiredInput>;
    if (startedAt === undefined || progress === undefined || now === undefined) return payload;
    const begun = this.#begun.get(startedAt) ?? Date.parse(now);
    this.#begun.set(startedAt, begun);
    const older = new Date(begun + this.#lifeMs - MAX_CHILD_SECONDS * 1000).toISOString();
    return { ...(payload as object), startedAt: older };
  }
}
