import { createHash } from 'node:crypto';

/** The state of an execution, as in DescribeExecution. */
export interface ExecutionState {
  readonly status: string;
  readonly startedAt?: Date | undefined;
  readonly output?: string | undefined;
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
}

/**
 * Filters replay executions of a deployment by table: keeps all whose names do not show that they belong to another table, because
 * an execution can have been started under any name.
 *
 * @param names of all tables of the configuration
 */
export function executionsOfTable<Execution extends { readonly name: string }>(
  executions: readonly Execution[],
  tableName: string,
  names: readonly string[],
): Execution[] {
  const others = names.filter(name => name !== tableName);
  const hashes = others.map(shortHash);
  return executions.filter(({ name }) => {
    const [, hash = ''] = /^(?:replay|dryrun)-.*-([0-9a-f]{8})(?:-\d+)?$/.exec(name) ?? [];
    return !hashes.includes(hash);
  });
}

/** A short hash of a text. The name of a replay contains the hash of its table's name. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
