import { IamPolicy } from '@cdktf/provider-aws/lib/iam-policy/index.js';
import { IamRole } from '@cdktf/provider-aws/lib/iam-role/index.js';
import { IamRolePolicy } from '@cdktf/provider-aws/lib/iam-role-policy/index.js';
import { IamRolePolicyAttachment } from '@cdktf/provider-aws/lib/iam-role-policy-attachment/index.js';
import type { ITerraformDependable } from 'cdktf';
import { Construct } from 'constructs';
import { refuse } from '../config/config.ts';
import type { ResolvedProps } from '../config/props.ts';
import type { Place } from './place.ts';
import type { SweptTable } from './swept-table.ts';

/** Maximum characters of all inline policies of a role. Source, also of the next two limits: IAM User Guide, "IAM and AWS STS quotas". */
export const INLINE_CHARACTERS = 10_240;

const MANAGED_CHARACTERS = 6_144;

const MANAGED_POLICIES = 10;

export interface Statement {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export function keyStatement(
  kmsKeyArn: string | undefined,
  actions: readonly string[],
  condition: Statement['condition'] & object,
): Statement {
  return { actions, resources: kmsKeyArn === undefined ? [] : [kmsKeyArn], condition };
}

function documentOf(statements: readonly object[]): string {
  return JSON.stringify({ Version: '2012-10-17', Statement: statements });
}

function inIam({ actions, resources, condition }: Statement): object {
  return {
    Effect: 'Allow',
    Action: actions,
    Resource: resources,
    ...(condition && { Condition: condition }),
  };
}

export function grouped(statements: readonly Statement[]): Statement[] {
  const groups = Map.groupBy(
    statements.filter(({ resources }) => resources.length > 0),
    ({ resources, ...rest }) => JSON.stringify(rest),
  );
  return [...groups.values()].map(([first, ...others]) => {
    const resources = [first, ...others].flatMap(each => each?.resources ?? []);
    return { ...(first as Statement), resources: [...new Set(resources)] };
  });
}

/** Divides the statements among policies: the first is inline, all others are managed. A statement's resources may be divided, too. */
function spread(statements: readonly Statement[], place: Place): Statement[][] {
  const empty = place.lengthOf(documentOf([]));
  const policies: Statement[][] = [[]];
  let room = INLINE_CHARACTERS - empty;
  for (const statement of statements) {
    const own = place.lengthOf(JSON.stringify(inIam({ ...statement, resources: [] }))) + 1;
    let resources: string[] = [];
    for (const resource of statement.resources) {
      const length = place.lengthOf(JSON.stringify(resource)) + 1;
      if ((resources.length === 0 ? own + length : length) > room) {
        policies.push([]);
        room = MANAGED_CHARACTERS - empty;
        resources = [];
      }
      if (resources.length === 0) {
        policies.at(-1)?.push({ ...statement, resources });
        room -= own;
      }
      resources.push(resource);
      room -= length;
    }
  }
  return policies;
}

export interface ServiceRoleProps {
  readonly place: Place;
  readonly name: string;
  readonly service: string;
  /** If set, the service may use the role only for these resources of this account, so not for another account. */
  readonly sourceArn?: string | readonly string[];
  readonly statements: readonly Statement[];
}

export class ServiceRole extends Construct {
  readonly arn: string;
  readonly role: IamRole;
  /** A resource whose creation needs the role's permissions must depend on these policies. */
  readonly policies: readonly ITerraformDependable[];

