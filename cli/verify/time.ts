/** The clock of the machine, or of a test. */
export interface Time {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Rejects when the command is interrupted. */
  readonly sleep: (ms: number) => Promise<unknown>;
}
