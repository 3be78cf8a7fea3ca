/**
 * The bytes that the states of a line hold at the most, with all that their iterations and branches hold. States follow one another, so
 * the largest counts; the iterations of one Map all count, however many of them run at once, as they do in the example of the pricing page.
 */
export class HeldData {
  readonly #around: HeldData | undefined;
  /** The largest payload of the state that the line is in. */
  #payload = 0;
  /** The data that the iterations or branches of that state hold. */
  #parts = 0;
  #most = 0;

  constructor(around?: HeldData) {
    this.#around = around;
  }

  /** Bytes. */
  get most(): number {
    return this.#most;
  }

  /** A line inside of the state that this one is in. */
  inner(): HeldData {
    return new HeldData(this);
  }

  /** The line goes on to a state, or to the next attempt of the same. */
  enter(): void {
    this.#payload = 0;
    this.#parts = 0;
  }

  /** The state has a payload of so many bytes: its input, arguments, result or output. */
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
