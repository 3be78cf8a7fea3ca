import { DEFAULT_STATE_KEY, type DeploymentConfig } from '../../config/config.ts';
import type { Deployment } from '../../config/deployments.ts';
import { bucketPrefixOf, proofName } from '../../config/names.ts';
import { hasProof } from '../../config/props.ts';
import { journalName } from '../../functions/journal/layout.ts';
import {
  COMMAND_ACTIONS,
  DEPLOY_ACTIONS,
  DEPLOY_ACTIONS_WITH,
  type IamAction,
  JOURNAL_DEPLOY_ACTIONS,
  ON_NO_RESOURCE,
  onlyReads,
  STATE_ACTIONS,
} from '../iam-actions.ts';
import { type ArnType, type AwsPlace, arnsOf, hasArn, OPERATED_RESOURCES, type Operated } from './arns.ts';
import { allow, merged, type PolicyStatement } from './policy.ts';

export interface Deployed {
  readonly config: DeploymentConfig;
  readonly deployments: readonly Deployment[];
  readonly place: AwsPlace;
}

/** Types that are settings of another resource: their actions are allowed on that resource. */
const SETTINGS_OF: readonly (readonly [RegExp, ArnType])[] = [
  [/^aws_iam_role_policy/, 'aws_iam_role'],
  [/^aws_s3_bucket_/, 'aws_s3_bucket'],
  [/^aws_sns_topic_policy$/, 'aws_sns_topic'],
];

/** Services that may get a role. Source: IAM User Guide, "Granting a user permissions to pass a role". */
const PASSED_TO = ['lambda', 'scheduler', 'states'].map(service => `${service}.amazonaws.com`);

const PASS_ROLE = 'iam:PassRole';

/**
 * The policy with which Terraform deploys the configuration. It allows every name with the prefix of a deployment or table, also
 * for parts that the configuration does not have now: turning a feature on or off needs no other policy.
 *
 * @param isAllowed leaves actions out: a pipeline that only plans needs only those that read
 */
export function deployPolicy(
  deployed: Deployed,
  isAllowed: (action: string) => boolean = () => true,
): PolicyStatement[] {
  const { deployments } = deployed;
  const statements = Object.entries(DEPLOY_ACTIONS).flatMap(([type, all]) => {
    const actions = all.filter(action => isAllowed(action) && action !== PASS_ROLE);
    const target = SETTINGS_OF.find(([pattern]) => pattern.test(type))?.[1] ?? type;
    return [
      ...allow(
        actions.filter(action => ON_NO_RESOURCE.includes(action)),
        ['*'],
      ),
      ...allow(
        actions.filter(action => !ON_NO_RESOURCE.includes(action)),
        hasArn(target) ? patternsOf(target, deployed) : ['*'],
      ),
    ];
  });
  const given = deployments.flatMap(({ roleArns = {}, tables }) =>
    [roleArns, ...tables.map(({ tableRoleArns = {} }) => tableRoleArns)].flatMap(arns => Object.values(arns)),
  );
  const keys = deployments.flatMap(({ kmsKeyArn, tables }) =>
    [kmsKeyArn, ...tables.map(({ tableKmsKeyArn }) => tableKmsKeyArn)].filter(key => key !== undefined),
  );
  const journals = deployments.flatMap(({ name }) =>
    arnsOf('aws_dynamodb_table', journalName(name), deployed.place),
  );
  return merged([
    ...statements,
    ...allow(JOURNAL_DEPLOY_ACTIONS.filter(isAllowed), journals),
    ...(isAllowed(PASS_ROLE)
      ? allow([PASS_ROLE], [...patternsOf('aws_iam_role', deployed), ...given], {
          StringEquals: { 'iam:PassedToService': PASSED_TO },
        })
      : []),
    ...(deployments.some(({ vpc }) => vpc !== undefined) ? allow(DEPLOY_ACTIONS_WITH.vpc, ['*']) : []),
    ...allow(
      DEPLOY_ACTIONS_WITH.kmsKeyArn.filter(action => isAllowed(action) || action === 'kms:Decrypt'),
      keys,
    ),
    ...statePolicy(deployed),
  ]);
}

/** The policy of a pipeline that only plans. It may lock the state too. */
export function pipelinePolicy(deployed: Deployed): PolicyStatement[] {
  return deployPolicy(deployed, onlyReads);
}

/** The policy for Terraform's state in S3; the needs of other backends are not known. */
function statePolicy({ config: { state }, place }: Deployed): PolicyStatement[] {
  if (state?.backend !== 's3') return [];
  const { bucket, key = DEFAULT_STATE_KEY } = state as { bucket: string; key?: string };
  const arns = arnsOf('aws_s3_bucket', bucket, place);
  const objects = arns.flatMap(arn => [`${arn}/${key}`, `${arn}/${key}.tflock`]);
  return [...allow(STATE_ACTIONS.object, objects), ...allow(STATE_ACTIONS.bucket, arns)];
}

function patternsOf(type: ArnType, deployed: Deployed): string[] {
  return namesOf(type, deployed).flatMap(name => arnsOf(type, name, deployed.place));
}

/** Name patterns of a type: each prefix, followed by `*`. */
function namesOf(type: ArnType, { deployments }: Deployed): string[] {
  const sweeps = deployments.map(({ name }) => name);
  const tables = deployments.flatMap(deployment => deployment.tables);
  const prefixes = [...new Set([...sweeps, ...tables.map(({ name }) => name)])];
  const shortest = prefixes.filter(prefix => !prefixes.some(other => prefix.startsWith(`${other}-`)));
  const named = shortest.map(prefix => `${prefix}-*`);
  const rolePaths = [...new Set(tables.map(({ rolePath = '/' }) => rolePath.slice(1)))];
  switch (type) {
    case 'aws_cloudwatch_log_group':
      return [
        ...named.map(name => `/aws/lambda/${name}`),
        ...[...sweeps, ...named].map(name => `/aws/vendedlogs/states/${name}`),
      ];
    case 'aws_dynamodb_table':
      return [...tables.map(({ tableName }) => tableName), ...sweeps.map(journalName)];
    case 'aws_iam_policy':
    case 'aws_iam_role':
      return rolePaths.flatMap(path => named.map(name => `${path}${name}`));
    case 'aws_lambda_event_source_mapping':
      return ['*'];
    case 'aws_s3_bucket':
      return tables.map(({ name }) => `${bucketPrefixOf(name)}*`);
    case 'aws_scheduler_schedule':
      return [...sweeps, ...tables.filter(hasProof).map(({ name }) => proofName(name))].map(
        name => `${name}/*`,
      );
    case 'aws_scheduler_schedule_group':
      return [...sweeps, ...tables.filter(hasProof).map(({ name }) => proofName(name))];
    case 'aws_cloudwatch_dashboard':
      return sweeps;
    case 'aws_sfn_state_machine':
      return [...sweeps, ...named];
    default:
      return named;
  }
}

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
