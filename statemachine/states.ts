/**
 * Puts `expression` between `{%` and `%}`. Terraform reads the definition as a template, so the result must not contain `${` or `%{`.
 * Without the space, an expression that begins with `{` would make `%{`.
 */
export function jsonata(expression: string): string {
  return `{% ${expression} %}`;
}

export function route(next: string, state: string) {
  return { Condition: jsonata(`$states.input.next = '${next}'`), Next: state };
}

/** The name of the caught error, at most 100 characters: a function can choose any name, and the payload of a state has limited room. */
export const CAUGHT_ERROR = '$substring($states.errorOutput.Error, 0, 100)';

/** Two catchers, because `States.ALL` does not always catch `States.DataLimitExceeded`, the error of an output above 256 KiB. */
export function catchAnything(Output: unknown, Next: string) {
  return [['States.DataLimitExceeded'], ['States.ALL']].map(ErrorEquals => ({ ErrorEquals, Output, Next }));
}

export function invokeTask(
  functionArn: string,
  partition: string,
  payload: Readonly<Record<string, unknown>>,
) {
  return {
    Type: 'Task',
    Resource: `arn:${partition}:states:::lambda:invoke`,
    Arguments: { FunctionName: functionArn, Payload: payload },
  };
}
