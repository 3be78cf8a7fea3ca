import { fileOf, type StreamFunctionName } from '../functions/function-list.ts';
import { recordedMetrics, type SweepMetric } from '../functions/record-metrics/metrics.ts';
import { TASKS } from '../statemachine/contract.ts';
import { COUNT_LIST } from '../statemachine/counts.ts';
import {
  ALARM_NAMES,
  type AlarmedResources,
  type AlarmedSweep,
  hasSubject,
  kebab,
  runbookOf,
  sweepMetric,
  thresholdOf,
} from './alarms.ts';
import { awsMetric, type MetricReference } from './aws-metrics.ts';
import { failureQueueOf } from './names.ts';
import { streamFunctionsOf } from './stream-props.ts';

/** The props of a table that its dashboard depends on, with the defaults filled in. */
export interface ShownSweep extends AlarmedSweep {
  readonly indexName: string;
}

export interface ShownResources extends AlarmedResources {
  readonly region: string;
  /** Of the alarms that there are. */
  readonly alarmArns: readonly string[];
}

/** A line of a graph. */
interface Line {
  readonly metric: MetricReference;
  readonly statistic: string;
  readonly label: string;
}

/** A graph; one without lines is left out. */
interface Graph {
  readonly title: string;
  readonly lines: readonly Line[];
  /** @default lines */
  readonly isStacked?: boolean;
  /** A line across the graph. */
  readonly threshold?: { readonly label: string; readonly value: number };
}

/** The grid has 24 columns. Source: CloudWatch API reference, "Dashboard Body Structure and Syntax", as all of this. */
const WIDTH = 12;
const HEIGHT = 6;
const PERIOD_SECONDS = 60;

/** What is shown of a metric of ours, by its unit. */
const STATISTICS: Readonly<Record<SweepMetric['unit'], readonly string[]>> = {
  Count: ['Sum'],
  Seconds: ['Maximum'],
  Milliseconds: ['p50', 'p99', 'Maximum'],
};

/** Metrics of the fates that an item can have. */
const FATE_METRICS: readonly string[] = COUNT_LIST.flatMap(([, { isFate, metric }]) =>
  isFate && metric !== undefined ? [metric.name] : [],
);

/**
 * The dashboard of a table, as CloudWatch takes it: JSON. Every metric that the sweep records is on it; one that no graph is for is
 * in the last of ours.
 */
export function dashboardBody(sweep: ShownSweep, resources: ShownResources): string {
  const graphs = [...graphsOfSweep(sweep, resources), ...graphsOfAws(sweep, resources)].filter(
    ({ lines }) => lines.length > 0,
  );
  const { alarmArns, region } = resources;
  const head = [
    widget('text', 0, 0, { markdown: textOf(sweep, resources) }),
    ...(alarmArns.length === 0 ? [] : [widget('alarm', WIDTH, 0, { title: 'Alarms', alarms: alarmArns })]),
  ];
  const body = graphs.map((graph, index) =>
    widget(
      'metric',
      (index % 2) * WIDTH,
      HEIGHT * (1 + Math.floor(index / 2)),
      graphProperties(graph, region),
    ),
  );
  return JSON.stringify({ widgets: [...head, ...body] });
}

function widget(type: string, x: number, y: number, properties: object): object {
  return { type, x, y, width: WIDTH, height: HEIGHT, properties };
}

function graphProperties({ title, lines, isStacked = false, threshold }: Graph, region: string): object {
  return {
    title,
    region,
    view: 'timeSeries',
    stacked: isStacked,
    period: PERIOD_SECONDS,
    metrics: lines.map(({ metric: { namespace, name, dimensions }, statistic, label }) => [
      namespace,
      name,
      ...Object.entries(dimensions).flat(),
      { stat: statistic, label },
    ]),
    yAxis: { left: { min: 0 } },
    ...(threshold && { annotations: { horizontal: [threshold] } }),
  };
}

function textOf(sweep: ShownSweep, resources: Pick<ShownResources, 'tableName'>): string {
  const sections = ALARM_NAMES.filter(alarm => hasSubject(alarm, sweep)).map(
    alarm => `[${kebab(alarm)}](${runbookOf(alarm)})`,
  );
  return [
    `# precise-ttl: ${resources.tableName}`,
    `The sweep \`${sweep.name}\` deletes the expired items of the table \`${resources.tableName}\`. A minute in which nothing is due has no datapoint of it.`,
    `What to do: ${sections.join(' · ')}`,
  ].join('\n\n');
}

