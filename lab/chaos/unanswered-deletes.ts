import type { InvokeWrapper } from '../../local/functions/local-functions.ts';
import type { Chunk } from '../../statemachine/contract/chunks.ts';

/** Tolerance for late timers: a call that took nearly its timeout may have been abandoned. */
const LATE_MS = 100;

/**
 * Counts calls of DeleteChunk whose answer was lost: they failed, or took longer than the state machine's timeout, as on a busy machine.
 * Their deletes appear in no count.
 */
export class UnansweredDeletes {
  #count = 0;

  /** Number of such calls up to now, including those in progress. */
  get count(): number {
    return this.#count;
  }

  /** Wraps every invocation. */
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

/** Timeout of a call of DeleteChunk; undefined for other functions. */
function timeoutOf(payload: unknown): number | undefined {
  const { chunk } = payload as { readonly chunk?: Pick<Chunk, 'timeoutSeconds'> };
  return chunk?.timeoutSeconds;
}
