import { DataAwsCallerIdentity } from '@cdktf/provider-aws/lib/data-aws-caller-identity/index.js';
import { DataAwsPartition } from '@cdktf/provider-aws/lib/data-aws-partition/index.js';
import { DataAwsRegion } from '@cdktf/provider-aws/lib/data-aws-region/index.js';
import { IamRole } from '@cdktf/provider-aws/lib/iam-role/index.js';
import { IamRolePolicy } from '@cdktf/provider-aws/lib/iam-role-policy/index.js';
import { Construct } from 'constructs';
import type { ResolvedProps } from '../props.ts';
import { tagged } from './tagged.ts';

/** Where things are deployed, for ARNs that are known before the thing exists. */
export class Place extends Construct {
  readonly account: string;
  readonly partition: string;
  /** What the services' names end with in URLs: `amazonaws.com`. */
  readonly dnsSuffix: string;
  readonly region: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.account = new DataAwsCallerIdentity(this, 'identity', {}).accountId;
    const { partition, dnsSuffix } = new DataAwsPartition(this, 'partition', {});
    this.partition = partition;
    this.dnsSuffix = dnsSuffix;
    this.region = new DataAwsRegion(this, 'region', {}).region;
  }

  arn(service: string, resource: string): string {
    return `arn:${this.partition}:${service}:${this.region}:${this.account}:${resource}`;
  }
}

/** What a role may do, or with the effect `Deny` may not. */
export interface Statement {
  /** @default 'Allow' */
  readonly effect?: 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** As in IAM's JSON: operator → key → value. @default none */
  readonly condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export interface ServiceRoleProps {
  readonly name: string;
  /** The service that takes the role, e.g. `lambda.amazonaws.com`. */
  readonly service: string;
  /** Only on behalf of this account, and where given of this resource: no other customer's may borrow the role. */
  readonly account?: string;
  readonly sourceArn?: string | readonly string[];
  readonly statements: readonly Statement[];
  readonly sweep: Pick<ResolvedProps, 'permissionsBoundary' | 'rolePath' | 'tags'>;
}

/** A role for one service to do only what its statements say. */
export class ServiceRole extends Construct {
  readonly arn: string;
  readonly role: IamRole;
  /** What a resource must depend on when it needs the permissions at its own creation. */
  readonly policy: IamRolePolicy;

  constructor(
    scope: Construct,
    id: string,
    { name, service, account, sourceArn, statements, sweep }: ServiceRoleProps,
  ) {
    super(scope, id);
    const condition = {
      ...(account && { StringEquals: { 'aws:SourceAccount': account } }),
      ...(sourceArn && { ArnLike: { 'aws:SourceArn': sourceArn } }),
    };
    const { permissionsBoundary, rolePath } = sweep;
    this.role = new IamRole(this, 'role', {
      name,
      ...(rolePath !== undefined && { path: rolePath }),
      ...(permissionsBoundary !== undefined && { permissionsBoundary }),
      ...tagged(sweep),
      assumeRolePolicy: JSON.stringify({
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { Service: service },
            Action: 'sts:AssumeRole',
            ...(Object.keys(condition).length > 0 && { Condition: condition }),
          },
        ],
      }),
    });
    this.node.defaultChild = this.role;
    this.arn = this.role.arn;
    this.policy = new IamRolePolicy(this, 'policy', {
      name,
      // Not its name, which stays when the path makes the role anew: a role that still has its policy cannot be deleted.
      role: this.role.id,
      policy: JSON.stringify({
        Version: '2012-10-17',
        Statement: statements.map(({ effect = 'Allow', actions, resources, condition }) => ({
          Effect: effect,
          Action: actions,
          Resource: resources,
          ...(condition && { Condition: condition }),
        })),
      }),
    });
  }
}
