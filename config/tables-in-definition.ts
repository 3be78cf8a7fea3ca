import { isObject } from '../expiry/fields.ts';
import type { CarriedSettings } from '../statemachine/contract/inputs.ts';

/** The tables that a state machine of a deployment sweeps, read from its definition as JSON; empty for any other state machine. */
export function tablesInDefinition(definition: string): readonly CarriedSettings[] {
  let tables: unknown;
  try {
    tables = JSON.parse(definition)?.States?.PlanSweep?.Arguments?.Payload?.tables;
  } catch {
    // Terraform does not know the definition yet.
  }
  if (!Array.isArray(tables)) return [];
  return tables.filter(
    (table): table is CarriedSettings => isObject(table) && typeof table['tableName'] === 'string',
  );
}
