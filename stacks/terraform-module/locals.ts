import { indented } from '../../config/values.ts';

/** A local value of a module. */
export interface Local {
  readonly comment: string;
  readonly name: string;
  /** Value as an HCL expression. */
  readonly value: string;
}

/** The block of a module's local values; empty if there are none. */
export function localsBlock(all: readonly Local[]): string[] {
  if (all.length === 0) return [];
  const body = all.map(({ comment, name, value }) => indented(`# ${comment}\n${name} = ${value}`));
  return [`locals {\n${body.join('\n\n')}\n}`];
}