function graphsOfSweep(sweep: ShownSweep, resources: ShownResources): Graph[] {
  const recorded = recordedMetrics(sweep.metrics);
  const linesOf = (...names: readonly string[]) =>
    recorded.filter(({ name }) => names.includes(name)).flatMap(metric => ofSweep(metric));
  const ofSweep = ({ name, unit }: SweepMetric): Line[] =>
    STATISTICS[unit].map(statistic => ({
      metric: sweepMetric(name, sweep, resources),
      statistic,
      label: STATISTICS[unit].length === 1 ? name : `${name} ${statistic}`,
    }));
  const fates = linesOf(...FATE_METRICS);
  const graphs: Graph[] = [
    { title: 'Items by fate', lines: fates.length > 0 ? fates : deletions(), isStacked: true },
    {
      title: 'Lag of the deletions, milliseconds',
      lines: linesOf('DeletionLag'),
      threshold: { label: 'late', value: thresholdOf('deletionLag', sweep) },
    },
    { title: 'Overdue', lines: linesOf('OldestOverdue', 'ItemsDeletedLate') },
    { title: 'Retries and children', lines: linesOf('ChunkRetries', 'ShardsSwept', 'ShardsFailed') },
    { title: 'Duration of the sweeps, milliseconds', lines: linesOf('SweepDuration') },
  ];
  const shown = graphs.flatMap(({ lines }) => lines.map(({ metric }) => metric.name));
  const others = recorded.map(({ name }) => name).filter(name => !shown.includes(name));
  return [...graphs, { title: 'What else was counted', lines: linesOf(...others) }];

  /** The lag has one sample for each deleted item. */
  function deletions(): Line[] {
    const metric = sweepMetric('DeletionLag', sweep, resources);
    return [{ metric, statistic: 'SampleCount', label: 'Items deleted' }];
  }
}

function graphsOfAws(sweep: ShownSweep, resources: ShownResources): Graph[] {
  const { name, indexName } = sweep;
  const ofStream = streamFunctionsOf(sweep);
  const {
    stateMachineArn: StateMachineArn,
    deadLetterQueueName: QueueName,
    tableName: TableName,
  } = resources;
  const index = { TableName, GlobalSecondaryIndexName: indexName };
  const sum = (metric: MetricReference, label = metric.name): Line => ({ metric, statistic: 'Sum', label });
  const ofFunctions = (metric: 'Invocations' | 'Duration' | 'Errors', more: readonly StreamFunctionName[]) =>
    [...Object.values(TASKS), ...more.map(fileOf)].map(task =>
      sum(awsMetric('AWS/Lambda', metric, { FunctionName: `${name}-${task}` }), task),
    );
  return [
    {
      title: 'Sweeps',
      lines: (
        [
          'ExecutionsStarted',
          'ExecutionsSucceeded',
          'ExecutionsFailed',
          'ExecutionsTimedOut',
          'ExecutionsAborted',
          'ExecutionThrottled',
        ] as const
      ).map(metric => sum(awsMetric('AWS/States', metric, { StateMachineArn }))),
    },
    {
      title: 'Starts by the schedules',
      lines: [
        ...(['InvocationAttemptCount', 'TargetErrorCount', 'InvocationsSentToDeadLetterCount'] as const).map(
          metric => sum(awsMetric('AWS/Scheduler', metric, { ScheduleGroup: name })),
        ),
        {
          metric: awsMetric('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName }),
          statistic: 'Maximum',
          label: 'messages in the dead-letter queue',
        },
      ],
    },
    {
      title: 'Archive and events: behind the table, milliseconds',
      lines: ofStream.map(each => ({
        metric: awsMetric('AWS/Lambda', 'IteratorAge', { FunctionName: `${name}-${fileOf(each)}` }),
        statistic: 'Maximum',
        label: fileOf(each),
      })),
    },
    {
      title: 'Archive and events: messages of what was given up',
      lines: ofStream.map(each => ({
        metric: awsMetric('AWS/SQS', 'ApproximateNumberOfMessagesVisible', {
          QueueName: failureQueueOf(each, sweep),
        }),
        statistic: 'Maximum',
        label: fileOf(each),
      })),
    },
    {
      title: 'Throttled by DynamoDB: whoever uses the table',
      lines: [
        sum(awsMetric('AWS/DynamoDB', 'ReadThrottleEvents', index), 'reads of the index'),
        sum(awsMetric('AWS/DynamoDB', 'WriteThrottleEvents', index), 'writes of the index'),
        sum(awsMetric('AWS/DynamoDB', 'WriteThrottleEvents', { TableName }), 'writes of the table'),
      ],
    },
    { title: 'Errors of the functions', lines: ofFunctions('Errors', ofStream) },
    // Of the sweep's: with those of the stream there would be more than the 50 metrics that are free.
    { title: 'Cost: calls of the functions', lines: ofFunctions('Invocations', []) },
    { title: 'Cost: time of the functions, milliseconds', lines: ofFunctions('Duration', []) },
    {
      title: 'Cost: time of the children, milliseconds',
      lines: [sum(awsMetric('AWS/States', 'ExpressExecutionBilledDuration', { StateMachineArn }))],
    },
    {
      title: 'Cost: read units of the index',
      lines: [sum(awsMetric('AWS/DynamoDB', 'ConsumedReadCapacityUnits', index))],
    },
  ];
}
