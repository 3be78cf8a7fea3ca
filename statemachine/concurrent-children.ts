/** What decides how many children of a round run at once; the fields are props. */
export interface ChildConcurrency {
  readonly shardConcurrency: number;
  readonly precisionSeconds: number;
  readonly shards: number;
}

/**
 * MaxConcurrency of SweepShards; 0 = as many as Step Functions runs. Children that wait for an upcoming minute must all be
 * there, and leave room for those that look back.
 */
export function concurrentChildren({ shardConcurrency, precisionSeconds, shards }: ChildConcurrency): number {
  const unlimited = shardConcurrency === 0;
  return unlimited || precisionSeconds === 60 ? shardConcurrency : shardConcurrency + shards;
}
