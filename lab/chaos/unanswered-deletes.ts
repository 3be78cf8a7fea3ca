import type { InvokeWrapper } from '../../local/functions/local-functions.ts';
import type { Chunk } from '../../statemachine/contract/chunks.ts';

/** A call that took as long as it may, less what a timer is late, may have been given up. */
const LATE_MS = 100;

/**
 * Notes calls of DeleteChunk that nobody heard the answer of: they failed, or took longer than the state machine waits, as on a
 * machine that is busy. What they deleted is in no count.
 */
export class UnansweredDeletes {
  #count = 0;

  /** Number of calls up to now; one that is under way has no answer yet. */
  get count(): number {
    return this.#count;
  }

  /** Stands around every invocation. */
  readonly wrap: InvokeWrapper = async ({ payload }, next) => {
    const timeoutSeconds = timeoutOf(payload);
    if (timeoutSeconds === undefined) return next();
    this.#count += 1;
    const began = performance.now();
    const result = await next();
    if (result.ok && performance.now() - began < timeoutSeconds * 1000 - LATE_MS) this.#count -= 1;
    return result;
  };
}

/** The time that a call of DeleteChunk has; undefined for those of other functions. */
function timeoutOf(payload: unknown): number | undefined {
  const { chunk } = payload as { readonly chunk?: Pick<Chunk, 'timeoutSeconds'> };
  return chunk?.timeoutSeconds;
}
