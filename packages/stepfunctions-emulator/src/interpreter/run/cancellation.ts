import { Cancelled } from '../failure.ts';

/**
 * Cancels an execution, or the branches, iterations or children of one state, with all that they run. An AbortSignal would be slower for
 * the thousands of iterations of a large Map.
 */
export class Cancellation {
  #cancelled = false;
  readonly #listeners = new Set<() => void>();

  get cancelled(): boolean {
    return this.#cancelled;
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }

  onCancel(listener: () => void): () => void {
    if (this.#cancelled) {
      listener();
      return () => {};
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Creates a Cancellation that is cancelled when this one is. `release` ends this link, which keeps the created one in memory. */
  part(): { readonly cancellation: Cancellation; release(): void } {
    const cancellation = new Cancellation();
    return { cancellation, release: this.onCancel(() => cancellation.cancel()) };
  }

  throwIfCancelled(): void {
    if (this.#cancelled) throw new Cancelled();
  }
}
