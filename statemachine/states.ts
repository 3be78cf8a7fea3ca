import type { TaskName } from './contract/machines.ts';

/**
 * A JSONata expression in Amazon States Language. Terraform reads the definition as a template, so none may contain `${` or `%{`; an
 * object right after the opening delimiter therefore follows a space.
 */
export function jsonata(expression: string): string {
  return `{% ${expression} %}`;
}

/** A rule of a Choice: the step that a function returned, and the state for it. */
export function route(next: string, state: string) {
  return { Condition: jsonata(`$states.input.next = '${next}'`), Next: state };
}

/** The name of the error that a state has caught, shortened, since a function can choose any name and it must fit into the payload. */
export const CAUGHT_ERROR = '$substring($states.errorOutput.Error, 0, 100)';

/** The rules of a Catch of anything: States.ALL does not include States.DataLimitExceeded, which is an answer or result above 256 KiB. */
export function catchAnything(Output: unknown, Next: string) {
  return [['States.DataLimitExceeded'], ['States.ALL']].map(ErrorEquals => ({ ErrorEquals, Output, Next }));
}

/** ARNs of the functions, or Terraform references to them. */
export type FunctionArns = Readonly<Record<TaskName, string>>;

/**
 * A Task that calls a function; the caller adds Retry, Output, Catch and Next.
 * @param partition AWS's, or a Terraform reference to it: GovCloud and China have their own
 */
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
