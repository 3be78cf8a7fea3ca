/** How far a scan is. */
export interface ScanProgress {
  readonly items: number;
  readonly readUnits: number;
  /** Pages that DynamoDB throttled, and that were read later. */
  readonly throttled: number;
}
