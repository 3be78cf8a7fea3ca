import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deployPolicy, pipelinePolicy } from '../../cli/iam/policies.ts';
import type { PolicyStatement } from '../../cli/iam/policy.ts';
import { type RoleDocuments, roleDocuments } from '../../cli/iam/role-documents.ts';
import { checkConfig, type DeploymentConfig } from '../../config/config.ts';
import { deploymentsOf } from '../../config/deployments.ts';
import { resolveProps } from '../../config/props.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { useFreshDeployment } from './support/fresh-deployment.ts';
import { describeWithTerraform } from './support/proof.ts';

const PLACE = { partition: 'aws', region: 'us-east-1', account: '123456789012' };
const TABLE = {
  ...SESSION_DATA,
  archive: { first: true },
  events: { eventBus: 'default' },
  index: { backfill: true },
};
const CONFIG = configOf(TABLE);
const LOG = join(tmpdir(), `precise-ttl-permissions-${process.pid}.jsonl`);

const deploymentsIn = (config: DeploymentConfig) =>
  deploymentsOf(checkConfig(config).tables.map(resolveProps));

/** As IAM calls services. */
const SERVICES: Readonly<Record<string, string>> = {
  CloudWatch: 'cloudwatch',
  'CloudWatch Logs': 'logs',
  DynamoDB: 'dynamodb',
  IAM: 'iam',
  Lambda: 'lambda',
  S3: 's3',
  SFN: 'states',
  SNS: 'sns',
  SQS: 'sqs',
  STS: 'sts',
  Scheduler: 'scheduler',
};

/** As IAM calls what S3 is called by. Source: AWS Service Authorization Reference, as each action's description. */
const OF_S3: Readonly<Record<string, string>> = {
  DeleteBucketTagging: 'PutBucketTagging',
  GetBucketEncryption: 'GetEncryptionConfiguration',
  GetBucketLifecycleConfiguration: 'GetLifecycleConfiguration',
  GetPublicAccessBlock: 'GetBucketPublicAccessBlock',
  HeadBucket: 'ListBucket',
  PutBucketEncryption: 'PutEncryptionConfiguration',
  PutBucketLifecycleConfiguration: 'PutLifecycleConfiguration',
  PutPublicAccessBlock: 'PutBucketPublicAccessBlock',
};

/** The actions of what was called, each once. */
function actionsCalled(): string[] {
  const lines = readFileSync(LOG, 'utf8').trim().split('\n');
  const calls = lines.map(line => JSON.parse(line) as { service: string; call: string });
  return [
    ...new Set(
      calls.map(({ service, call }) => `${SERVICES[service]}:${(service === 'S3' && OF_S3[call]) || call}`),
    ),
  ];
}

const allowedBy = (statements: readonly PolicyStatement[]) => statements.flatMap(({ Action }) => Action);

describeWithTerraform('what `precise-ttl iam` prints', () => {
  const on = useFreshDeployment();
  beforeEach(() => rmSync(LOG, { force: true }));
  afterAll(() => rmSync(LOG, { force: true }));

  test('is enough to deploy, to plan and to destroy', async () => {
    const deployed = { config: CONFIG, deployments: deploymentsIn(CONFIG), place: PLACE };
    const environment = { STUB_AWS_LOG: LOG };
    await on.deployment.deploy(CONFIG, { environment });
    await on.deployment.deploy(CONFIG, { removed: true, environment });
    const called = actionsCalled();
    expect(called.length).toBeGreaterThan(60);
    expect(called.filter(action => !allowedBy(deployPolicy(deployed)).includes(action))).toEqual([]);
  });

  test('is enough for a pipeline that plans what is deployed', async () => {
    await on.deployment.deploy(CONFIG);
    const { status } = await on.deployment.terraform(['plan', '-input=false'], { STUB_AWS_LOG: LOG });
    expect(status).toBe(0);
    const called = actionsCalled();
    expect(called.length).toBeGreaterThan(20);
    const deployed = { config: CONFIG, deployments: deploymentsIn(CONFIG), place: PLACE };
    expect(called.filter(action => !allowedBy(pipelinePolicy(deployed)).includes(action))).toEqual([]);
  });

  test('makes roles elsewhere that take the place of those of the deployment', async () => {
    await on.deployment.deploy(CONFIG);
    const roles = await roleDocuments(checkConfig(CONFIG), deploymentsIn(CONFIG), PLACE);
    const [roleArns, tableRoleArns] = await Promise.all(
      ['deployment precise-ttl', 'table SessionData'].map(async owner => {
        const made = Object.entries(roles[owner] ?? {}).map(async ([key, role]) => [
          key,
          await makeRole(key, role),
        ]);
        return Object.fromEntries(await Promise.all(made));
      }),
    );
    const actions = await on.deployment.deploy(
      configOf({ ...TABLE, roleArns: { ...roleArns, ...tableRoleArns } }),
    );
    expect(Object.keys(actions).sort()).toEqual(['delete', 'update']);
    const types = (addresses: readonly string[] = []) =>
      [...new Set(addresses.map(each => each.split('.')[0]))].sort();
    expect(types(actions['delete'])).toEqual(['aws_iam_role', 'aws_iam_role_policy']);
    expect(types(actions['update'])).toEqual([
      'aws_lambda_function',
      'aws_scheduler_schedule',
      'aws_sfn_state_machine',
    ]);
  });

  test('lets roles made elsewhere be there from the beginning', async () => {
    const roles = await roleDocuments(checkConfig(CONFIG), deploymentsIn(CONFIG), PLACE);
    const publisher = roles['table SessionData']?.PublishExpiries;
    if (publisher === undefined) throw new Error('expected a role of the events');
    const PublishExpiries = await makeRole('PublishExpiries', publisher);
    const table = configOf({ ...TABLE, roleArns: { PublishExpiries } });
    const actions = await on.deployment.deploy(table);
    expect(actions['create']?.filter(address => /publish-expiries_role/.test(address))).toEqual([]);
  });

  /** @returns its ARN */
  async function makeRole(key: string, { trust, policies }: RoleDocuments): Promise<string> {
    const RoleName = `made-${key}`;
    await iam({
      Action: 'CreateRole',
      Path: '/elsewhere/',
      RoleName,
      AssumeRolePolicyDocument: JSON.stringify(trust),
    });
    const [policy] = policies;
    await iam({
      Action: 'PutRolePolicy',
      RoleName,
      PolicyName: 'own',
      PolicyDocument: JSON.stringify(policy),
    });
    return `arn:aws:iam::${PLACE.account}:role/elsewhere/${RoleName}`;
  }

  async function iam(call: Readonly<Record<string, string>>): Promise<void> {
    const answer = await fetch(on.aws.endpoint, {
      method: 'POST',
      headers: { authorization: 'AWS4-HMAC-SHA256 Credential=mock/20260101/us-east-1/iam/aws4_request' },
      body: new URLSearchParams({ ...call, Version: '2010-05-08' }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
});
