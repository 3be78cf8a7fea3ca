/** What is done to DynamoDB. */
export type Trouble = 'none' | 'deletesThrottled' | 'queriesThrottled' | 'hangs' | 'dead';

/** A part of the time that is looked at. */
export interface Phase {
  readonly name: string;
  /** Of the whole time, 0 to 1. */
  readonly share: number;
  readonly trouble: Trouble;
  readonly paused: boolean;
  /** Deletes a second as a share of what expires; undefined: no limit. */
  readonly limit?: number;
}

const WELL = { trouble: 'none', paused: false } as const;

/** After each trouble the sweep has time to catch up. */
export const PHASES: readonly Phase[] = [
  { name: 'nothing wrong', share: 0.12, ...WELL },
  { name: 'deletes throttled', share: 0.2, ...WELL, trouble: 'deletesThrottled' },
  { name: 'after it', share: 0.08, ...WELL },
  { name: 'DynamoDB hangs', share: 0.08, ...WELL, trouble: 'hangs' },
  { name: 'it answers again', share: 0.08, ...WELL },
  { name: 'DynamoDB is dead', share: 0.08, ...WELL, trouble: 'dead' },
  { name: 'it is back', share: 0.08, ...WELL },
  { name: 'queries throttled', share: 0.04, ...WELL, trouble: 'queriesThrottled' },
  { name: 'paused', share: 0.1, ...WELL, paused: true },
  { name: 'limited to half', share: 0.08, ...WELL, limit: 0.5 },
  { name: 'limited to four times', share: 0.04, ...WELL, limit: 4 },
  { name: 'no limit', share: 0.02, ...WELL },
];
