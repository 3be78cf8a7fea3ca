import { readSettings, toEnvironment } from '../functions/runtime/environment.ts';
import type { Resolved, VariantProps } from '../lab/fuzz/variants.ts';
import { STREAM_FILTER } from '../stacks/parts/stream-reader.ts';
import { functionSettings, resolveProps } from '../stacks/props.ts';
import { concurrentChildren } from '../statemachine/concurrent-children.ts';

/** The stack makes this of the props of a variant: the functions' settings by way of their environment, and the machine's numbers. */
export function resolveVariant(props: VariantProps): Resolved {
  const sweep = resolveProps({ tableName: 'fuzz', partitionKey: 'id', ...props });
  return {
    settings: readSettings(toEnvironment(functionSettings(sweep), value => value)),
    concurrency: {
      shardConcurrency: concurrentChildren(sweep),
      chunkConcurrency: sweep.chunkConcurrency,
    },
    filter: JSON.stringify(STREAM_FILTER),
  };
}
