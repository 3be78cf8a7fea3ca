import { takeMachineArn, takeVersionArn } from '../arns.ts';
import { type Operation, seconds } from '../context.ts';
import { ApiError } from '../errors.ts';
import { takeItems, takePage } from '../paging.ts';

/** Names the revision of a state machine that was never updated. */
const INITIAL = 'INITIAL';

/** Length of the description of a version or an alias. */
export const DESCRIPTION_LENGTH = { max: 256 };

export const publishStateMachineVersion: Operation = ({ stateMachines }, members) => {
  const stateMachine = stateMachines.get(takeMachineArn(members));
  const expected = members.optionalString('revisionId');
  const description = members.optionalString('description', DESCRIPTION_LENGTH);
  const current = stateMachine.revisionId ?? INITIAL;
  if (expected !== undefined && expected !== current) {
    throw new ApiError(
      'ConflictException',
      `Failed to publish the State Machine version for revision ${expected}. ` +
        `The current State Machine revision is ${current}.`,
      409,
    );
  }
  const version = stateMachines.versions.publish(stateMachine, description);
  return { stateMachineVersionArn: version.arn, creationDate: seconds(version.creationDate) };
};

/** Empty when the state machine does not exist: AWS documents no error for that. */
export const listStateMachineVersions: Operation = ({ stateMachines }, members) => {
  const arn = takeMachineArn(members);
  const page = takePage(members, `ListStateMachineVersions ${arn}`);
  const { items, ...more } = takeItems(page, stateMachines.versions.of(arn), ({ number }) => -number);
  const listed = items.map(version => ({
    stateMachineVersionArn: version.arn,
    creationDate: seconds(version.creationDate),
  }));
  return { stateMachineVersions: listed, ...more };
};

/** Succeeds also when the version does not exist, as on AWS. */
export const deleteStateMachineVersion: Operation = ({ stateMachines }, members) => {
  const arn = takeVersionArn(members);
  const aliases = stateMachines.aliases.leadingTo(arn);
  if (aliases.length > 0) {
    throw new ApiError(
      'ConflictException',
      'Version to be deleted must not be referenced by an alias. Current list of aliases referencing this version: ' +
        `[${aliases.map(({ name }) => name).join(', ')}]`,
      409,
    );
  }
  stateMachines.versions.delete(arn);
  return {};
};
