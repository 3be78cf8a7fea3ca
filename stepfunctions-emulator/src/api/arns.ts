import { ApiError } from './errors.ts';
import type { Members } from './members.ts';

/** The model's bounds for every member that is an ARN. */
const ARN_LENGTH = { min: 1, max: 256 };
const LONG_ARN_LENGTH = { min: 1, max: 2000 };

const invalidArn = (why: string): ApiError => new ApiError('InvalidArn', `Invalid Arn: '${why}'`);

/** `arn:partition:states:region:account:kind:…`, checked that far. */
function checkArn(arn: string, kinds: readonly string[]): string {
  const [prefix, partition, service, region, account, kind, ...rest] = arn.split(':');
  if (prefix !== 'arn' || !partition?.startsWith('aws')) throw invalidArn(`Invalid ARN prefix: ${arn}`);
  if (service !== 'states') throw invalidArn(`ARN is not an SFN ARN: ${arn}`);
  if (!region || !account || kind === undefined || rest.length === 0 || rest[0] === '') {
    throw invalidArn(`Invalid ARN: ${arn}`);
  }
  if (!kinds.includes(kind)) throw invalidArn(`Resource type not valid in this context: ${kind}`);
  return arn;
}

export const takeMachineArn = (members: Members): string =>
  checkArn(members.string('stateMachineArn', ARN_LENGTH), ['stateMachine']);

/** Express executions have ARNs of their own, which most operations don't take. */
export const takeExecutionArn = (members: Members, kinds: readonly string[] = ['execution']): string =>
  checkArn(members.string('executionArn', ARN_LENGTH), kinds);

export const takeMapRunArn = (members: Members): string =>
  checkArn(members.string('mapRunArn', LONG_ARN_LENGTH), ['mapRun']);

/** Nothing is done with the role locally; its form is checked so that a typo shows before AWS is there. */
export function takeRoleArn(members: Members): string {
  const arn = members.string('roleArn', ARN_LENGTH);
  if (/^arn:aws[a-z-]*:iam::[^:]+:role\/./.test(arn)) return arn;
  throw invalidArn(`Invalid Role Arn: '${arn}'`);
}
