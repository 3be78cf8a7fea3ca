import { type Kinds, text, type ValueOf, valueProblems } from '../../expiry/fields.ts';
import { SETTING_KINDS } from './environment.ts';
import { InvalidEnvironmentError } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLE_KINDS = { deploymentName: text(), journalTable: SETTING_KINDS.tableName };

export function readDeployment(env: Environment) {
  return readVariables(VARIABLE_KINDS, env);
}

function readDeploymentName(env: Environment): string {
  const { deploymentName } = VARIABLE_KINDS;
  return readVariables({ deploymentName }, env).deploymentName;
}

function readVariables<const Of extends Kinds>(
  kinds: Of,
  env: Environment,
): { readonly [Name in keyof Of]: ValueOf<Of[Name]> } {
  const values = Object.entries(kinds).map(([name, each]) => {
    const variable = name.replaceAll(/[A-Z]/g, letter => `_${letter}`).toUpperCase();
    const given = env[variable];
    const value = given === undefined ? undefined : each.fromText(given);
    const [problem] = valueProblems(variable, each, value, '');
    if (problem) {
      throw new InvalidEnvironmentError({ ...problem, got: given, remedy: 'Deploy the function again.' });
    }
    return [name, value];
  });
  return Object.fromEntries(values) as { [Name in keyof Of]: ValueOf<Of[Name]> };
}

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

/** Prints without `console.log`: JSON logging would wrap the line in a JSON object, in which CloudWatch does not look for metrics. */
export function printMetrics(line: string): void {
  process.stdout.write(`${line}\n`);
}