  /** @throws InvalidConfigError when the statements exceed the limits of a role */
  constructor(
    scope: Construct,
    id: string,
    { place, name, service, sourceArn, statements }: ServiceRoleProps,
  ) {
    super(scope, id);
    const source = sourceArn && {
      StringEquals: { 'aws:SourceAccount': place.account },
      ArnLike: { 'aws:SourceArn': sourceArn },
    };
    const trust = {
      Effect: 'Allow',
      Principal: { Service: `${service}.amazonaws.com` },
      Action: 'sts:AssumeRole',
      ...(source && { Condition: source }),
    };
    this.role = new IamRole(this, 'role', { name, assumeRolePolicy: documentOf([trust]) });
    this.node.defaultChild = this.role;
    this.arn = this.role.arn;
    const [inline = [], ...managed] = spread(grouped(statements), place);
    if (managed.length > MANAGED_POLICIES) {
      const expected = `what the role ${name} may do in one inline policy and ${MANAGED_POLICIES} managed ones`;
      const remedy =
        'Put some of the tables into another configuration, with another deployment, which has roles of its own.';
      refuse([{ field: 'tables', expected, got: `${managed.length} managed ones`, remedy }]);
    }
    // With `role: id`, a replaced role gets new policies. With its name they would stay, and IAM deletes no role with policies.
    const role = this.role.id;
    const own = new IamRolePolicy(this, 'policy', { name, role, policy: documentOf(inline.map(inIam)) });
    const attachments = managed.map((each, index) => {
      const policy = new IamPolicy(this, `policy-${index + 2}`, {
        name: `${name}-${index + 2}`,
        policy: documentOf(each.map(inIam)),
      });
      return new IamRolePolicyAttachment(this, `attachment-${index + 2}`, { role, policyArn: policy.arn });
    });
    this.policies = [own, ...attachments];
  }
}

/** Permissions on a table's KMS key, as the AWS CDK grants them. Source: perms.ts in the CDK's aws-dynamodb. */
const TO_READ = ['kms:Decrypt', 'kms:DescribeKey'];
const TO_WRITE = ['kms:Encrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*'];

/**
 * Permissions on `tableKmsKeyArn`, if it is set, for a role that calls DynamoDB: DynamoDB uses the key with the role's permissions.
 * @param access `write` includes reading: each delete reads the item
 */
export function tableKeyStatements(
  access: 'read' | 'write',
  { tableKmsKeyArn }: { readonly tableKmsKeyArn?: string | undefined },
  place: Place,
): Statement[] {
  // The end of DynamoDB's domain differs between AWS's partitions: com, com.cn, eu.
  const viaService = { 'kms:ViaService': `dynamodb.${place.region}.amazonaws.*` };
  const actions = access === 'read' ? TO_READ : [...TO_READ, ...TO_WRITE];
  return [keyStatement(tableKmsKeyArn, actions, { StringLike: viaService })];
}

export function queryStatements(table: SweptTable, place: Place): Statement[] {
  const { props, indexArn } = table;
  return [
    { actions: ['dynamodb:Query'], resources: [indexArn] },
    ...tableKeyStatements('read', props, place),
  ];
}

export function deleteStatements({ props, tableArn }: SweptTable, place: Place): Statement[] {
  return [
    {
      actions: [props.deleteMode === 'guarded' ? 'dynamodb:PartiQLDelete' : 'dynamodb:BatchWriteItem'],
      resources: [tableArn],
    },
    ...tableKeyStatements('write', props, place),
  ];
}

/**
 * Permissions on the KMS key for a sender: to make data keys, and for SQS and SNS also to decrypt them. Sources: guides of SQS ("Configure
 * KMS permissions for producers"), SNS and Kinesis.
 */
export function senderKeyStatement(
  { kmsKeyArn }: Pick<ResolvedProps, 'kmsKeyArn'>,
  arn: string,
  by: 'aws:sqs:arn' | 'aws:sns:topicArn' | 'aws:kinesis:arn' = 'aws:sqs:arn',
): Statement {
  const actions = ['kms:GenerateDataKey'];
  if (by !== 'aws:kinesis:arn') actions.unshift('kms:Decrypt');
  return keyStatement(kmsKeyArn, actions, { StringEquals: { [`kms:EncryptionContext:${by}`]: arn } });
}
