/** The progress of a scan. */
export interface ScanProgress {
  readonly items: number;
  readonly readUnits: number;
  /** Number of pages that DynamoDB throttled and that were read later. */
  readonly throttled: number;
}
