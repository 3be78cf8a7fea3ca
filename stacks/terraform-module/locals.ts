import { indented } from '../../config/values.ts';

/** A local value of a module. */
export interface Local {
  readonly comment: string;
  readonly name: string;
  /** An expression. */
  readonly value: string;
}

/** The block of a module's local values; none without any. */
export function localsBlock(all: readonly Local[]): string[] {
  if (all.length === 0) return [];
  const body = all.map(({ comment, name, value }) => indented(`# ${comment}\n${name} = ${value}`));
  return [`locals {\n${body.join('\n\n')}\n}`];
}
