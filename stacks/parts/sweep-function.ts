import { CloudwatchLogGroup } from '@cdktf/provider-aws/lib/cloudwatch-log-group/index.js';
import { LambdaFunction } from '@cdktf/provider-aws/lib/lambda-function/index.js';
import { AssetType, TerraformAsset, TerraformStack } from 'cdktf';
import { Construct } from 'constructs';
import { FUNCTION_TIMEOUT_SECONDS, TASKS, type TaskName } from '../../statemachine/contract.ts';
import { archiveOf } from '../archives.ts';
import { bundleId, cut } from '../names.ts';
import type { ResolvedProps } from '../props.ts';
import { ServiceRole, type Statement } from './role.ts';

/** The export `handler` of the archives' `index.mjs`. */
const HANDLER = 'index.handler';

/** Source: Lambda API reference, CreateFunction. */
const MAX_DESCRIPTION = 256;

export interface SweepFunctionProps {
  readonly task: TaskName;
  readonly environment: Readonly<Record<string, string>>;
  readonly statements: readonly Statement[];
  readonly sweep: ResolvedProps;
}

/** One of the four functions: its bundle, its log group, and a role that may do what it does and nothing else. */
export class SweepFunction extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, { task, environment, statements, sweep }: SweepFunctionProps) {
    super(scope, id);
    const functionName = `${sweep.name}-${TASKS[task]}`;
    const bundle = bundleAsset(this, task);
    const logs = new CloudwatchLogGroup(this, 'logs', {
      name: `/aws/lambda/${functionName}`,
      retentionInDays: sweep.logRetentionDays,
    });
    const role = new ServiceRole(this, 'role', {
      name: functionName,
      service: 'lambda.amazonaws.com',
      statements: [
        ...statements,
        { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [`${logs.arn}:*`] },
      ],
    });
    const lambda = new LambdaFunction(this, 'function', {
      functionName,
      description: cut(`precise-ttl: ${task} of table ${sweep.tableName}`, MAX_DESCRIPTION),
      filename: bundle.path,
      sourceCodeHash: bundle.assetHash,
      handler: HANDLER,
      runtime: 'nodejs24.x',
      architectures: ['arm64'],
      memorySize: sweep.functionMemoryMb,
      timeout: FUNCTION_TIMEOUT_SECONDS[task],
      role: role.arn,
      environment: {
        variables: {
          ...environment,
          POWERTOOLS_SERVICE_NAME: TASKS[task],
          POWERTOOLS_METRICS_NAMESPACE: sweep.metricsNamespace,
        },
      },
      loggingConfig: { logFormat: 'JSON', logGroup: logs.name },
      dependsOn: [role.policy],
    });
    this.arn = lambda.arn;
  }
}

/** The bundle's archive. All tables of a stack share it: what differs between them is in the environment. */
function bundleAsset(scope: Construct, task: TaskName): TerraformAsset {
  const stack = TerraformStack.of(scope);
  const id = bundleId(TASKS[task]);
  const made = stack.node.tryFindChild(id);
  if (made instanceof TerraformAsset) return made;
  return new TerraformAsset(stack, id, { path: archiveOf(task), type: AssetType.FILE });
}
