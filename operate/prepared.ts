/** A prepared change: everything that it needs was read, and nothing is changed yet. */
export interface Prepared<Facts, Result> {
  /** Facts that were read. */
  readonly facts: Facts;
  /** Makes the change. */
  readonly apply: () => Promise<Result>;
}
