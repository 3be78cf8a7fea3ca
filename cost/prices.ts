/**
 * Prices in dollars per unit, in us-east-1, as of 2026-11-21, without volume discounts: always the first tier. Free tiers are not
 * subtracted: each account has them once, and other workloads may have used them up. The first seven prices are for what an execution uses.
 * Sources: https://aws.amazon.com/SERVICE/pricing/ of step-functions, lambda (arm64), dynamodb (`on-demand/`, standard class), eventbridge
 * (Scheduler; Pipes after the filter), cloudwatch, firehose (direct put) and s3 (standard class).
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
  /** CloudWatch compresses stored logs: so they cost less than `logGbMonths`. A custom metric costs only in hours with a datapoint. */
  logGb: 0.5,
  logGbMonths: 0.03,
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
