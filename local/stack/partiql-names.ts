import { tablesInDefinition } from '../../config/tables-in-definition.ts';

/** Settings of a table that contain attribute names used in its guarded deletes. */
const SETTINGS = ['partitionKey', 'sortKey', 'ttlAttribute'];

/**
 * Finds attribute names by which DynamoDB Local cannot delete: it reads a quoted name in PartiQL that begins with `#` or `:` as the
 * placeholder of an expression, and refuses each guarded delete. Seen with DynamoDB Local 3.3; AWS's documents name no such rule for
 * DynamoDB.
 */
export function partiqlNameProblems(stateMachines: readonly { readonly definition: string }[]): string[] {
  const problems = stateMachines
    .flatMap(({ definition }) => tablesInDefinition(definition))
    .filter(({ deleteMode }) => deleteMode === 'guarded')
    .flatMap(table =>
      SETTINGS.filter(setting => /^[#:]/.test(String(table[setting] ?? ''))).map(
        setting =>
          `table ${table.tableName}: ${setting}: expected a name that does not begin with # or :, got ` +
          `"${table[setting]}". DynamoDB Local, not DynamoDB, refuses guarded deletes with such a name. Name the attribute ` +
          "otherwise for the local run, or set deleteMode: 'batch' for it.",
      ),
    );
  return [...new Set(problems)];
}
