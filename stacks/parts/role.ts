import { DataAwsCallerIdentity } from '@cdktf/provider-aws/lib/data-aws-caller-identity/index.js';
import { DataAwsPartition } from '@cdktf/provider-aws/lib/data-aws-partition/index.js';
import { DataAwsRegion } from '@cdktf/provider-aws/lib/data-aws-region/index.js';
import { IamRole } from '@cdktf/provider-aws/lib/iam-role/index.js';
import { IamRolePolicy } from '@cdktf/provider-aws/lib/iam-role-policy/index.js';
import { Construct } from 'constructs';

/** Where things are deployed, for ARNs that are known before the thing exists. */
export class Place extends Construct {
  readonly account: string;
  readonly partition: string;
  readonly region: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.account = new DataAwsCallerIdentity(this, 'identity', {}).accountId;
    this.partition = new DataAwsPartition(this, 'partition', {}).partition;
    this.region = new DataAwsRegion(this, 'region', {}).region;
  }

  arn(service: string, resource: string): string {
    return `arn:${this.partition}:${service}:${this.region}:${this.account}:${resource}`;
  }
}

/** What a role may do. */
export interface Statement {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
}

export interface ServiceRoleProps {
  readonly name: string;
  /** The service that takes the role, e.g. `lambda.amazonaws.com`. */
  readonly service: string;
  /** Only on behalf of this account, and where given of this resource: no other customer's may borrow the role. */
  readonly account?: string;
  readonly sourceArn?: string;
  readonly statements: readonly Statement[];
}

/** A role for one service to do only what its statements say. */
export class ServiceRole extends Construct {
  readonly arn: string;
  /** What a resource must depend on when it needs the permissions at its own creation. */
  readonly policy: IamRolePolicy;

  constructor(
    scope: Construct,
    id: string,
    { name, service, account, sourceArn, statements }: ServiceRoleProps,
  ) {
    super(scope, id);
    const condition = {
      ...(account && { StringEquals: { 'aws:SourceAccount': account } }),
      ...(sourceArn && { ArnLike: { 'aws:SourceArn': sourceArn } }),
    };
    const role = new IamRole(this, 'role', {
      name,
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
    this.arn = role.arn;
    this.policy = new IamRolePolicy(this, 'policy', {
      name,
      role: role.name,
      policy: JSON.stringify({
        Version: '2012-10-17',
        Statement: statements.map(({ actions, resources }) => ({
          Effect: 'Allow',
          Action: actions,
          Resource: resources,
        })),
      }),
    });
  }
}
