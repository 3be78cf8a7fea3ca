// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a name that looks like Terraform's templates
import { readFileSync } from 'node:fs';
import { arnsOf, hasArn } from '../../cli/iam/arns.ts';
import { deployPolicy, pipelinePolicy } from '../../cli/iam/policies.ts';
import { charactersOf, documentsOf, MANAGED_CHARACTERS, type PolicyStatement } from '../../cli/iam/policy.ts';
import { type RoleDocuments, roleDocuments } from '../../cli/iam/role-documents.ts';
import { DEPLOY_ACTIONS } from '../../cli/iam-actions.ts';
import { checkConfig, type DeploymentConfig } from '../../config/config.ts';
import { deploymentsOf } from '../../config/deployments.ts';
import { DEPLOYMENT_ROLES, resolveProps, TABLE_ROLES } from '../../config/props.ts';
import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { configOf } from '../support/configs.ts';
import { covers, type Grant } from '../support/permissions/policy.ts';

const PLACE = { partition: 'aws', region: 'us-east-1', account: '123456789012' };
const KEY = 'arn:aws:kms:us-east-1:123456789012:key/0';

const EVERYTHING = configOf(
  {
    tableName: 'Orders',
    partitionKey: 'id',
    hold: '${held}',
    archive: { first: true },
    events: { eventBus: 'default' },
    index: { backfill: true },
    kmsKeyArn: KEY,
    tableKmsKeyArn: `${KEY}1`,
  },
  {
    tableName: 'There',
    partitionKey: 'id',
    existingTable: true,
    sweep: 'other',
    name: 'there',
    rolePath: '/a/b/',
  },
);

const deployed = (config: DeploymentConfig) => ({
  config,
  place: PLACE,
  deployments: deploymentsOf(checkConfig(config).tables.map(resolveProps)),
});

const grantsOf = (statements: readonly PolicyStatement[]): Grant[] =>
  statements.flatMap(({ Action, Resource }) =>
    Action.flatMap(action => Resource.map(resource => ({ action, resource }))),
  );

const isAllowed = (grants: readonly Grant[], action: string, resource: string) =>
  grants.some(grant =>
    grant.resource === '*' ? grant.action === action : covers(grant, { action, resource }),
  );

/** Type and ARN of every synthesized resource that has an ARN. */
function synthesizedArns(config: DeploymentConfig): { type: string; arn: string }[] {
  const { blocks } = synthesizedCloud(plainStack(config));
  return blocks.flatMap(({ type, body }) => {
    if (!hasArn(type)) return [];
    const { name, function_name, alarm_name, dashboard_name, bucket_prefix, group_name, path = '/' } = body;
    const own = String(name ?? function_name ?? alarm_name ?? dashboard_name ?? `${bucket_prefix}20261122`);
    const inPath = type.startsWith('aws_iam_') ? `${String(path).slice(1)}${own}` : own;
    const inGroup = group_name === undefined ? inPath : `${group_name}/${own}`;
    return arnsOf(type, inGroup, PLACE).map(arn => ({ type, arn }));
  });
}

describe('what deploying is allowed', () => {
  const grants = grantsOf(deployPolicy(deployed(EVERYTHING)));

  test('is every action that Terraform needs, on everything that is synthesized', () => {
    const arns = synthesizedArns(EVERYTHING);
    expect(new Set(arns.map(({ type }) => type)).size).toBe(13);
    const lacking = arns.flatMap(({ type, arn }) =>
      (DEPLOY_ACTIONS[type] ?? [])
        .filter(action => !isAllowed(grants, action, arn))
        .map(action => [action, arn]),
    );
    expect(lacking).toEqual([]);
  });

  test('is nothing on what has other names', () => {
    const strange = ['precise-ttl2', 'others', 'Orders2', 'precise'];
    const wide = strange.flatMap(name =>
      Object.entries(DEPLOY_ACTIONS).flatMap(([type, actions]) =>
        hasArn(type) && type !== 'aws_lambda_event_source_mapping'
          ? arnsOf(type, name, PLACE).flatMap(arn =>
              actions
                .filter(action =>
                  grants.some(grant => grant.resource !== '*' && covers(grant, { action, resource: arn })),
                )
                .map(action => [action, arn]),
            )
          : [],
      ),
    );
    expect(wide).toEqual([]);
  });

  test('is not to delete a table but the journal, nor a bucket, nor what is in them', () => {
    const deleting = grants.filter(({ action }) => action === 'dynamodb:DeleteTable');
    expect(deleting.map(({ resource }) => resource)).toEqual([
      'arn:aws:dynamodb:us-east-1:123456789012:table/other-journal',
      'arn:aws:dynamodb:us-east-1:123456789012:table/precise-ttl-journal',
    ]);
    const actions = grants.map(({ action }) => action);
    for (const action of ['dynamodb:Scan', 's3:DeleteBucket', 's3:GetObject'])
      expect(actions).not.toContain(action);
  });

  test('passes roles to the services that take them only, also those that are made elsewhere', () => {
    const elsewhere = 'arn:aws:iam::123456789012:role/made/sweeper';
    const [table] = EVERYTHING.tables;
    const config = configOf({
      ...(table as object as { tableName: string; partitionKey: string }),
      roleArns: { sweep: elsewhere },
    });
    const [pass, another] = deployPolicy(deployed(config)).filter(({ Action }) =>
      Action.includes('iam:PassRole'),
    );
    expect(another).toBeUndefined();
    expect(pass?.Action).toEqual(['iam:PassRole']);
    expect(pass?.Resource).toContain(elsewhere);
    expect(pass?.Condition).toEqual({
      StringEquals: {
        'iam:PassedToService': ['lambda.amazonaws.com', 'scheduler.amazonaws.com', 'states.amazonaws.com'],
      },
    });
  });

  test('fits into policies of a size that IAM takes', () => {
    const tables = Array.from({ length: 100 }, (_none, index) => ({
      tableName: `Table${index}`,
      partitionKey: 'id',
    }));
    for (const config of [EVERYTHING, configOf(...tables)]) {
      const documents = documentsOf(deployPolicy(deployed(config)));
      expect(documents.map(charactersOf).filter(size => size > MANAGED_CHARACTERS)).toEqual([]);
      expect(documents.flatMap(({ Statement }) => Statement)).toEqual(deployPolicy(deployed(config)));
    }
  });
});

