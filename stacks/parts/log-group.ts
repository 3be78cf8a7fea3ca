import { CloudwatchLogGroup } from '@cdktf/provider-aws/lib/cloudwatch-log-group/index.js';
import type { Construct } from 'constructs';
import type { Deployment } from '../config/deployments.ts';

const RETENTION_DAYS = 30;

export function logGroup(scope: Construct, name: string, { kmsKeyArn }: Deployment): CloudwatchLogGroup {
  return new CloudwatchLogGroup(scope, 'logs', {
    name,
    retentionInDays: RETENTION_DAYS,
    ...(kmsKeyArn !== undefined && { kmsKeyId: kmsKeyArn }),
  });
}
