import type { TaskName } from './contract/machines.ts';

/**
 * An expression as the Amazon States Language takes it. Terraform reads the definition as a template, so none may contain
 * `${` or `%{`; an object right behind the opening delimiter is therefore set off by a space.
 */
export function jsonata(expression: string): string {
  return `{% ${expression} %}`;
}

/** A rule of a Choice: the step that a function asked for, and the state that takes it. */
export function route(next: string, state: string) {
  return { Condition: jsonata(`$states.input.next = '${next}'`), Next: state };
}

/** The name of the error that a state has caught. It is whatever a function says, and has to have room in what is handed on. */
export const CAUGHT_ERROR = '$substring($states.errorOutput.Error, 0, 100)';

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

/** A Task that asks DynamoDB; the caller adds TimeoutSeconds, Output, Catch and Next. */
export function queryTask(partition: string, query: Readonly<Record<string, unknown>>) {
  return { Type: 'Task', Resource: `arn:${partition}:states:::aws-sdk:dynamodb:query`, Arguments: query };
}

/** A Task that starts an execution, and does not wait for its end; the caller adds Retry, Output, Catch and Next. */
export function startExecutionTask(
  partition: string,
  execution: { readonly StateMachineArn: string; readonly Name?: string; readonly Input: string },
) {
  return { Type: 'Task', Resource: `arn:${partition}:states:::states:startExecution`, Arguments: execution };
}
