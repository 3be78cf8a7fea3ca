import { CloudwatchLogGroup } from '@cdktf/provider-aws/lib/cloudwatch-log-group/index.js';
import { SfnStateMachine } from '@cdktf/provider-aws/lib/sfn-state-machine/index.js';
import { Construct } from 'constructs';
import type { ResolvedProps, RoleKey } from '../../config/props.ts';
import { equal, given, NONE, present, when } from '../../config/values.ts';
import type { Place } from './place.ts';
import { ServiceRole } from './role.ts';
import type { Statement } from './role-policies.ts';
import { tagged } from './tagged.ts';

/** Step Functions' own default. Left out, the next plan would find it and want to take it away. */
const KEY_REUSE_SECONDS = 300;

const TRACING_ACTIONS = [
  'xray:GetSamplingRules',
  'xray:GetSamplingTargets',
  'xray:PutTelemetryRecords',
  'xray:PutTraceSegments',
];

export interface WorkflowProps {
  readonly place: Place;
  /** Only a Standard one can have a distributed Map. */
  readonly type: 'STANDARD' | 'EXPRESS';
  /** Name of the state machine, and of its log. */
  readonly name: string;
  readonly roleName: string;
  /** Which one of the roles that can be made elsewhere it has. */
  readonly roleKey: RoleKey;
  /** ARNs of the functions that it calls. */
  readonly functionArns: readonly string[];
  /** ARNs of other state machines that it starts. @default none */
  readonly starts?: readonly string[];
  /** Its further permissions. @default none */
  readonly statements?: readonly Statement[];
  /** As Amazon States Language, an object. */
  readonly definition: unknown;
  readonly sweep: Pick<
    ResolvedProps,
    | 'kmsKeyArn'
    | 'logKeys'
    | 'logRetentionDays'
    | 'permissionsBoundary'
    | 'roleArns'
    | 'rolePath'
    | 'tableRoleArns'
    | 'tags'
    | 'tracing'
  >;
}

/** A state machine, its log and its role. */
export class Workflow extends Construct {
  readonly arn: string;
  readonly stateMachineName: string;
  readonly stateMachine: SfnStateMachine;
  readonly logGroup: CloudwatchLogGroup;
  readonly role: ServiceRole;

  constructor(
    scope: Construct,
    id: string,
    {
      place,
      type,
      name,
      roleName,
      roleKey,
      functionArns,
      starts = [],
      statements = [],
      definition,
      sweep,
    }: WorkflowProps,
  ) {
    super(scope, id);
    const { kmsKeyArn, logKeys, tracing } = sweep;
    const machineArn = place.arn('states', `stateMachine:${name}`);
    this.logGroup = new CloudwatchLogGroup(this, 'logs', {
      // The prefix keeps the log's resource policy, which has a small limit per region, from growing per machine.
      name: `/aws/vendedlogs/states/${name}`,
      retentionInDays: sweep.logRetentionDays,
      ...(kmsKeyArn !== undefined && { kmsKeyId: kmsKeyArn }),
      ...tagged(sweep),
    });
    this.role = new ServiceRole(this, 'role', {
      place,
      name: roleName,
      service: 'states.amazonaws.com',
      account: place.account,
      // The second form is that of a distributed Map's children.
      sourceArn: [machineArn, `${machineArn}/*`],
      statements: [
        { actions: ['lambda:InvokeFunction'], resources: [...functionArns] },
        // A distributed Map runs its children as executions of the machine itself, and a tick with much to do starts further ones.
        { actions: ['states:StartExecution'], resources: [machineArn, ...starts] },
        ...(type === 'STANDARD' ? [mapRunStatement(place, name)] : []),
        ...statements,
        // Neither the delivery of logs nor tracing knows resources. Source: Step Functions Developer Guide.
        {
          actions: [
            'logs:CreateLogDelivery',
            'logs:DeleteLogDelivery',
            'logs:DescribeLogGroups',
            'logs:DescribeResourcePolicies',
            'logs:GetLogDelivery',
            'logs:ListLogDeliveries',
            'logs:PutResourcePolicy',
            'logs:UpdateLogDelivery',
          ],
          resources: ['*'],
        },
        ...keyStatements(kmsKeyArn, place, machineArn),
        { actions: TRACING_ACTIONS, resources: when(tracing, ['*'], []) },
      ],
      key: roleKey,
      sweep,
    });
    this.stateMachine = new SfnStateMachine(this, 'machine', {
      name,
      type,
      roleArn: this.role.arn,
      // Not Fn.jsonencode: it escapes `<`, and what Terraform leaves alone here must reach Step Functions unchanged.
      definition: JSON.stringify(definition),
      loggingConfiguration: {
        level: 'ERROR',
        // The data of the states have the keys that are to be deleted.
        includeExecutionData: equal(logKeys, 'full'),
        logDestination: `${this.logGroup.arn}:*`,
      },
      // Never left out: the provider would leave the machine with a key that it had, and that its role may no longer use.
      encryptionConfiguration: {
        type: when(given(kmsKeyArn), 'CUSTOMER_MANAGED_KMS_KEY', 'AWS_OWNED_KEY'),
        ...(kmsKeyArn !== undefined && {
          kmsKeyId: kmsKeyArn,
          kmsDataKeyReusePeriodSeconds: when(given(kmsKeyArn), KEY_REUSE_SECONDS, NONE),
        }),
      },
      // Said when it is off, too: without the block the provider leaves on what was on.
      tracingConfiguration: { enabled: tracing },
      // Step Functions checks at creation that the role can write the log.
      dependsOn: [...this.role.policies],
      ...tagged(sweep),
    });
    this.node.defaultChild = this.stateMachine;
    this.arn = this.stateMachine.arn;
    this.stateMachineName = name;
  }
}

/** The first form is that of a Map Run's children; AWS's own example policy for distributed Maps has the second. */
function mapRunStatement(place: Place, name: string): Statement {
  return {
    actions: ['states:DescribeExecution', 'states:StopExecution'],
    resources: [place.arn('states', `execution:${name}/*`), place.arn('states', `execution:${name}:*`)],
  };
}

/**
 * Permissions of Step Functions on a customer's key by the role of a state machine: for its history and that of its Map Run's
 * children, and for its log. Source: Step Functions Developer Guide, "Data at rest encryption"; AWS CDK, `StateMachine`.
 */
function keyStatements(kmsKeyArn: string | undefined, place: Place, machineArn: string): Statement[] {
  const ofMachine = { 'kms:EncryptionContext:aws:states:stateMachineArn': [machineArn, `${machineArn}/*`] };
  return [
    {
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: present(kmsKeyArn),
      condition: { StringLike: ofMachine },
    },
    {
      actions: ['kms:GenerateDataKey'],
      resources: present(kmsKeyArn),
      condition: { StringEquals: { 'kms:EncryptionContext:SourceArn': place.arn('logs', '*') } },
    },
  ];
}
