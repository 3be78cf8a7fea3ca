/**
 * Maximum size of the data of an execution, a branch or an iteration, bytes. States run one after another: the largest state counts, with
 * all data of its branches or iterations. All iterations of a Map count, even if few run at once, as in an example on AWS's pricing page.
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

  /** Records the size of a state's payload in bytes: its input, arguments, result or output. */
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
