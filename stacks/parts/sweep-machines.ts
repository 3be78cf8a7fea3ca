import { CloudwatchLogGroup } from '@cdktf/provider-aws/lib/cloudwatch-log-group/index.js';
import { SfnStateMachine } from '@cdktf/provider-aws/lib/sfn-state-machine/index.js';
import { Construct } from 'constructs';
import type { Deployment } from '../../config/deployments.ts';
import { replayName, sweepRole } from '../../config/names.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';
import type { FunctionArns } from '../../statemachine/states.ts';
import type { Place } from './place.ts';
import { keyStatement, ServiceRole, type Statement } from './role.ts';
import { LOG_RETENTION_DAYS } from './sweep-function.ts';

/** Step Functions' own default. If it were left out, the next plan would find it and try to remove it. */
const KEY_REUSE_SECONDS = 300;

export interface SweepMachineProps {
  readonly place: Place;
  readonly functions: FunctionArns;
  readonly deployment: Deployment;
  readonly tables: readonly CarriedSettings[];
}

/**
 * A state machine and its log: of the ticks, or of replays and of work that a tick hands over because it could not finish it. Only a
 * Standard state machine can have a distributed Map.
 */
export class SweepMachine extends Construct {
  readonly arn: string;
  readonly stateMachine: SfnStateMachine;
  readonly logGroup: CloudwatchLogGroup;
  readonly role: ServiceRole;

  /** @param role that of the ticks, for the state machine of replays */
  constructor(scope: Construct, id: string, props: SweepMachineProps, role?: ServiceRole) {
    super(scope, id);
    const { place, functions, tables, deployment } = props;
    const options = { tables, partition: place.partition };
    const [name, type, definition] =
      role === undefined
        ? ([deployment.name, 'EXPRESS', tickDefinition(functions, options)] as const)
        : ([replayName(deployment.name), 'STANDARD', replayDefinition(functions, options)] as const);
    const { kmsKeyArn, logKeys } = deployment;
    this.logGroup = new CloudwatchLogGroup(this, 'logs', {
      // This prefix keeps the log's resource policy, which has a small limit per region, from growing with each state machine.
      name: `/aws/vendedlogs/states/${name}`,
      retentionInDays: LOG_RETENTION_DAYS,
      ...(kmsKeyArn !== undefined && { kmsKeyId: kmsKeyArn }),
    });
    this.role = role ?? sweepRoleIn(this, props);
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
    });
    this.node.defaultChild = this.stateMachine;
    this.arn = this.stateMachine.arn;
  }
}

/** Makes the role of both state machines, which call the same functions. */
function sweepRoleIn(scope: Construct, { place, functions, deployment }: SweepMachineProps): ServiceRole {
  const [tick, replay] = [deployment.name, replayName(deployment.name)];
  const arnOf = (name: string) => place.arn('states', `stateMachine:${name}`);
  // The last form covers the children of a distributed Map, which only a Standard state machine has.
  const machines = [arnOf(tick), arnOf(replay), `${arnOf(replay)}/*`];
  return new ServiceRole(scope, 'role', {
    place,
    name: sweepRole(tick),
    service: 'states.amazonaws.com',
    account: place.account,
    sourceArn: machines,
    statements: [
      { actions: ['lambda:InvokeFunction'], resources: Object.values(functions) },
      // A distributed Map runs its children as executions of the state machine itself.
      { actions: ['states:StartExecution'], resources: [arnOf(replay)] },
      mapRunStatement(place, replay),
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
      ...keyStatements(deployment.kmsKeyArn, place, machines),
    ],
  });
}

/** Permissions for Map Runs. The first form is for a Map Run's children; AWS's example policy for distributed Maps has the second. */
function mapRunStatement(place: Place, name: string): Statement {
  return {
    actions: ['states:DescribeExecution', 'states:StopExecution'],
    resources: [place.arn('states', `execution:${name}/*`), place.arn('states', `execution:${name}:*`)],
  };
}

/**
 * Permissions of Step Functions on a customer's key, used with the state machines' role: for their history and that of Map Runs'
 * children, and for their logs. Source: Step Functions Developer Guide, "Data at rest encryption"; AWS CDK, `StateMachine`.
 */
function keyStatements(key: string | undefined, place: Place, machines: readonly string[]): Statement[] {
  return [
    keyStatement(key, ['kms:Decrypt', 'kms:GenerateDataKey'], {
      StringLike: { 'kms:EncryptionContext:aws:states:stateMachineArn': machines },
    }),
    keyStatement(key, ['kms:GenerateDataKey'], {
      StringEquals: { 'kms:EncryptionContext:SourceArn': place.arn('logs', '*') },
    }),
  ];
}
