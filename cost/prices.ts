/**
 * Prices in dollars per unit, in us-east-1, as of 2026-11-21, without volume discounts. Free tiers are not subtracted: each account has
 * them once, and other workloads may have used them up. The first seven are of what an execution counts.
 */
export const PRICES = {
  /** https://aws.amazon.com/step-functions/pricing/: $25 per million. */
  stateTransitions: 25 / 1e6,
  /** The same page: $1 per million. */
  expressRequests: 1 / 1e6,
  /** The same page: $0.06 per GB-hour, the first tier. */
  expressGbSeconds: 0.06 / 3600,
  /** https://aws.amazon.com/lambda/pricing/: $0.20 per million requests. */
  functionInvocations: 0.2 / 1e6,
  /** The same page: arm64, the first tier. */
  functionGbSeconds: 0.0000133334,
  /** https://aws.amazon.com/dynamodb/pricing/on-demand/: $0.125 per million. */
  dynamoDbReadUnits: 0.125 / 1e6,
  /** The same page: $0.625 per million. */
  dynamoDbWriteUnits: 0.625 / 1e6,
  /** https://aws.amazon.com/eventbridge/pricing/, Scheduler: $1 per million invocations. */
  schedulerInvocations: 1 / 1e6,
  /** https://aws.amazon.com/cloudwatch/pricing/, logs: $0.50 per ingested GB, which is also the first tier of Lambda's logs. */
  logGb: 0.5,
  /** The same page: $0.03 per stored GB and month. Stored logs are compressed, which is not taken into account. */
  logGbMonths: 0.03,
  /** The same page: $0.30 for each of the first 10,000 custom metrics, for the hours in which it has a datapoint. */
  customMetrics: 0.3,
  /** The same page: $0.10 for each metric of an alarm of standard resolution. */
  alarmMetrics: 0.1,
  /** The same page: $3. */
  dashboards: 3,
  /** https://aws.amazon.com/dynamodb/pricing/on-demand/: $0.25 per GB and month, the standard class. */
  storedGbMonths: 0.25,
  /** The same page, continuous backups: $0.20 per GB and month. */
  recoverableGbMonths: 0.2,
  /** https://aws.amazon.com/eventbridge/pricing/, Pipes: $0.40 per million requests after the filter. */
  pipeRequests: 0.4 / 1e6,
  /** https://aws.amazon.com/firehose/pricing/, direct put: $0.029 per GB, the first tier. */
  firehoseGb: 0.029,
  /** https://aws.amazon.com/s3/pricing/: $0.005 per 1,000 PUT requests, the standard class. */
  s3Puts: 0.005 / 1000,
  /** The same page: $0.023 per GB and month, the standard class, the first tier. */
  s3GbMonths: 0.023,
} as const;
