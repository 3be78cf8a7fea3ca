import { isObject } from '../expiry/fields.ts';

/** What a state machine carries of a table that it sweeps: see `CarriedSettings`. */
export type TableInDefinition = Readonly<Record<string, unknown>> & { readonly tableName: string };

/** The tables that a state machine of a deployment sweeps, from its definition as JSON; none for any other one. */
export function tablesInDefinition(definition: string): readonly TableInDefinition[] {
  let tables: unknown;
  try {
    tables = JSON.parse(definition)?.States?.PlanSweep?.Arguments?.Payload?.tables;
  } catch {
    // Terraform does not know it yet.
  }
  if (!Array.isArray(tables)) return [];
  return tables.filter(
    (table): table is TableInDefinition => isObject(table) && typeof table['tableName'] === 'string',
  );
}
