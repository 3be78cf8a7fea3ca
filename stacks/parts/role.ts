import { IamRole } from '@cdktf/provider-aws/lib/iam-role/index.js';
import type { ITerraformDependable } from 'cdktf';
import { Construct } from 'constructs';
import type { ResolvedProps, RoleKey } from '../../config/props.ts';
import type { Place } from './place.ts';
import { attachPolicies, type Statement } from './role-policies.ts';
import { tagged } from './tagged.ts';

export interface ServiceRoleProps {
  readonly place: Place;
  readonly name: string;
  /** The service that takes the role, e.g. `lambda.amazonaws.com`. */
  readonly service: string;
  /** Only on behalf of this account, and where given of this resource: no other customer's may borrow the role. */
  readonly account?: string;
  readonly sourceArn?: string | readonly string[];
  readonly statements: readonly Statement[];
  /** Which one it is of those that can be made elsewhere. */
  readonly key: RoleKey;
  readonly sweep: Pick<
    ResolvedProps,
    'permissionsBoundary' | 'roleArns' | 'rolePath' | 'tableRoleArns' | 'tags'
  >;
}

/** A role for one service to do only what its statements say; or one that is made elsewhere, which others give these statements. */
export class ServiceRole extends Construct {
  readonly arn: string;
  /** Undefined when it is made elsewhere. */
  readonly role: IamRole | undefined;
  /** The policies on which a resource must depend when it needs the permissions at its own creation. */
  readonly policies: readonly ITerraformDependable[];

  constructor(
    scope: Construct,
    id: string,
    { place, name, service, account, sourceArn, statements, key, sweep }: ServiceRoleProps,
  ) {
    super(scope, id);
    const given = { ...sweep.roleArns, ...sweep.tableRoleArns }[key];
    if (given !== undefined) {
      this.arn = given;
      this.policies = [];
      return;
    }
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
    this.policies = attachPolicies(this, { place, name, role: this.role, statements, sweep });
  }
}
