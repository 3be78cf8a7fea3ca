import { CloudwatchDashboard } from '@cdktf/provider-aws/lib/cloudwatch-dashboard/index.js';
import { Construct } from 'constructs';
import {
  ALARM_NAMES,
  type AlarmedDeployment,
  type AlarmedResources,
  type AlarmedTable,
  hasSubject,
  kebab,
  runbookOf,
  sweepMetric,
  thresholdOf,
} from '../config/alarms.ts';
import { type AWS_METRICS, awsMetric, type MetricReference } from '../config/aws-metrics.ts';
import type { Deployment } from '../config/deployments.ts';
import { failureQueueOf } from '../config/names.ts';
import { streamFunctionsOf } from '../config/stream-props.ts';
import { fileOf } from '../functions/function-list.ts';
import { SWEEP_METRICS, type SweepMetric } from '../functions/record-metrics/metrics.ts';
import { TASKS } from '../statemachine/contract/machines.ts';
import { COUNT_LIST } from '../statemachine/counts.ts';

/** The settings of a deployment that its dashboard depends on. */
export interface ShownDeployment extends AlarmedDeployment {
  readonly tables: readonly ShownTable[];
}

/** The settings of a table that the dashboard depends on. */
export interface ShownTable extends AlarmedTable {
  readonly indexName: string;
}

interface ShownResources extends AlarmedResources {
  readonly region: string;
  /** ARNs of the alarms that the deployment creates; empty if all are off. */
  readonly alarmArns: readonly string[];
  /** Names of the tables, in the order of the deployment; they may be references. */
  readonly tableNames: readonly string[];
}

/** A line of a graph; a query may find several lines. */
type Line =
  | { readonly metric: MetricReference; readonly statistic: string; readonly label: string }
  | { readonly query: string };

/** A graph. Graphs without lines are left out. */
interface Graph {
  readonly title: string;
  readonly lines: readonly Line[];
  /** Whether values are stacked. @default false */
  readonly isStacked?: boolean;
  /** A horizontal line across the graph. */
  readonly threshold?: { readonly label: string; readonly value: number };
}

/** Half of the grid's 24 columns. Source for this file: CloudWatch API reference, "Dashboard Body Structure and Syntax". */
const WIDTH = 12;
const HEIGHT = 6;
const PERIOD_SECONDS = 60;

/** The statistic of our metrics that a graph shows, by unit. */
const STATISTICS: Readonly<Record<SweepMetric['unit'], readonly string[]>> = {
  Count: ['Sum'],
  Seconds: ['Maximum'],
  Milliseconds: ['p50', 'p99', 'Maximum'],
};

/** Metrics of the results that an item can have. */
const FATE_METRICS: readonly string[] = COUNT_LIST.flatMap(([, { isFate, metric }]) =>
  isFate && metric !== undefined ? [metric.name] : [],
);

/**
 * The body of a deployment's dashboard, as JSON for CloudWatch. It shows every metric that the sweep records; metrics without a graph of
 * their own are together in the last graph of the sweep's metrics. The number of graphs does not depend on the number of tables: values by
 * table come from a query.
 */
function dashboardBody(deployment: ShownDeployment, resources: ShownResources): string {
  const graphs = [...graphsOfSweep(deployment), ...graphsOfAws(deployment, resources)].filter(
    ({ lines }) => lines.length > 0,
  );
  const { alarmArns, region } = resources;
  const head = [
    widget('text', 0, 0, { markdown: textOf(deployment, resources) }),
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
    metrics: lines.map((line, index) => {
      if ('query' in line) return [{ expression: line.query, id: `q${index}`, label: '' }];
      const { metric, statistic, label } = line;
      const { namespace, name, dimensions } = metric;
      return [namespace, name, ...Object.entries(dimensions).flat(), { stat: statistic, label }];
    }),
    yAxis: { left: { min: 0 } },
    ...(threshold && { annotations: { horizontal: [threshold] } }),
  };
}

/** Tables that the text names. */
const NAMED_TABLES = 20;

