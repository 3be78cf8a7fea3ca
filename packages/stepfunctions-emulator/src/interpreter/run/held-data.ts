/**
 * Measures the peak of the data that an Express execution, a branch or an iteration holds, in bytes: the bill depends on this peak.
 * As on AWS's pricing page, a Map holds the data of all iterations, running or ended, and a Parallel the data of all branches.
 */
export class HeldData {
  readonly #around: HeldData | undefined;
  #payload = 0;
  #parts = 0;
  #most = 0;

  constructor(around?: HeldData) {
    this.#around = around;
  }

  get most(): number {
    return this.#most;
  }

  inner(): HeldData {
    return new HeldData(this);
  }

  enter(): void {
    this.#payload = 0;
    this.#parts = 0;
  }

  /** Records the size of the input, arguments, result or output of the current state, bytes. The largest of the sizes counts. */
  hold(bytes: number): void {
    this.#payload = Math.max(this.#payload, bytes);
    this.#update();
  }

  #update(): void {
    const more = this.#payload + this.#parts - this.#most;
    if (more <= 0) return;
    this.#most += more;
    if (this.#around === undefined) return;
    this.#around.#parts += more;
    this.#around.#update();
  }
}
