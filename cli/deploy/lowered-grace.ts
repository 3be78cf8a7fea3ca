import { tablesInDefinition } from '../../config/tables-in-definition.ts';
import { isObject } from '../../expiry/fields.ts';

/** `terraform show -json` says this of a plan, and more that is not read here. */
interface Planned {
  readonly resource_changes?: readonly {
    readonly type?: string;
    readonly change?: { readonly before?: unknown; readonly after?: unknown };
  }[];
}

/**
 * The graces that a plan would make shorter, one on each line; empty without any. What a grace was stands in the state machines that are
 * deployed, and in the functions of a version in which each table had its own.
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

/** By the names of the tables, seconds. */
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

/** The environment of a function, as it is in a state; empty for one without. */
function variablesOf({ environment }: Record<string, unknown>): Readonly<Record<string, string | undefined>> {
  const [block] = Array.isArray(environment) ? environment : [];
  const variables = isObject(block) ? block['variables'] : undefined;
  return (isObject(variables) ? variables : {}) as Readonly<Record<string, string | undefined>>;
}

function inWords(seconds: number): string {
  return seconds.toLocaleString('en-US');
}
