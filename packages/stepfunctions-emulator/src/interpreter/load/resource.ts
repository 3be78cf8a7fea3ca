import { isObject, type Json } from '../json.ts';
import type { FieldReader } from './fields.ts';
import { requiredText } from './fields.ts';
import { quote } from './problems.ts';

/** What the Resource of a Task names. For `lambda:invoke`, the Task's Arguments name the function. */
export type TaskResource =
  | { readonly kind: 'function' | 'lambda:invoke'; readonly arn: string }
  | { readonly kind: 'service'; readonly arn: string; readonly service: string; readonly action: string };

/** Argument of lambda:invoke → its check. A check returns undefined for an accepted value, otherwise a description of accepted values. */
const ARGUMENTS: Readonly<Record<string, (value: Json) => string | undefined>> = {
  FunctionName: text,
  InvocationType: only('RequestResponse'),
  LogType: only('None'),
  Payload: value =>
    typeof value === 'number' || typeof value === 'boolean'
      ? 'a STRING (JSON text, sent as it is), an object or an array'
      : undefined,
  Qualifier: text,
};

function text(value: Json): string | undefined {
  return typeof value === 'string' ? undefined : 'a STRING';
}

function only(implemented: string): (value: Json) => string | undefined {
  return value => (value === implemented ? undefined : `${implemented}, nothing else is implemented`);
}

export function expectedArgument(name: string, value: Json): string | undefined {
  const check = Object.hasOwn(ARGUMENTS, name) ? ARGUMENTS[name] : undefined;
  return check === undefined ? `one of ${Object.keys(ARGUMENTS).join(', ')}` : check(value);
}

const FUNCTION_ARN =
  /^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:[A-Za-z0-9_-]{1,140}(:[A-Za-z0-9$_-]+)?$/;
/** Matches `arn:aws:states:::aws-sdk:s3:getObject`, for example. Actions may end in `.sync`, `.sync:2` or `.waitForTaskToken`. */
const SERVICE_ARN =
  /^arn:aws[a-z-]*:states:[a-z0-9-]*:\d*:((?:aws-sdk:)?[a-z0-9-]+):([A-Za-z0-9]+(?:\.sync(?::2)?|\.waitForTaskToken)?)$/;
/** The only implemented Resource besides functions and lambda:invoke. Loading accepts another Resource only if `isMocked` returns true. */
const START_EXECUTION = 'states:startExecution';

export function readResource(reader: FieldReader): TaskResource {
  const arn = requiredText(reader, 'Resource');
  const [, service = '', action = ''] = SERVICE_ARN.exec(arn) ?? [];
  const name = `${service}:${action}`;
  if (name === 'lambda:invoke') {
    checkInvokeArguments(reader);
    return { kind: 'lambda:invoke', arn };
  }
  if (service !== '' && (name === START_EXECUTION || reader.context.isMocked(arn))) {
    return { kind: 'service', arn, service, action };
  }
  if (!FUNCTION_ARN.test(arn) && typeof reader.raw['Resource'] === 'string') {
    const expected = `a Lambda function ARN, arn:aws:states:::lambda:invoke or arn:aws:states:::${START_EXECUTION}`;
    reader.problem('Resource', `${expected} (nothing else is implemented)`, quote(arn));
  }
  return { kind: 'function', arn };
}

const isExpression = (value: unknown) => typeof value === 'string' && value.startsWith('{%');

function checkInvokeArguments(reader: FieldReader): void {
  const value = reader.raw['Arguments'];
  if (isExpression(value)) return;
  if (!isObject(value)) {
    const got = value === undefined ? 'nothing' : quote(value);
    reader.problem('Arguments', 'an object with FunctionName', got);
    return;
  }
  if (value['FunctionName'] === undefined)
    reader.problem('Arguments', 'FunctionName', `only ${quote(Object.keys(value))}`);
  for (const [key, argument] of Object.entries(value)) {
    const known = Object.hasOwn(ARGUMENTS, key);
    if (known && isExpression(argument)) continue;
    const expected = expectedArgument(key, argument as Json);
    if (expected === undefined) continue;
    const path = `${reader.at('Arguments')}/${key}`;
    reader.context.problems.push({ path, expected, got: quote(known ? argument : key) });
  }
}
