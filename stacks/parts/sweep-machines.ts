import type { CloudwatchLogGroup } from '@cdktf/provider-aws/lib/cloudwatch-log-group/index.js';
import { SfnStateMachine } from '@cdktf/provider-aws/lib/sfn-state-machine/index.js';
import { Construct } from 'constructs';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';
import type { FunctionArns } from '../../statemachine/states.ts';
import { replayName } from '../config/names.ts';
import type { Part } from './place.ts';
import { keyStatement, ServiceRole } from './role.ts';
import { logGroup } from './sweep-function.ts';

/** Step Functions has this default. Without the value here, the next plan would find the default and try to remove it. */
const KEY_REUSE_SECONDS = 300;

export class SweepMachine extends Construct {
  readonly arn: string;
  readonly stateMachine: SfnStateMachine;
  readonly logGroup: CloudwatchLogGroup;
  readonly role: ServiceRole;

  constructor(
    scope: Construct,
    id: string,
    part: Part,
    functions: FunctionArns,
    tables: readonly CarriedSettings[],
    role?: ServiceRole,
  ) {
    super(scope, id);
    const { place, deployment } = part;
    const options = { tables, partition: place.partition };
    const [name, type, definition] =
      role === undefined
        ? ([deployment.name, 'EXPRESS', tickDefinition(functions, options)] as const)
        : ([replayName(deployment.name), 'STANDARD', replayDefinition(functions, options)] as const);
    const { kmsKeyArn, logKeys } = deployment;
    // With this prefix, the log's resource policy does not grow with each state machine. The policy has a small limit per region.
    this.logGroup = logGroup(this, `/aws/vendedlogs/states/${name}`, deployment);
    this.role = role ?? sweepRole(this, part, functions);
    this.stateMachine = new SfnStateMachine(this, 'machine', {
      name,
      type,
      roleArn: this.role.arn,
      // Fn.jsonencode escapes `<`, and the definition must reach Step Functions unchanged.
      definition: JSON.stringify(definition),
      loggingConfiguration: {
        level: 'ERROR',
        // The states' data contain the keys of items to delete.
        includeExecutionData: logKeys === 'full',
        logDestination: `${this.logGroup.arn}:*`,
      },
      // Without this block the provider would not remove a previous key, which the role may no longer use.
      encryptionConfiguration:
        kmsKeyArn === undefined
          ? { type: 'AWS_OWNED_KEY' }
          : {
              type: 'CUSTOMER_MANAGED_KMS_KEY',
              kmsKeyId: kmsKeyArn,
              kmsDataKeyReusePeriodSeconds: KEY_REUSE_SECONDS,
            },
      tracingConfiguration: { enabled: false },
      // Step Functions checks at creation that the role can write the log.
      dependsOn: [...this.role.policies],
    });
    this.node.defaultChild = this.stateMachine;
    this.arn = this.stateMachine.arn;
  }
}

function sweepRole(scope: Construct, { place, deployment }: Part, functions: FunctionArns): ServiceRole {
  const { name: tick, kmsKeyArn } = deployment;
  const replay = replayName(tick);
  const arnOf = (name: string) => place.arn('states', `stateMachine:${name}`);
  const machines = [arnOf(tick), arnOf(replay), `${arnOf(replay)}/*`];
  return new ServiceRole(scope, 'role', {
    place,
    name: `${tick}-sweep`,
    service: 'states',
    sourceArn: machines,
    statements: [
      { actions: ['lambda:InvokeFunction'], resources: Object.values(functions) },
      // A distributed Map runs its children as executions of the state machine itself.
      { actions: ['states:StartExecution'], resources: [arnOf(replay)] },
      // The first ARN is for the children of a Map Run; AWS's example policy for distributed Maps has the second.
      {
        actions: ['states:DescribeExecution', 'states:StopExecution'],
        resources: ['/*', ':*'].map(rest => place.arn('states', `execution:${replay}${rest}`)),
      },
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
      // The key encrypts the history of the machines and of Map Runs' children, and their logs. Source: Step Functions Developer Guide,
      // "Data at rest encryption"; AWS CDK, `StateMachine`.
      keyStatement(kmsKeyArn, ['kms:Decrypt', 'kms:GenerateDataKey'], {
        StringLike: { 'kms:EncryptionContext:aws:states:stateMachineArn': machines },
      }),
      keyStatement(kmsKeyArn, ['kms:GenerateDataKey'], {
        StringEquals: { 'kms:EncryptionContext:SourceArn': place.arn('logs', '*') },
      }),
    ],
  });
}
