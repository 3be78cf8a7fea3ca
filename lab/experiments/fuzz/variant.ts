import { functionSettings, resolveProps } from '../../../config/props.ts';
import { STREAM_FILTER } from '../../../config/stream-props.ts';
import { carriedSettings } from '../../../functions/runtime/environment.ts';
import type { Resolved, VariantProps } from '../../fuzz/variants.ts';

/** The parts of a variant's stack: the settings in the executions' input, and the filter of the stream's readers. */
export function resolveVariant(props: VariantProps): Resolved {
  const sweep = resolveProps({ tableName: 'fuzz', partitionKey: 'id', ...props });
  return {
    carried: { ...carriedSettings(functionSettings(sweep)) },
    filter: JSON.stringify(STREAM_FILTER),
  };
}
