import type { TaskResource } from '../definition.ts';
import { isObject, type Json } from '../json.ts';
import { type DefinitionProblem, type FieldReader, quote } from './problems.ts';

/** The supported arguments of lambda:invoke, with a check of each value. */
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

const INVOKE_ARGUMENTS: readonly string[] = Object.keys(ARGUMENTS);

function text(value: Json): string | undefined {
  return typeof value === 'string' ? undefined : 'a STRING';
}

function only(implemented: string): (value: Json) => string | undefined {
  return value => (value === implemented ? undefined : `${implemented}, nothing else is implemented`);
}

/** Describes the expected form of an invalid argument of lambda:invoke; undefined when its value is accepted. */
export function expectedArgument(name: string, value: Json): string | undefined {
  const check = Object.hasOwn(ARGUMENTS, name) ? ARGUMENTS[name] : undefined;
  return check === undefined ? `one of ${INVOKE_ARGUMENTS.join(', ')}` : check(value);
}

const FUNCTION_ARN =
  /^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:[A-Za-z0-9_-]{1,140}(:[A-Za-z0-9$_-]+)?$/;
const ACTIVITY_ARN = /^arn:aws[a-z-]*:states:[a-z0-9-]+:\d{12}:activity:.+$/;
/** `dynamodb:putItem`, `aws-sdk:s3:getObject`, `states:startExecution.sync:2`, `sqs:sendMessage.waitForTaskToken`… */
const SERVICE_ARN =
  /^arn:aws[a-z-]*:states:[a-z0-9-]*:\d*:((?:aws-sdk:)?[a-z0-9-]+):([A-Za-z0-9]+(?:\.sync(?::2)?|\.waitForTaskToken)?)$/;
/** The only Resource besides functions that can be called. */
const START_EXECUTION = 'states:startExecution';

/** Reads Resource, and checks those Arguments that are constants. */
export function takeResource(reader: FieldReader, isMocked: (arn: string) => boolean): TaskResource {
  const arn = reader.takeRequiredString('Resource') ?? '';
  const resource = readResource(arn);
  if (resource?.kind === 'lambda:invoke') checkInvokeArguments(reader);
  if (resource !== undefined && (isImplemented(resource) || isMocked(arn))) return resource;
  if (typeof reader.raw['Resource'] === 'string')
    reader.problems.push(notImplemented(reader.at('Resource'), arn));
  return { kind: 'function', arn };
}

/** Parses a Resource; undefined when it is not valid. */
function readResource(arn: string): TaskResource | undefined {
  if (FUNCTION_ARN.test(arn)) return { kind: 'function', arn };
  if (ACTIVITY_ARN.test(arn)) return { kind: 'activity', arn };
  const [, service, action] = SERVICE_ARN.exec(arn) ?? [];
  if (service === undefined || action === undefined) return undefined;
  if (service === 'lambda' && action === 'invoke') return { kind: 'lambda:invoke', arn };
  return { kind: 'service', arn, service, action };
}

/** Whether a Resource can be called, and not only mocked. */
function isImplemented(resource: TaskResource): boolean {
  if (resource.kind !== 'service') return resource.kind !== 'activity';
  return `${resource.service}:${resource.action}` === START_EXECUTION;
}

const notImplemented = (path: string, arn: string): DefinitionProblem => ({
  path,
  expected: `a Lambda function ARN, arn:aws:states:::lambda:invoke or arn:aws:states:::${START_EXECUTION} (nothing else is implemented)`,
  got: quote(arn),
});

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
