import type { TaskResource } from '../definition.ts';
import { isObject, type Json } from '../json.ts';
import { expectedArgument, INVOKE_ARGUMENTS } from '../task/lambda-arguments.ts';
import { type FieldReader, quote } from './problems.ts';

const FUNCTION_ARN =
  /^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:[A-Za-z0-9_-]{1,140}(:[A-Za-z0-9$_-]+)?$/;
const LAMBDA_INVOKE = /^arn:aws[a-z-]*:states:[a-z0-9-]*:\d*:lambda:invoke$/;

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

const isExpression = (value: unknown) => typeof value === 'string' && value.startsWith('{%');

function checkInvokeArguments(reader: FieldReader): void {
  const value = reader.raw['Arguments'];
  if (isExpression(value)) return;
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
  for (const [key, argument] of Object.entries(value)) {
    const known = INVOKE_ARGUMENTS.includes(key);
    if (known && isExpression(argument)) continue;
    const expected = expectedArgument(key, argument as Json);
    if (expected === undefined) continue;
    const path = `${reader.at('Arguments')}/${key}`;
    reader.problems.push({ path, expected, got: quote(known ? argument : key) });
  }
}
