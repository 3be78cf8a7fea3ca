import { COMMAND_ACTIONS, type IamAction } from '../iam-actions.ts';
import { OPERATED_RESOURCES, type Operated } from './operated-resources.ts';
import { allow, merged, type PolicyStatement } from './policy.ts';

/** Commands that operators do not run: `adopt` prepares a table before it is deployed, and `verify` makes a deployment of its own. */
const OF_OTHERS: readonly string[] = ['adopt', 'verify'];

/** KMS actions on the keys of tables: DynamoDB uses a table's key with the caller's permissions. */
const TABLE_KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey*',
  'kms:ReEncrypt*',
];

/** The actions that `verify` needs besides those of a deployment. @param operated the deployment that it creates */
export function verifyPolicy(operated: Operated): PolicyStatement[] {
  return merged(
    COMMAND_ACTIONS.verify.flatMap(({ action, on }) => allow([action], OPERATED_RESOURCES[on](operated))),
  );
}

/** The policy for operating a deployment, for all commands. */
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
    // Keys that encrypt executions and objects of the archive.
    ...allow(['kms:Decrypt'], keys),
    // Keys that encrypt the journal (the key of the deployment) and the tables.
    ...allow(TABLE_KEY_ACTIONS, [...keys, ...tableKeys], {
      StringLike: { 'kms:ViaService': `dynamodb.${place.region}.amazonaws.*` },
    }),
  ]);
}
