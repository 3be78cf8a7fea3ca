import type { QueryExpiredInput } from '../../statemachine/contract/child.ts';
import { MAX_CHILD_SECONDS } from '../../statemachine/contract/limits.ts';
import type { Millis } from '../../statemachine/times.ts';

/**
 * Makes the children of executions too old to go on so soon after they began. Their age counts from the start of the execution; here it
 * counts from the first call of one of its children. By second a plan can take longer than such a life, on a machine that is busy.
 */
export class ShortLives {
  readonly #lifeMs: Millis;
  /** When its first child was called, by the start of the execution. */
  readonly #begun = new Map<string, Millis>();

  constructor(lifeMs: Millis) {
    this.#lifeMs = lifeMs;
  }

  /** The input of QueryExpired, of an older child; that of another function as it is. */
  olderChild(payload: unknown): unknown {
    const { startedAt, progress, now } = payload as Partial<QueryExpiredInput>;
    if (startedAt === undefined || progress === undefined || now === undefined) return payload;
    const begun = this.#begun.get(startedAt) ?? Date.parse(now);
    this.#begun.set(startedAt, begun);
    const older = new Date(begun + this.#lifeMs - MAX_CHILD_SECONDS * 1000).toISOString();
    return { ...(payload as object), startedAt: older };
  }
}
