import type { TaskResource } from '../definition.ts';
import { isObject } from '../json.ts';
import { type FieldReader, quote } from './problems.ts';

const FUNCTION_ARN =
  /^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:[A-Za-z0-9_-]{1,140}(:[A-Za-z0-9$_-]+)?$/;
const LAMBDA_INVOKE = /^arn:aws[a-z-]*:states:[a-z0-9-]*:\d*:lambda:invoke$/;

/** The arguments of lambda:invoke that are implemented; `Payload` is the event. */
export const INVOKE_ARGUMENTS: ReadonlySet<string> = new Set([
  'FunctionName',
  'InvocationType',
  'LogType',
  'Payload',
  'Qualifier',
]);

/** Reads Resource, and of Arguments what can be checked without evaluating them. */
export function takeResource(reader: FieldReader): TaskResource {
  const arn = reader.takeRequiredString('Resource') ?? '';
  if (FUNCTION_ARN.test(arn)) return { kind: 'function', arn };
  if (LAMBDA_INVOKE.test(arn)) {
    checkInvokeArguments(reader);
    return { kind: 'lambda:invoke', arn };
  }
  if (typeof reader.raw['Resource'] === 'string') {
    reader.problem(
      'Resource',
      'a Lambda function ARN or arn:aws:states:::lambda:invoke (nothing else is implemented)',
      quote(arn),
    );
  }
  return { kind: 'function', arn };
}

function checkInvokeArguments(reader: FieldReader): void {
  const value = reader.raw['Arguments'];
  if (typeof value === 'string' && value.startsWith('{%')) return;
  if (!isObject(value)) {
    reader.problem(
      'Arguments',
      'an object with FunctionName',
      value === undefined ? 'nothing' : quote(value),
    );
    return;
  }
  if (value['FunctionName'] === undefined)
    reader.problem('Arguments', 'FunctionName', `only ${quote(Object.keys(value))}`);
  for (const key of Object.keys(value)) {
    if (INVOKE_ARGUMENTS.has(key)) continue;
    const path = `${reader.at('Arguments')}/${key}`;
    reader.problems.push({ path, expected: `one of ${[...INVOKE_ARGUMENTS].join(', ')}`, got: quote(key) });
  }
}
