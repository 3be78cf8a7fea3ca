import { CloudwatchLogGroup } from '@cdktf/provider-aws/lib/cloudwatch-log-group/index.js';
import { LambdaFunction } from '@cdktf/provider-aws/lib/lambda-function/index.js';
import { AssetType, TerraformAsset, TerraformStack } from 'cdktf';
import { Construct } from 'constructs';
import { type FunctionName, fileOf } from '../../functions/function-list.ts';
import { METRICS_NAMESPACE } from '../../functions/record-metrics/metrics.ts';
import { FUNCTION_TIMEOUT_SECONDS } from '../../statemachine/contract/machines.ts';
import { bundleFunctions } from '../bundle.ts';
import type { Deployment } from '../config/deployments.ts';
import { bundleId } from '../config/names.ts';
import type { Part } from './place.ts';
import { keyStatement, ServiceRole, type Statement } from './role.ts';

export const TIMEOUT_SECONDS: Readonly<Record<FunctionName, number>> = {
  ...FUNCTION_TIMEOUT_SECONDS,
  OnlyExpiries: 60,
};

/** With less memory a function is slower. With more memory a function is not faster, because a call mostly waits for DynamoDB. */
const MEMORY_MB = 512;

export interface SweepFunctionProps {
  readonly environment: Readonly<Record<string, string>>;
  readonly statements: readonly Statement[];
}

export class SweepFunction extends Construct {
  readonly arn: string;
  readonly function: LambdaFunction;
  readonly logGroup: CloudwatchLogGroup;
  readonly role: ServiceRole;

  constructor(
    scope: Construct,
    { place, deployment }: Part,
    task: FunctionName,
    { environment, statements }: SweepFunctionProps,
  ) {
    super(scope, fileOf(task));
    const { name, kmsKeyArn } = deployment;
    const functionName = `${name}-${fileOf(task)}`;
    const functionArn = place.arn('lambda', `function:${functionName}`);
    const bundle = bundleAsset(this, task);
    this.logGroup = logGroup(this, `/aws/lambda/${functionName}`, deployment);
    this.role = new ServiceRole(this, 'role', {
      place,
      name: functionName,
      service: 'lambda',
      statements: [
        ...statements,
        { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [`${this.logGroup.arn}:*`] },
        // Lambda decrypts the environment variables with this role. Source: KMS Developer Guide, "How AWS Lambda uses AWS KMS".
        keyStatement(kmsKeyArn, ['kms:Decrypt'], {
          StringEquals: { 'kms:EncryptionContext:aws:lambda:FunctionArn': functionArn },
        }),
      ],
    });
    this.function = new LambdaFunction(this, 'function', {
      functionName,
      description: `precise-ttl: ${task} of ${name}`,
      filename: bundle.path,
      sourceCodeHash: bundle.assetHash,
      handler: 'index.handler',
      runtime: 'nodejs24.x',
      architectures: ['arm64'],
      memorySize: MEMORY_MB,
      timeout: TIMEOUT_SECONDS[task],
      role: this.role.arn,
      environment: {
        variables: {
          ...environment,
          POWERTOOLS_SERVICE_NAME: fileOf(task),
          POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
        },
      },
      // With WARN, Lambda logs only failed calls: lines about each call would be most of the log. Source: Lambda Developer Guide,
      // "Log-level filtering".
      loggingConfig: { logFormat: 'JSON', logGroup: this.logGroup.name, systemLogLevel: 'WARN' },
      // A user's `overrides` may turn tracing on. Without this block, tracing would stay on after the user removes this override.
      tracingConfig: { mode: 'PassThrough' },
      ...(kmsKeyArn !== undefined && { kmsKeyArn }),
      dependsOn: [...this.role.policies],
    });
    this.node.defaultChild = this.function;
    this.arn = this.function.arn;
  }
}

function bundleAsset(scope: Construct, task: FunctionName): TerraformAsset {
  const stack = TerraformStack.of(scope);
  const id = bundleId(fileOf(task));
  const made = stack.node.tryFindChild(id);
  if (made instanceof TerraformAsset) return made;
  return new TerraformAsset(stack, id, { path: bundleFunctions()[task].archive, type: AssetType.FILE });
}

const RETENTION_DAYS = 30;

export function logGroup(scope: Construct, name: string, { kmsKeyArn }: Deployment): CloudwatchLogGroup {
  return new CloudwatchLogGroup(scope, 'logs', {
    name,
    retentionInDays: RETENTION_DAYS,
    ...(kmsKeyArn !== undefined && { kmsKeyId: kmsKeyArn }),
  });
}
