import { createHash } from 'node:crypto';

/**
 * Executions of a deployment's replays that are of a table: all whose names do not say that they are of another one. Somebody may have
 * started one under any name.
 *
 * @param names of all tables of the configuration
 * @param handOvers what ticks have left to executions, by tables
 */
export function executionsOfTable<Execution extends { readonly name: string }>(
  executions: readonly Execution[],
  tableName: string,
  names: readonly string[],
  handOvers: Readonly<Record<string, { readonly execution: string }>>,
): Execution[] {
  const others = names.filter(name => name !== tableName);
  const hashes = others.map(shortHash);
  const leftTo = others.map(name => handOvers[name]?.execution);
  return executions.filter(({ name }) => {
    const [, hash = ''] = /^(?:replay|dryrun)-.*-([0-9a-f]{8})(?:-\d+)?$/.exec(name) ?? [];
    return !hashes.includes(hash) && !leftTo.includes(name);
  });
}

/** The name of an execution ends with this of its table's name. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
