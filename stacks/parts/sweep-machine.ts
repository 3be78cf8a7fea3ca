import { CloudwatchLogGroup } from '@cdktf/provider-aws/lib/cloudwatch-log-group/index.js';
import { SfnStateMachine } from '@cdktf/provider-aws/lib/sfn-state-machine/index.js';
import { Construct } from 'constructs';
import { sweepDefinition } from '../../statemachine/definition.ts';
import type { FunctionArns } from '../../statemachine/states.ts';
import { concurrentChildren } from '../concurrent-children.ts';
import type { ResolvedProps } from '../props.ts';
import { type Place, ServiceRole } from './role.ts';
import { tagged } from './tagged.ts';

export interface SweepMachineProps {
  readonly place: Place;
  readonly functions: FunctionArns;
  readonly sweep: ResolvedProps;
}

/** The Standard state machine, with its log and its role. */
export class SweepMachine extends Construct {
  readonly arn: string;
  readonly stateMachineName: string;
  readonly stateMachine: SfnStateMachine;
  readonly logGroup: CloudwatchLogGroup;
  readonly role: ServiceRole;

  constructor(scope: Construct, id: string, { place, functions, sweep }: SweepMachineProps) {
    super(scope, id);
    const { name, kmsKeyArn } = sweep;
    this.logGroup = new CloudwatchLogGroup(this, 'logs', {
      // The prefix keeps the log's resource policy, which has a small limit per region, from growing per machine.
      name: `/aws/vendedlogs/states/${name}`,
      retentionInDays: sweep.logRetentionDays,
      ...(kmsKeyArn !== undefined && { kmsKeyId: kmsKeyArn }),
      ...tagged(sweep),
    });
    this.role = new ServiceRole(this, 'role', {
      name: `${name}-sweep`,
      service: 'states.amazonaws.com',
      account: place.account,
      statements: [
        { actions: ['lambda:InvokeFunction'], resources: Object.values(functions) },
        // A distributed Map runs its children as executions of the machine itself.
        { actions: ['states:StartExecution'], resources: [place.arn('states', `stateMachine:${name}`)] },
        // The first form is that of a Map Run's children; AWS's own example policy for distributed Maps has the second.
        {
          actions: ['states:DescribeExecution', 'states:StopExecution'],
          resources: [place.arn('states', `execution:${name}/*`), place.arn('states', `execution:${name}:*`)],
        },
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
            'xray:GetSamplingRules',
            'xray:GetSamplingTargets',
            'xray:PutTelemetryRecords',
            'xray:PutTraceSegments',
          ],
          resources: ['*'],
        },
      ],
      sweep,
    });
    this.stateMachine = new SfnStateMachine(this, 'machine', {
      name,
      type: 'STANDARD',
      roleArn: this.role.arn,
      // Not Fn.jsonencode: it escapes `<`, and what Terraform leaves alone here must reach Step Functions unchanged.
      definition: JSON.stringify(
        sweepDefinition(functions, {
          ...sweep,
          shardConcurrency: concurrentChildren(sweep),
          partition: place.partition,
        }),
      ),
      loggingConfiguration: {
        level: 'ERROR',
        includeExecutionData: true,
        logDestination: `${this.logGroup.arn}:*`,
      },
      tracingConfiguration: { enabled: true },
      // Step Functions checks at creation that the role can write the log.
      dependsOn: [this.role.policy],
      ...tagged(sweep),
    });
    this.node.defaultChild = this.stateMachine;
    this.arn = this.stateMachine.arn;
    this.stateMachineName = name;
  }
}
