/**
 * AWS's own metrics that alarms and the dashboard use, by namespace: their names and dimensions. AWS always records them, free of charge.
 */
export const AWS_METRICS = {
  /** Source: Step Functions Developer Guide, "Monitoring Step Functions metrics using Amazon CloudWatch". */
  'AWS/States': {
    names: [
      'ExecutionsStarted',
      'ExecutionsSucceeded',
      'ExecutionsFailed',
      'ExecutionsTimedOut',
      'ExecutionsAborted',
      'ExecutionThrottled',
      'ExecutionTime',
      'ExpressExecutionBilledDuration',
      'ExpressExecutionBilledMemory',
    ],
    dimensions: ['StateMachineArn'],
  },
  /** Source: SQS Developer Guide, "Available CloudWatch metrics for Amazon SQS". */
  'AWS/SQS': { names: ['ApproximateNumberOfMessagesVisible'], dimensions: ['QueueName'] },
  /** Source: EventBridge Scheduler User Guide, "Monitoring Amazon EventBridge Scheduler with Amazon CloudWatch". */
  'AWS/Scheduler': {
    names: ['InvocationAttemptCount', 'TargetErrorCount', 'InvocationsSentToDeadLetterCount'],
    dimensions: ['ScheduleGroup'],
  },
  /** Source: Lambda Developer Guide, "Types of metrics for Lambda functions". */
  'AWS/Lambda': {
    names: ['Invocations', 'Errors', 'Throttles', 'Duration', 'IteratorAge'],
    dimensions: ['FunctionName'],
  },
  /** Metrics of a table alone, and of one of its indexes. Source: DynamoDB Developer Guide, "DynamoDB metrics and dimensions". */
  'AWS/DynamoDB': {
    names: [
      'ConsumedReadCapacityUnits',
      'ConsumedWriteCapacityUnits',
      'ReadThrottleEvents',
      'WriteThrottleEvents',
    ],
    dimensions: ['TableName', 'GlobalSecondaryIndexName'],
  },
} as const satisfies Readonly<
  Record<string, { readonly names: readonly string[]; readonly dimensions: readonly string[] }>
>;

export type AwsNamespace = keyof typeof AWS_METRICS;

/** A metric with its dimensions in CloudWatch. */
export interface MetricReference {
  readonly namespace: string;
  readonly name: string;
  /** The dimensions by name. */
  readonly dimensions: Readonly<Record<string, string>>;
}

/** A metric of AWS's own; the compiler refuses a name that the namespace does not have. */
export function awsMetric<Namespace extends AwsNamespace>(
  namespace: Namespace,
  name: (typeof AWS_METRICS)[Namespace]['names'][number],
  dimensions: Readonly<Partial<Record<(typeof AWS_METRICS)[Namespace]['dimensions'][number], string>>>,
): MetricReference {
  return { namespace, name, dimensions: dimensions as MetricReference['dimensions'] };
}
