/**
 * Dollars per unit in us-east-1 on 2026-11-21, without volume discounts and free tiers. Sources: https://aws.amazon.com/SERVICE/pricing/ of
 * step-functions, lambda (arm64), dynamodb, eventbridge, cloudwatch, firehose, s3 (standard class).
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
  /** The price of a compressed GB: storing a GB of log lines costs less. */
  logGbMonths: 0.03,
  /** A custom metric costs only in hours with a datapoint. */
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