describe('what a pipeline that plans is allowed', () => {
  const state = { backend: 's3', bucket: 'states', key: 'ttl' };
  const grants = grantsOf(pipelinePolicy(deployed({ ...EVERYTHING, state })));

  test('changes nothing but the lock of the state', () => {
    const changing = grants.filter(({ action }) => !/:(Get|List|Describe|Validate|Decrypt)/.test(action));
    expect(changing.map(({ action, resource }) => `${action} ${resource}`).sort()).toEqual([
      's3:DeleteObject arn:aws:s3:::states/ttl',
      's3:DeleteObject arn:aws:s3:::states/ttl.tflock',
      's3:PutObject arn:aws:s3:::states/ttl',
      's3:PutObject arn:aws:s3:::states/ttl.tflock',
    ]);
  });

  test('reads everything that is synthesized', () => {
    const lacking = synthesizedArns(EVERYTHING).flatMap(({ type, arn }) =>
      (DEPLOY_ACTIONS[type] ?? [])
        .filter(action => /:(Get|List|Describe)/.test(action) && !isAllowed(grants, action, arn))
        .map(action => [action, arn]),
    );
    expect(lacking).toEqual([]);
  });
});

describe('the roles', () => {
  const rolesOf = (config: DeploymentConfig) =>
    roleDocuments(checkConfig(config), deployed(config).deployments, PLACE);

  test('are those that are synthesized, with everything in the place of its references', async () => {
    const roles = await rolesOf(EVERYTHING);
    expect(Object.keys(roles)).toEqual([
      'deployment precise-ttl',
      'deployment other',
      'table Orders',
      'table There',
    ]);
    expect(Object.keys(roles['deployment precise-ttl'] ?? {})).toEqual(DEPLOYMENT_ROLES);
    expect(Object.keys(roles['table Orders'] ?? {}).sort()).toEqual([...TABLE_ROLES].sort());
    expect(roles['table There']).toEqual({});
    const { blocks } = synthesizedCloud(plainStack(EVERYTHING));
    const synthesized = blocks.filter(({ type }) => type === 'aws_iam_role').map(({ body }) => body['name']);
    const all = Object.values(roles).flatMap(each => Object.values(each) as RoleDocuments[]);
    expect(all.map(({ name }) => name).sort()).toEqual(synthesized.sort());
    // Only the attribute's name looks like a reference without being one.
    expect(JSON.stringify(roles).replaceAll('${held}', '')).not.toMatch(/[$%]\{/);
    expect(JSON.stringify(roles['deployment precise-ttl']?.QueryExpired)).toContain('"id","${held}"');
    expect(roles['deployment precise-ttl']?.DeleteChunk?.policies[0]?.Statement).toContainEqual({
      Effect: 'Allow',
      Action: ['dynamodb:PartiQLDelete'],
      Resource: ['arn:aws:dynamodb:us-east-1:123456789012:table/Orders'],
    });
  });

  test('are the same when they are made elsewhere, and then have their ARN', async () => {
    const elsewhere = 'arn:aws:iam::123456789012:role/made/elsewhere';
    const given = (keys: readonly string[]) => Object.fromEntries(keys.map(key => [key, elsewhere]));
    const [orders, there] = EVERYTHING.tables as [
      DeploymentConfig['tables'][0],
      DeploymentConfig['tables'][0],
    ];
    const config = configOf(
      { ...orders, roleArns: { ...given(DEPLOYMENT_ROLES), ...given(TABLE_ROLES) } },
      there,
    );
    const [before, roles] = [await rolesOf(EVERYTHING), await rolesOf(config)];
    for (const owner of ['deployment precise-ttl', 'table Orders']) {
      for (const [key, role] of Object.entries(before[owner] ?? {})) {
        expect(roles[owner]?.[key as keyof (typeof roles)[string]]).toEqual({ ...role, arn: elsewhere });
      }
    }
    expect(roles['deployment other']).toEqual(before['deployment other']);
  });
});

test('docs/reference/iam.md says what each word stands for', () => {
  const page = readFileSync('docs/reference/iam.md', 'utf8');
  for (const word of ['deploy', 'pipeline', 'operate', 'roles'])
    expect(page).toContain(`precise-ttl iam ${word}`);
});
