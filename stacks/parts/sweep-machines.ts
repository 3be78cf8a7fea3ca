import { CloudwatchLogGroup } from '@cdktf/provider-aws/lib/cloudwatch-log-group/index.js';
import { SfnStateMachine } from '@cdktf/provider-aws/lib/sfn-state-machine/index.js';
import { Construct } from 'constructs';
import type { Deployment } from '../../config/deployments.ts';
import { replayName, sweepRole } from '../../config/names.ts';
import type { ResolvedProps } from '../../config/props.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';
import type { FunctionArns } from '../../statemachine/states.ts';
import type { Place } from './place.ts';
import { ServiceRole, type Statement } from './role.ts';
import { tagged } from './tagged.ts';

/** Step Functions' own default. If it were left out, the next plan would find it and try to remove it. */
const KEY_REUSE_SECONDS = 300;

export interface WorkflowProps {
  readonly place: Place;
  /** Only a Standard state machine can have a distributed Map. */
  readonly type: 'STANDARD' | 'EXPRESS';
  /** Name of the state machine and of its log. */
  readonly name: string;
  readonly roleName: string;
  /** ARNs of the functions that it calls. */
  readonly functionArns: readonly string[];
  /** ARNs of other state machines that it starts. @default none */
  readonly starts?: readonly string[];
  /** Further permissions. @default none */
  readonly statements?: readonly Statement[];
  /** The definition in Amazon States Language, as an object. */
  readonly definition: unknown;
  readonly sweep: Pick<
    ResolvedProps,
    'kmsKeyArn' | 'logKeys' | 'logRetentionDays' | 'permissionsBoundary' | 'tags'
  >;
}

/** A state machine, its log and its role. */
class Workflow extends Construct {
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
      functionArns,
      starts = [],
      statements = [],
      definition,
      sweep,
    }: WorkflowProps,
  ) {
    super(scope, id);
    const { kmsKeyArn, logKeys } = sweep;
    const machineArn = place.arn('states', `stateMachine:${name}`);
    this.logGroup = new CloudwatchLogGroup(this, 'logs', {
      // This prefix keeps the log's resource policy, which has a small limit per region, from growing with each state machine.
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
      // The second form covers the children of a distributed Map.
      sourceArn: [machineArn, `${machineArn}/*`],
      statements: [
        { actions: ['lambda:InvokeFunction'], resources: [...functionArns] },
        // A distributed Map runs its children as executions of the state machine itself, and a tick with more to sweep than one execution
        // takes starts further ones.
        { actions: ['states:StartExecution'], resources: [machineArn, ...starts] },
        ...(type === 'STANDARD' ? [mapRunStatement(place, name)] : []),
        ...statements,
        // The actions for log delivery have no resources. Source: Step Functions Developer Guide.
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
      ],
      sweep,
    });
    this.stateMachine = new SfnStateMachine(this, 'machine', {
      name,
      type,
      roleArn: this.role.arn,
      // Not Fn.jsonencode: it escapes `<`, and the definition must reach Step Functions unchanged.
      definition: JSON.stringify(definition),
      loggingConfiguration: {
        level: 'ERROR',
        // The states' data contain the keys of items to delete.
        includeExecutionData: logKeys === 'full',
        logDestination: `${this.logGroup.arn}:*`,
      },
      // Never left out: otherwise the provider would not remove a previous key, which the role may no longer use.
      encryptionConfiguration:
        kmsKeyArn === undefined
          ? { type: 'AWS_OWNED_KEY' }
          : {
              type: 'CUSTOMER_MANAGED_KMS_KEY',
              kmsKeyId: kmsKeyArn,
              kmsDataKeyReusePeriodSeconds: KEY_REUSE_SECONDS,
            },
      // Without the block the provider would not turn off what an override had turned on.
      tracingConfiguration: { enabled: false },
      // Step Functions checks at creation that the role can write the log.
      dependsOn: [...this.role.policies],
      ...tagged(sweep),
    });
    this.node.defaultChild = this.stateMachine;
    this.arn = this.stateMachine.arn;
    this.stateMachineName = name;
  }
}

/** Permissions for Map Runs. The first form is for a Map Run's children; AWS's example policy for distributed Maps has the second. */
function mapRunStatement(place: Place, name: string): Statement {
  return {
    actions: ['states:DescribeExecution', 'states:StopExecution'],
    resources: [place.arn('states', `execution:${name}/*`), place.arn('states', `execution:${name}:*`)],
  };
}

/**
 * Permissions of Step Functions on a customer's key, used with the state machine's role: for its history and that of its Map Runs'
 * children, and for its log. Source: Step Functions Developer Guide, "Data at rest encryption"; AWS CDK, `StateMachine`.
 */
function keyStatements(kmsKeyArn: string | undefined, place: Place, machineArn: string): Statement[] {
  const ofMachine = { 'kms:EncryptionContext:aws:states:stateMachineArn': [machineArn, `${machineArn}/*`] };
  return [
    {
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: kmsKeyArn === undefined ? [] : [kmsKeyArn],
      condition: { StringLike: ofMachine },
    },
    {
      actions: ['kms:GenerateDataKey'],
      resources: kmsKeyArn === undefined ? [] : [kmsKeyArn],
      condition: { StringEquals: { 'kms:EncryptionContext:SourceArn': place.arn('logs', '*') } },
    },
  ];
}

export interface SweepMachineProps {
  readonly place: Place;
  readonly functions: FunctionArns;
  readonly deployment: Deployment;
  readonly tables: readonly CarriedSettings[];
}

export interface TickMachineProps extends SweepMachineProps {
  readonly replayArn: string;
  /** Permissions for the queries that the tick makes by itself. */
  readonly statements: readonly Statement[];
}

/** The state machine of replays, and of work that a tick hands over because it could not finish it. It knows all tables. */
export class ReplayMachine extends Workflow {
  constructor(scope: Construct, id: string, props: SweepMachineProps) {
    const { place, functions, deployment, tables } = props;
    const name = replayName(deployment.name);
    super(scope, id, {
      ...inDeployment(props),
      type: 'STANDARD',
      name,
      roleName: name,
      definition: replayDefinition(functions, { tables, partition: place.partition }),
    });
  }
}

/** The state machine of the ticks. It knows the tables that are enabled. */
export class TickMachine extends Workflow {
  constructor(scope: Construct, id: string, props: TickMachineProps) {
    const { place, functions, deployment, tables, replayArn, statements } = props;
    const { name } = deployment;
    super(scope, id, {
      ...inDeployment(props),
      type: 'EXPRESS',
      name,
      roleName: sweepRole(name),
      starts: [replayArn],
      statements,
      definition: tickDefinition(functions, { tables, replayArn, partition: place.partition }),
    });
  }
}

function inDeployment({ place, functions, deployment }: SweepMachineProps) {
  return { place, functionArns: Object.values(functions), sweep: deployment };
}
