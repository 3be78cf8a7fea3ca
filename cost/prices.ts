/**
 * Dollars per unit in us-east-1 on 2026-11-21, without volume discounts and free tiers. Source: https://aws.amazon.com/SERVICE/pricing/,
 * where SERVICE is step-functions, lambda (arm64), dynamodb, eventbridge, cloudwatch, firehose or s3 (standard class).
 */
export const PRICES = {
  stateTransitions: 25 / 1e6,
  expressRequests: 1 / 1e6,
  expressGbSeconds: 0.06 / 3600,
  functionInvocations: 0.2 / 1e6,
  functionGbSeconds: 0.0000133334,
  dynamoDbReadUnits: 0.125 / 1e6,
  dynamoDbWriteUnits: 0.625 / 1e6,
  schedulerInvocations: 1 / 1e6,
  logGb: 0.5,
  /** Per compressed GB. Log lines are compressed when stored, so a GB of log lines costs less. */
  logGbMonths: 0.03,
  /** Per month. The hours in which a metric has no datapoint are free. */
  customMetrics: 0.3,
  alarmMetrics: 0.1,
  dashboards: 3,
  storedGbMonths: 0.25,
  recoverableGbMonths: 0.2,
  pipeRequests: 0.4 / 1e6,
  firehoseGb: 0.029,
  s3Puts: 0.005 / 1000,
  s3GbMonths: 0.023,
} as const;
