import type { S3Counts } from './archived.ts';
import type { FirstCounts } from '../../lab/archive/first-verdict.ts';

export interface FirstResult {
  readonly counts: FirstCounts;
  readonly kills: number;
  readonly killsAtWork: number;
  readonly s3: S3Counts;
  readonly seconds: number;
  readonly problems: readonly string[];
  readonly unproven: readonly string[];
}

export async function runFirst(_options: object): Promise<FirstResult> {
  throw new Error('later');
}
