import { COMMAND_ACTIONS, type IamAction } from '../iam-actions.ts';
import { OPERATED_RESOURCES, type Operated } from './operated-resources.ts';
import { allow, merged, type PolicyStatement } from './policy.ts';

/** One makes a table ready before there is a deployment, the other has a deployment of its own: whoever operates runs neither. */
const OF_OTHERS: readonly string[] = ['adopt', 'verify'];

/** DynamoDB uses a table's key with the permissions of its caller. */
const TABLE_KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey*',
  'kms:ReEncrypt*',
];

/** The actions of `verify` besides those of a deployment. @param operated the deployment that it makes */
export function verifyPolicy(operated: Operated): PolicyStatement[] {
  return merged(
    COMMAND_ACTIONS.verify.flatMap(({ action, on }) => allow([action], OPERATED_RESOURCES[on](operated))),
  );
}

/** The policy for operating a deployment, for all commands together. */
export function operatePolicy(operated: Operated): PolicyStatement[] {
  const actions: IamAction[] = Object.entries<readonly IamAction[]>(COMMAND_ACTIONS).flatMap(
    ([command, each]) => (OF_OTHERS.includes(command) ? [] : each),
  );
  const { deployments, place } = operated;
  const keys = deployments.flatMap(({ kmsKeyArn }) => kmsKeyArn ?? []);
  const tableKeys = deployments.flatMap(({ tables }) =>
    tables.flatMap(({ tableKmsKeyArn }) => tableKmsKeyArn ?? []),
  );
  return merged([
    ...actions.flatMap(({ action, on }) => allow([action], OPERATED_RESOURCES[on](operated))),
    // The keys of executions, and of objects in the archive.
    ...allow(['kms:Decrypt'], keys),
    // The keys of the journal, which has that of the deployment, and of the tables.
    ...allow(TABLE_KEY_ACTIONS, [...keys, ...tableKeys], {
      StringLike: { 'kms:ViaService': `dynamodb.${place.region}.amazonaws.*` },
    }),
  ]);
}
