import type { ResolvedProps } from './props.ts';

/** Children that wait for an upcoming minute must all be there, and leave room for those that look back. */
export function concurrentChildren({ shardConcurrency, precisionSeconds, shards }: ResolvedProps): number {
  const unlimited = shardConcurrency === 0;
  return unlimited || precisionSeconds === 60 ? shardConcurrency : shardConcurrency + shards;
}
