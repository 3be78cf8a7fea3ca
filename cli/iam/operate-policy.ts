import { COMMAND_ACTIONS, type IamAction } from '../iam-actions.ts';
import { OPERATED_RESOURCES, type Operated } from './operated-resources.ts';
import { allow, merged, type PolicyStatement } from './policy.ts';

/** It makes a table ready before there is a deployment: whoever owns the table runs it. */
const OF_THE_OWNER = 'adopt';

/** DynamoDB uses a table's key with the permissions of its caller. */
const TABLE_KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey*',
  'kms:ReEncrypt*',
];

/** What whoever operates a deployment needs, for all commands together. */
export function operatePolicy(operated: Operated): PolicyStatement[] {
  const actions: IamAction[] = Object.entries<readonly IamAction[]>(COMMAND_ACTIONS).flatMap(
    ([command, each]) => (command === OF_THE_OWNER ? [] : each),
  );
  const { deployments, place } = operated;
  const keys = deployments.flatMap(({ kmsKeyArn }) => kmsKeyArn ?? []);
  const tableKeys = deployments.flatMap(({ tables }) =>
    tables.flatMap(({ tableKmsKeyArn }) => tableKmsKeyArn ?? []),
  );
  return merged([
    ...actions.flatMap(({ action, on }) => allow([action], OPERATED_RESOURCES[on](operated))),
    // Of executions, and of objects in the archive.
    ...allow(['kms:Decrypt'], keys),
    // Of the journal, which has the key of the deployment, and of the tables.
    ...allow(TABLE_KEY_ACTIONS, [...keys, ...tableKeys], {
      StringLike: { 'kms:ViaService': `dynamodb.${place.region}.amazonaws.*` },
    }),
  ]);
}
