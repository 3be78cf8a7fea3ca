import { IamRole } from '@cdktf/provider-aws/lib/iam-role/index.js';
import type { ITerraformDependable } from 'cdktf';
import { Construct } from 'constructs';
import type { ResolvedProps } from '../../config/props.ts';
import type { Place } from './place.ts';
import { attachPolicies, type Statement } from './role-policies.ts';
import { tagged } from './tagged.ts';

export interface ServiceRoleProps {
  readonly place: Place;
  readonly name: string;
  /** The service that assumes the role, e.g. `lambda.amazonaws.com`. */
  readonly service: string;
  /** Restricts the trust to this account and, if set, this resource, so that no other customer can use the role through the service. */
  readonly account?: string;
  readonly sourceArn?: string | readonly string[];
  readonly statements: readonly Statement[];
  readonly sweep: Pick<ResolvedProps, 'permissionsBoundary' | 'tags'>;
}

/** A role with which one service may do only what its statements allow. */
export class ServiceRole extends Construct {
  readonly arn: string;
  readonly role: IamRole;
  /** The policies on which a resource must depend if its creation needs the permissions. */
  readonly policies: readonly ITerraformDependable[];

  constructor(
    scope: Construct,
    id: string,
    { place, name, service, account, sourceArn, statements, sweep }: ServiceRoleProps,
  ) {
    super(scope, id);
    const condition = {
      ...(account && { StringEquals: { 'aws:SourceAccount': account } }),
      ...(sourceArn && { ArnLike: { 'aws:SourceArn': sourceArn } }),
    };
    const { permissionsBoundary } = sweep;
    this.role = new IamRole(this, 'role', {
      name,
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
