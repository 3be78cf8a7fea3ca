import { type Subject, subjectsOf } from '../../../cli/deployment/subject.ts';
import type { PreciseTtlProps } from '../../../config/props.ts';
import { configOf } from '../../support/synthesized.ts';

/** A table of a configuration as the doctor takes it. */
export function subjectOf(props: Partial<PreciseTtlProps> = {}): Subject {
  const table = { tableName: 'T', partitionKey: 'id', ...props };
  const [subject] = subjectsOf(configOf(table), [table]);
  if (subject === undefined) throw new TypeError('a subject for each table');
  return subject;
}
