import type { PreciseTtlProps } from '../../../config/props.ts';
import { type Subject, subjectsOf } from '../../../operate/deployment/subject.ts';
import { configOf } from '../../support/configs.ts';

/** A table of a configuration, as the doctor gets it. */
export function subjectOf(props: Partial<PreciseTtlProps> = {}): Subject {
  const table = { tableName: 'T', partitionKey: 'id', ...props };
  const [subject] = subjectsOf(configOf(table), [table]);
  if (subject === undefined) throw new TypeError('a subject for each table');
  return subject;
}
