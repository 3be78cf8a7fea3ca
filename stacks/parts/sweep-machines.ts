import type { CloudwatchLogGroup } from '@cdktf/provider-aws/lib/cloudwatch-log-group/index.js';
import { SfnStateMachine } from '@cdktf/provider-aws/lib/sfn-state-machine/index.js';
import { Construct } from 'constructs';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import type { FunctionArns } from '../../statemachine/contract/machines.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';
import { replayName } from '../config/names.ts';
import type { Part } from './place.ts';
import { keyStatement, ServiceRole } from './role.ts';
import { logGroup } from './sweep-function.ts';

/** How long Step Functions reuses a data key: AWS's default. Without this argument, every Terraform plan would show a difference. */
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
    // One entry in the resource policy for logs, which has little room, covers all log groups with the prefix `/aws/vendedlogs/`.
    this.logGroup = logGroup(this, `/aws/vendedlogs/states/${name}`, deployment);
    this.role = role ?? sweepRole(this, part, functions);
    this.stateMachine = new SfnStateMachine(this, 'machine', {
      name,
      type,
      roleArn: this.role.arn,
      // The definition must reach Step Functions unchanged, but `Fn.jsonencode` would escape each `<`.
      definition: JSON.stringify(definition),
      loggingConfiguration: {
        level: 'ERROR',
        // The states' data contain keys of items, and only `logKeys: 'full'` allows keys in logs.
        includeExecutionData: logKeys === 'full',
        logDestination: `${this.logGroup.arn}:*`,
      },
      // Always set: without this block the state machine would keep its KMS key after the configuration has none any more.
      encryptionConfiguration:
        kmsKeyArn === undefined
          ? { type: 'AWS_OWNED_KEY' }
          : {
              type: 'CUSTOMER_MANAGED_KMS_KEY',
              kmsKeyId: kmsKeyArn,
              kmsDataKeyReusePeriodSeconds: KEY_REUSE_SECONDS,
            },
      tracingConfiguration: { enabled: false },
      // Step Functions checks at the creation of the state machine that the role can write the log.
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
      // A distributed Map starts its children as executions of the replay's own state machine.
      { actions: ['states:StartExecution'], resources: [arnOf(replay)] },
      // `/*` is for the children of a Map Run; `:*` is in AWS's example policy for distributed Maps.
      {
        actions: ['states:DescribeExecution', 'states:StopExecution'],
        resources: ['/*', ':*'].map(rest => place.arn('states', `execution:${replay}${rest}`)),
      },
      // IAM has no resources for these actions of log delivery. Source: Step Functions Developer Guide.
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
      // The KMS key encrypts the history and the logs of the state machines and of a Map Run's children. Source: Step Functions Developer
      // Guide, "Data at rest encryption".
      keyStatement(kmsKeyArn, ['kms:Decrypt', 'kms:GenerateDataKey'], {
        StringLike: { 'kms:EncryptionContext:aws:states:stateMachineArn': machines },
      }),
      keyStatement(kmsKeyArn, ['kms:GenerateDataKey'], {
        StringEquals: { 'kms:EncryptionContext:SourceArn': place.arn('logs', '*') },
      }),
    ],
  });
}
