import { text } from '../../expiry/fields.ts';
import { readVariables } from './variables.ts';

/** Metrics of the whole deployment that any function may record, and only when a problem occurs. */
export const DEPLOYMENT_METRICS = {
  ExpiryAge: {
    unit: 'Seconds',
    help: 'The age of the oldest removal that a pipe of the deployment has not delivered.',
  },
  WatermarkAge: {
    unit: 'Seconds',
    help: 'For how long the ticks have not got any further with the table that is furthest behind.',
  },
} as const;

export type DeploymentMetricName = keyof typeof DEPLOYMENT_METRICS;

/** The only dimension of these metrics. */
export const DEPLOYMENT_DIMENSION = 'Deployment';

export interface DeploymentMetricOptions {
  readonly namespace: string;
  readonly deployment: string;
  /** Prints a line of metrics in the embedded metric format, at the root of the function's output. */
  readonly print: (line: string) => void;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/**
 * Records a value of a metric.
 *
 * @param told further fields of the log line
 */
export type RecordDeploymentMetric = (
  name: DeploymentMetricName,
  value: number,
  told?: Readonly<Record<string, string>>,
) => void;

/**
 * Makes a function that prints a metric in the embedded metric format. Source: CloudWatch User Guide, "Specification: Embedded metric
 * format".
 */
export function deploymentMetrics({
  namespace,
  deployment,
  print,
  clock,
}: DeploymentMetricOptions): RecordDeploymentMetric {
  return (name, value, told) => {
    const { unit } = DEPLOYMENT_METRICS[name];
    const document = {
      _aws: {
        Timestamp: clock(),
        CloudWatchMetrics: [
          {
            Namespace: namespace,
            Dimensions: [[DEPLOYMENT_DIMENSION]],
            Metrics: [{ Name: name, Unit: unit }],
          },
        ],
      },
      [DEPLOYMENT_DIMENSION]: deployment,
      [name]: value,
      ...told,
    };
    print(JSON.stringify(document));
  };
}

/**
 * The metrics of the function's deployment.
 * @throws InvalidEnvironmentError
 */
export function lambdaDeploymentMetrics(): RecordDeploymentMetric {
  return deploymentMetrics({
    // Powertools' own variable, which the other metrics use too.
    namespace: process.env['POWERTOOLS_METRICS_NAMESPACE'] ?? '',
    deployment: readVariables({ deploymentName: text() }, process.env).deploymentName,
    print: line => process.stdout.write(`${line}\n`),
    clock: Date.now,
  });
}