function textOf(
  { name, tables }: ShownDeployment,
  { tableNames }: Pick<ShownResources, 'tableNames'>,
): string {
  const sections = ALARM_NAMES.filter(alarm => tables.some(table => hasSubject(alarm, table))).map(
    alarm => `[${kebab(alarm)}](${runbookOf(alarm)})`,
  );
  const named = tableNames.slice(0, NAMED_TABLES).map(tableName => `\`${tableName}\``);
  const more = tableNames.length > NAMED_TABLES ? ` and ${tableNames.length - NAMED_TABLES} more` : '';
  return [
    `# precise-ttl: ${name}`,
    `It deletes the expired items of ${named.join(', ')}${more}. A minute in which nothing is due has no datapoint. How each table stands: \`npx precise-ttl status\`.`,
    `What to do: ${sections.join(' · ')}`,
  ].join('\n\n');
}

function graphsOfSweep(deployment: ShownDeployment): Graph[] {
  const linesOf = (...names: readonly string[]) =>
    SWEEP_METRICS.filter(({ name }) => names.includes(name)).flatMap(metric => ofSweep(metric));
  const ofSweep = ({ name, unit }: SweepMetric): Line[] =>
    STATISTICS[unit].map(statistic => ({
      metric: sweepMetric(name, deployment),
      statistic,
      label: STATISTICS[unit].length === 1 ? name : `${name} ${statistic}`,
    }));
  const graphs: Graph[] = [
    { title: 'Items by fate', lines: linesOf(...FATE_METRICS), isStacked: true },
    {
      title: 'Lag of the deletions, milliseconds',
      lines: linesOf('DeletionLag'),
      threshold: { label: 'late', value: thresholdOf('deletionLag', deployment) },
    },
    { title: 'Overdue', lines: linesOf('OldestOverdue', 'ItemsDeletedLate') },
    { title: 'Retries and children', lines: linesOf('ChunkRetries', 'ShardsSwept', 'ShardsFailed') },
    { title: 'Duration of the sweeps, milliseconds', lines: linesOf('SweepDuration') },
  ];
  const shown = graphs.flatMap(({ lines }) =>
    lines.flatMap(line => ('query' in line ? [] : [line.metric.name])),
  );
  const others = SWEEP_METRICS.map(({ name }) => name).filter(name => !shown.includes(name));
  return [...graphs, { title: 'What else was counted', lines: linesOf(...others) }];
}

/** Most tables in a graph by table. */
const SHOWN_TABLES = 20;

/** Most lines of one graph. Source: CloudWatch API reference, "Dashboard Body Structure and Syntax". */
const MAX_LINES = 100;

