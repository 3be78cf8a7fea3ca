import { readDeploymentName } from './deployment.ts';

/** Metrics that a function of the deployment records when there is a problem. */
const DEPLOYMENT_METRICS = {
  ExpiryAge: {
    unit: 'Seconds',
    help: 'The age of the oldest removal that a pipe of the deployment has not delivered.',
  },
  WatermarkAge: {
    unit: 'Seconds',
    help: 'For how long the ticks have not got any further with the table that has the oldest watermark.',
  },
} as const;

type DeploymentMetricName = keyof typeof DEPLOYMENT_METRICS;

export const DEPLOYMENT_DIMENSION = 'Deployment';

export type RecordDeploymentMetric = ReturnType<typeof deploymentMetrics>;

/**
 * Returns a function that prints a metric of the deployment in the embedded metric format. Source: CloudWatch User Guide, "Specification:
 * Embedded metric format". @throws InvalidEnvironmentError
 */
export function deploymentMetrics({
  namespace = process.env['POWERTOOLS_METRICS_NAMESPACE'] ?? '',
  deployment = readDeploymentName(process.env),
  print = printMetrics,
  clock = () => Date.now(),
} = {}) {
  return (name: DeploymentMetricName, value: number, more: Readonly<Record<string, string>> = {}): void => {
    const directive = {
      Namespace: namespace,
      Dimensions: [[DEPLOYMENT_DIMENSION]],
      Metrics: [{ Name: name, Unit: DEPLOYMENT_METRICS[name].unit }],
    };
    const _aws = { Timestamp: clock(), CloudWatchMetrics: [directive] };
    print(JSON.stringify({ _aws, [DEPLOYMENT_DIMENSION]: deployment, [name]: value, ...more }));
  };
}

/** With JSON logging Lambda wraps a line of `console.log` in a document, but CloudWatch finds metrics only at a document's root. */
export function printMetrics(line: string): void {
  process.stdout.write(`${line}\n`);
}
