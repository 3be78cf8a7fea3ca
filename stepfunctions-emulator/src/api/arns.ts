import { ApiError } from './errors.ts';
import type { Members } from './members.ts';

/** The API model's limits for every ARN field. */
const ARN_LENGTH = { min: 1, max: 256 };
const LONG_ARN_LENGTH = { min: 1, max: 2000 };

const invalidArn = (why: string): ApiError => new ApiError('InvalidArn', `Invalid Arn: '${why}'`);

/** Checks an ARN of the form `arn:partition:states:region:account:kind:…`, up to its kind. */
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

/** Reads the ARN of a state machine. That of a version or an alias has the same form, and names none that exists here. */
export function takeMachineArn(members: Members): string {
  const arn = checkArn(members.string('stateMachineArn', ARN_LENGTH), ['stateMachine']);
  if (!arn.includes('/')) return arn;
  throw new ApiError(
    'ValidationException',
    `stateMachineArn: expected a state machine, got a distributed Map state: ${arn}`,
    400,
    { reason: 'API_DOES_NOT_SUPPORT_LABELED_ARNS' },
  );
}

/** Express executions have another form of ARN, which most operations do not accept. */
export const takeExecutionArn = (members: Members, kinds: readonly string[] = ['execution']): string =>
  checkArn(members.string('executionArn', ARN_LENGTH), kinds);

export const takeMapRunArn = (members: Members): string =>
  checkArn(members.string('mapRunArn', LONG_ARN_LENGTH), ['mapRun']);

/** The role has no local effect; its form is checked so that a typo is found before a deployment. */
export function takeRoleArn(members: Members): string {
  const arn = members.string('roleArn', ARN_LENGTH);
  if (/^arn:aws[a-z-]*:iam::[^:]+:role\/./.test(arn)) return arn;
  throw invalidArn(`Invalid Role Arn: '${arn}'`);
}
