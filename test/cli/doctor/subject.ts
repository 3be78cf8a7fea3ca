import type { Subject } from '../../../cli/deployment/subject.ts';
import { inPackage } from '../../../cli/invocation.ts';
import { modelOf } from '../../../stacks/model-of.ts';
import { type PreciseTtlProps, resolveProps } from '../../../stacks/props.ts';

/** A table of a configuration as the doctor takes it. */
export function subjectOf(props: Partial<PreciseTtlProps> = {}): Subject {
  const table = { tableName: 'T', partitionKey: 'id', ...props };
  return { props: resolveProps(table), model: modelOf(table), region: 'us-east-1', call: inPackage };
}
