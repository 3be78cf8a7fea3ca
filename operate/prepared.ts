/** A change that was prepared: everything that it needs was looked at, and nothing is changed yet. */
export interface Prepared<Facts, Result> {
  /** The facts that were found. */
  readonly facts: Facts;
  /** Makes the change. */
  readonly apply: () => Promise<Result>;
}
