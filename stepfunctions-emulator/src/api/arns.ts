import { ApiError, invalidRequest } from './errors.ts';
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

const checkMachineArn = (arn: string): string => checkArn(arn, ['stateMachine']);

/** Reads the ARN of a state machine, or of one of its versions or aliases, which the operation may refuse. */
export function takeMachineArn(members: Members): string {
  const arn = checkMachineArn(members.string('stateMachineArn', ARN_LENGTH));
  if (!arn.includes('/')) return arn;
  throw invalidRequest(
    'API_DOES_NOT_SUPPORT_LABELED_ARNS',
    `stateMachineArn: expected a state machine, a version or an alias, got a distributed Map state: ${arn}`,
  );
}

/** Returns the state machine's ARN in a version's ARN; undefined for other ARNs. */
export const machineOfVersion = (arn: string): string | undefined =>
  /^(arn:aws[^:]*:states:[^:]+:[^:]+:stateMachine:[^:/]+):[1-9]\d*$/.exec(arn)?.[1];

export function takeVersionArn(members: Members): string {
  const arn = checkMachineArn(members.string('stateMachineVersionArn', LONG_ARN_LENGTH));
  if (machineOfVersion(arn) !== undefined) return arn;
  throw invalidArn(`Invalid ARN: ${arn}`);
}

/** The part after the state machine's ARN is the name of the alias. */
export function takeAliasArn(members: Members): string {
  const arn = checkMachineArn(members.string('stateMachineAliasArn', ARN_LENGTH));
  if (arn.split(':').length === 8) return arn;
  throw invalidArn(`Invalid ARN: ${arn}`);
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
