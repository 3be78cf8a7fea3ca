import { tablesInDefinition } from '../../config/tables-in-definition.ts';
import { isObject } from '../../expiry/fields.ts';

/** The part of `terraform show -json` for a plan that is read here. */
interface Planned {
  readonly resource_changes?: readonly {
    readonly type?: string;
    readonly change?: { readonly before?: unknown; readonly after?: unknown };
  }[];
}

/**
 * The graces that a plan would lower, one on each line; empty if there are none. The old values are read from the deployed state
 * machines, and from the functions of earlier versions, where each table had functions of its own.
 */
export function describeLoweredGraces({ resource_changes: changes = [] }: Planned): string {
  const before = gracesOf(changes.map(({ type, change }) => ({ type, values: change?.before })));
  const after = gracesOf(changes.map(({ type, change }) => ({ type, values: change?.after })));
  const lines = [...before].flatMap(([table, was]) => {
    const is = after.get(table);
    if (is === undefined || !(is < was)) return [];
    return [
      `${table}: graceSeconds is lowered from ${inWords(was)} to ${inWords(is)}. The next ticks delete at once what expired longer ago ` +
        'than that and was still in its grace.',
    ];
  });
  return lines.join('\n');
}

/** Seconds of grace, by table name. */
function gracesOf(resources: readonly { type: string | undefined; values: unknown }[]): Map<string, number> {
  const graces = new Map<string, number>();
  for (const { type, values } of resources) {
    if (!isObject(values)) continue;
    if (type === 'aws_sfn_state_machine') {
      for (const { tableName, graceSeconds } of tablesInDefinition(String(values['definition']))) {
        graces.set(tableName, Number(graceSeconds));
      }
    }
    if (type === 'aws_lambda_function') {
      const { TABLE_NAME: table, GRACE_SECONDS: grace } = variablesOf(values);
      if (table !== undefined && grace !== undefined) graces.set(table, Number(grace));
    }
  }
  return graces;
}

/** The environment variables of a function in Terraform's state; empty if it has none. */
function variablesOf({ environment }: Record<string, unknown>): Readonly<Record<string, string | undefined>> {
  const [block] = Array.isArray(environment) ? environment : [];
  const variables = isObject(block) ? block['variables'] : undefined;
  return (isObject(variables) ? variables : {}) as Readonly<Record<string, string | undefined>>;
}

function inWords(seconds: number): string {
  return seconds.toLocaleString('en-US');
}
