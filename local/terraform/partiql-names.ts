interface WithEnvironment {
  readonly environment: Readonly<Record<string, string>>;
}

/** The variables of a sweep's functions that name attributes which stand in its guarded deletes. */
const VARIABLES = ['PARTITION_KEY', 'SORT_KEY', 'TTL_ATTRIBUTE', 'HOLD_ATTRIBUTE'];

/**
 * Names of attributes that DynamoDB Local cannot delete by: it takes a quoted name in PartiQL that begins with `#` or `:` for the
 * placeholder of an expression, and refuses each guarded delete. Seen with DynamoDB Local 3.3; nothing in AWS's documents says that
 * DynamoDB does so.
 */
export function partiqlNameProblems(functions: readonly WithEnvironment[]): string[] {
  const problems = functions.flatMap(({ environment }) =>
    environment['DELETE_MODE'] !== 'guarded'
      ? []
      : VARIABLES.filter(variable => /^[#:]/.test(environment[variable] ?? '')).map(
          variable =>
            `table ${environment['TABLE_NAME']}: ${variable}: expected a name that does not begin with # or :, got ` +
            `"${environment[variable]}". DynamoDB Local, not DynamoDB, refuses guarded deletes with such a name. Name the attribute ` +
            "otherwise for the local run, or set deleteMode: 'batch' for it.",
        ),
  );
  return [...new Set(problems)];
}
