import {
  type CloudWatchClient,
  GetMetricDataCommand,
  type MetricDataQuery,
} from '@aws-sdk/client-cloudwatch';
import type { TaskName } from '../../statemachine/contract/machines.ts';
import type { SeenMetrics } from './seen.ts';

interface Asked {
  readonly stateMachineArn: string;
  /** Names of the functions. */
  readonly functions: Readonly<Record<TaskName, string>>;
  /** Epoch milliseconds of a whole minute. */
  readonly fromMs: number;
  readonly toMs: number;
}

const UNSUCCESSFUL = ['ExecutionsFailed', 'ExecutionsTimedOut', 'ExecutionsAborted'] as const;

/** Distinguishes bytes from MB, because AWS does not document the unit: no execution takes a million MB, or less than a million bytes. */
const MAX_MB = 1e6;
const asMb = (value: number): number => (value > MAX_MB ? value / 2 ** 20 : value);

/**
 * Reads the metrics that AWS writes to CloudWatch by itself. Source: Step Functions Developer Guide, "Execution metrics for
 * Express Workflows"; Lambda Developer Guide.
 */
export async function observeMetrics(client: CloudWatchClient, asked: Asked): Promise<SeenMetrics> {
  const { stateMachineArn, functions, fromMs, toMs } = asked;
  const machine = (MetricName: string, Stat: string): MetricDataQuery =>
    query(MetricName.toLowerCase(), Stat, {
      ...{ Namespace: 'AWS/States', MetricName },
      Dimensions: [{ Name: 'StateMachineArn', Value: stateMachineArn }],
    });
  const tasks = Object.entries(functions) as [TaskName, string][];
  const { MetricDataResults = [] } = await client.send(
    new GetMetricDataCommand({
      ...{ StartTime: new Date(fromMs), EndTime: new Date(toMs) },
      MetricDataQueries: [
        ...['ExecutionsStarted', ...UNSUCCESSFUL, 'ExpressExecutionBilledDuration'].map(name =>
          machine(name, 'Sum'),
        ),
        machine('ExpressExecutionBilledMemory', 'Maximum'),
        ...tasks.map(([task, name]) =>
          query(task.toLowerCase(), 'Maximum', {
            ...{ Namespace: 'AWS/Lambda', MetricName: 'Duration' },
            Dimensions: [{ Name: 'FunctionName', Value: name }],
          }),
        ),
      ],
    }),
  );
  const values = (name: string) =>
    MetricDataResults.find(({ Id }) => Id === name.toLowerCase())?.Values ?? [];
  const sum = (name: string) => values(name).reduce((total, value) => total + value, 0);
  const most = (name: string) => (values(name).length === 0 ? undefined : Math.max(...values(name)));
  const memory = most('ExpressExecutionBilledMemory');
  const billedMemoryMb = memory === undefined ? undefined : asMb(memory);
  const longest = tasks.flatMap(([task]) => {
    const duration = most(task);
    return duration === undefined ? [] : [[task, duration] as const];
  });
  return {
    ...{ minutes: (toMs - fromMs) / 60_000, started: sum('ExecutionsStarted'), billedMemoryMb },
    unsuccessful: UNSUCCESSFUL.reduce((total, name) => total + sum(name), 0),
    gbSeconds:
      billedMemoryMb === undefined
        ? undefined
        : (sum('ExpressExecutionBilledDuration') / 1000) * (billedMemoryMb / 1024),
    longest: Object.fromEntries(longest),
  };
}

function query(
  Id: string,
  Stat: string,
  Metric: NonNullable<MetricDataQuery['MetricStat']>['Metric'],
): MetricDataQuery {
  return { Id, MetricStat: { Metric, Period: 60, Stat } };
}
