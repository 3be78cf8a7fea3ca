import type { FieldProblem } from '../expiry/errors.ts';
import { TASKS } from '../statemachine/contract.ts';

/** The ids that a stack of ours has for something else than a table. */
const TAKEN_IDS: readonly string[] = ['aws', 'backend', ...Object.values(TASKS).map(bundleId)];

/** Construct id of a function's archive. */
export function bundleId(file: string): string {
  return `bundle-${file}`;
}

/**
 * Construct id of a table's `PreciseTtl`: the table's name, unless Terraform would refuse the names made from it (they begin
 * with a letter or `_`; constructs leave out what else Terraform does not take), or something else has that id. A table's
 * name has no colon, so the other form is nobody's.
 */
export function constructId(tableName: string): string {
  const begins = tableName.replaceAll(/[^A-Za-z0-9_-]/g, '').slice(0, 1);
  // Constructs keep their children in a plain object, where a child named toString is there before it is made.
  const taken = TAKEN_IDS.includes(tableName) || tableName in Object.prototype;
  return /[A-Za-z_]/.test(begins) && !taken ? tableName : `table:${tableName}`;
}

/** What follows a sweep's name in the names of its roles; test/stacks/names.test.ts holds it against what is synthesized. */
const ROLES = [...Object.values(TASKS), 'sweep', 'schedule'];

/**
 * A role that two sweeps of these names would both have; undefined when they can stand side by side. Only roles can meet:
 * two of their suffixes end alike, and IAM's names do not differ by case. Source: IAM API reference, CreateRole.
 */
function sharedRole(name: string, other: string): string | undefined {
  const taken = new Set(ROLES.map(role => `${other}-${role}`.toLowerCase()));
  return ROLES.map(role => `${name}-${role}`).find(role => taken.has(role.toLowerCase()));
}

/** A sweep, as far as names are made from it. */
export interface NamedSweep {
  readonly tableName: string;
  readonly name: string;
}

/** What is wrong with a sweep beside another one; null when they can stand side by side. */
export function roleProblem(
  field: string,
  { tableName, name }: NamedSweep,
  other: NamedSweep,
): FieldProblem | null {
  const role = sharedRole(name, other.name);
  if (role === undefined) return null;
  return {
    field,
    expected: `a name whose roles are not those of ${other.name}`,
    got: name,
    remedy: `Tables ${other.tableName} and ${tableName} would both have the role ${role}; IAM sees no difference in case. Give one of them another name with the field name.`,
  };
}

/** The end of a text that is longer than AWS takes is cut off. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
