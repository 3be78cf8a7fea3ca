import type { TableResource } from '../dynamodb/table.ts';
import { NotFoundError } from '../errors.ts';
import type { SynthesizedCloud } from './synthesized.ts';

/**
 * Finds a table that the synthesized stack creates.
 * @throws {NotFoundError}
 */
export function tableOf({ tables }: Pick<SynthesizedCloud, 'tables'>, name: string): TableResource {
  const table = tables.find(candidate => candidate.name === name);
  if (table === undefined) {
    throw new NotFoundError(
      `table: expected "${name}" in what was synthesized, got ${tables.map(other => other.name).join(', ') || 'none'}`,
    );
  }
  return table;
}
