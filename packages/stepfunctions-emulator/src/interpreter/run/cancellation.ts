import { Cancelled } from '../failure.ts';

/**
 * Cancels an execution, branch or iteration, with all parts inside. An AbortSignal would cost more, and a large Map has thousands of
 * iterations.
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

  /** Creates the Cancellation of an inner part. Without a call of `release` at the inner part's end, the Cancellation stays in memory. */
  part(): { readonly cancellation: Cancellation; release(): void } {
    const cancellation = new Cancellation();
    return { cancellation, release: this.onCancel(() => cancellation.cancel()) };
  }

  throwIfCancelled(): void {
    if (this.#cancelled) throw new Cancelled();
  }
}