function graphsOfAws(deployment: ShownDeployment, resources: ShownResources): Graph[] {
  const { name, tables } = deployment;
  const readers = tables
    .flatMap(table => streamFunctionsOf(table).map(reader => ({ table, reader })))
    .slice(0, MAX_LINES);
  const labelOf = ({ table, reader }: (typeof readers)[number]) =>
    tables.length === 1 ? fileOf(reader) : `${fileOf(reader)} of ${table.name}`;
  const { stateMachineArn, replayStateMachineArn, deadLetterQueueName: QueueName } = resources;
  const sum = (metric: MetricReference, label = metric.name): Line => ({ metric, statistic: 'Sum', label });
  const ofFunctions = (metric: 'Invocations' | 'Duration' | 'Errors') =>
    Object.values(TASKS).map(task =>
      sum(awsMetric('AWS/Lambda', metric, { FunctionName: `${name}-${task}` }), task),
    );
  const executions = (StateMachineArn: string, metrics: readonly (typeof TICK_METRICS)[number][]) =>
    metrics.map(metric => sum(awsMetric('AWS/States', metric, { StateMachineArn })));
  return [
    { title: 'Ticks', lines: executions(stateMachineArn, TICK_METRICS) },
    {
      title: 'Replays, and what ticks handed over',
      lines: executions(replayStateMachineArn, REPLAY_METRICS),
    },
    {
      title: 'Starts by the schedules',
      lines: [
        ...(['InvocationAttemptCount', 'TargetErrorCount'] as const).map(metric =>
          sum(awsMetric('AWS/Scheduler', metric, { ScheduleGroup: name })),
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
      lines: readers.map(each => ({
        metric: awsMetric('AWS/Lambda', 'IteratorAge', {
          FunctionName: `${each.table.name}-${fileOf(each.reader)}`,
        }),
        statistic: 'Maximum',
        label: labelOf(each),
      })),
    },
    {
      title: 'Archive and events: messages of what was given up',
      lines: readers.map(each => ({
        metric: awsMetric('AWS/SQS', 'ApproximateNumberOfMessagesVisible', {
          QueueName: failureQueueOf(each.reader, each.table),
        }),
        statistic: 'Maximum',
        label: labelOf(each),
      })),
    },
    ...graphsOfDynamoDb(deployment, resources),
    { title: 'Errors of the functions', lines: ofFunctions('Errors') },
    { title: 'Cost: calls of the functions', lines: ofFunctions('Invocations') },
    { title: 'Cost: time of the functions, milliseconds', lines: ofFunctions('Duration') },
    {
      title: 'Cost: time of the ticks and of the children of replays, milliseconds',
      lines: [stateMachineArn, replayStateMachineArn].map((StateMachineArn, index) =>
        sum(
          awsMetric('AWS/States', 'ExpressExecutionBilledDuration', { StateMachineArn }),
          index === 0 ? 'ticks' : 'replays',
        ),
      ),
    },
  ];
}

/** Metrics of the tick. There is none for stopped executions: an Express execution cannot be stopped. */
const TICK_METRICS = [
  'ExecutionsStarted',
  'ExecutionsSucceeded',
  'ExecutionsFailed',
  'ExecutionsTimedOut',
  'ExecutionThrottled',
] as const;
const REPLAY_METRICS = ['ExecutionsStarted', 'ExecutionsFailed', 'ExecutionsTimedOut'] as const;

/**
 * DynamoDB's metrics of the only table; for several tables, those of the tables in the account that are throttled most. A query cannot
 * name the deployment's tables, since it has no OR.
 */
function graphsOfDynamoDb({ tables }: ShownDeployment, { tableNames }: ShownResources): Graph[] {
  const [table, another] = tables;
  const [TableName] = tableNames;
  if (table === undefined || TableName === undefined || another !== undefined) {
    const mostOf = (metric: (typeof AWS_METRICS)['AWS/DynamoDB']['names'][number], dimensions: string) => ({
      query: `SELECT SUM(${metric}) FROM SCHEMA("AWS/DynamoDB", ${dimensions}) GROUP BY TableName ORDER BY SUM() DESC LIMIT ${SHOWN_TABLES}`,
    });
    return [
      {
        title: 'Throttled by DynamoDB: writes, by table of the account',
        lines: [mostOf('WriteThrottleEvents', 'TableName')],
      },
      {
        title: 'Throttled by DynamoDB: reads of indexes, by table of the account',
        lines: [mostOf('ReadThrottleEvents', 'TableName, GlobalSecondaryIndexName')],
      },
      {
        title: 'Cost: read units of indexes, by table of the account',
        lines: [mostOf('ConsumedReadCapacityUnits', 'TableName, GlobalSecondaryIndexName')],
      },
    ];
  }
  const index = { TableName, GlobalSecondaryIndexName: table.indexName };
  const sum = (metric: MetricReference, label = metric.name): Line => ({ metric, statistic: 'Sum', label });
  return [
    {
      title: 'Throttled by DynamoDB: whoever uses the table',
      lines: [
        sum(awsMetric('AWS/DynamoDB', 'ReadThrottleEvents', index), 'reads of the index'),
        sum(awsMetric('AWS/DynamoDB', 'WriteThrottleEvents', index), 'writes of the index'),
        sum(awsMetric('AWS/DynamoDB', 'WriteThrottleEvents', { TableName }), 'writes of the table'),
      ],
    },
    {
      title: 'Cost: read units of the index',
      lines: [sum(awsMetric('AWS/DynamoDB', 'ConsumedReadCapacityUnits', index))],
    },
  ];
}

export interface SweepDashboardProps {
  readonly resources: ShownResources;
  readonly deployment: Deployment;
}

/** The dashboard of a deployment, which has the deployment's name. */
export class SweepDashboard extends Construct {
  readonly dashboardName: string;
  readonly dashboard: CloudwatchDashboard;

  constructor(scope: Construct, id: string, { resources, deployment }: SweepDashboardProps) {
    super(scope, id);
    this.dashboardName = deployment.name;
    this.dashboard = new CloudwatchDashboard(this, 'dashboard', {
      dashboardName: deployment.name,
      dashboardBody: dashboardBody(deployment, resources),
    });
    this.node.defaultChild = this.dashboard;
  }
}
