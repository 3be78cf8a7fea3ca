import { isObject } from '../../expiry/fields.ts';

/** `terraform show -json` says this of a plan, and more that is not read here. */
interface Planned {
  readonly resource_changes?: readonly {
    readonly type?: string;
    readonly change?: { readonly before?: unknown; readonly after?: unknown };
  }[];
}

/**
 * The graces that a plan would make shorter, one on each line; empty without any. What a grace was stands in the environment of the
 * functions that are deployed.
 */
export function describeLoweredGraces({ resource_changes: changes = [] }: Planned): string {
  const lines = changes
    .filter(({ type }) => type === 'aws_lambda_function')
    .flatMap(({ change }) => {
      const { GRACE_SECONDS: was } = variablesOf(change?.before);
      const { GRACE_SECONDS: is, TABLE_NAME: table } = variablesOf(change?.after);
      if (was === undefined || is === undefined || !(Number(is) < Number(was))) return [];
      return [
        `${table}: graceSeconds is lowered from ${seconds(was)} to ${seconds(is)}. The next ticks delete at once what expired longer ago ` +
          'than that and was still in its grace.',
      ];
    });
  return [...new Set(lines)].join('\n');
}

/** The environment of a function, as it is in a state; empty for one that is not there. */
function variablesOf(lambda: unknown): Readonly<Record<string, string | undefined>> {
  const environment = isObject(lambda) ? lambda['environment'] : undefined;
  const [block] = Array.isArray(environment) ? environment : [];
  const variables = isObject(block) ? block['variables'] : undefined;
  return (isObject(variables) ? variables : {}) as Readonly<Record<string, string | undefined>>;
}

function seconds(text: string): string {
  return Number(text).toLocaleString('en-US');
}
