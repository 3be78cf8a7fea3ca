import type { ChunkProgress } from '../../statemachine/contract/chunks.ts';
import { CHUNK_COUNTS, noCounts } from '../../statemachine/counts.ts';
import { NO_LAG } from '../report/lag.ts';

/** The progress of a chunk before its first attempt. */
export const NO_PROGRESS: ChunkProgress = {
  attempts: 0,
  ...noCounts(CHUNK_COUNTS),
  ...NO_LAG,
  failed: [],
  retryAtMs: 0,
};
