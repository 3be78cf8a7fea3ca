import { CloudwatchDashboard } from '@cdktf/provider-aws/lib/cloudwatch-dashboard/index.js';
import { Construct } from 'constructs';
import {
  type AlarmedDeployment,
  type AlarmedResources,
  alarmsOf,
  type MetricReference,
  runbookOf,
  sweepMetric,
} from '../config/alarms.ts';
import { SWEEP_METRICS } from '../functions/record-metrics/metrics.ts';

interface ShownResources extends AlarmedResources {
  readonly region: string;
  /** ARNs of the alarms that the deployment creates; empty if all are off. */
  readonly alarmArns: readonly string[];
}

/** A line of a graph. */
interface Line {
  readonly metric: MetricReference;
  readonly statistic: string;
}

interface Graph {
  readonly title: string;
  readonly lines: readonly Line[];
  /** A horizontal line across the graph. */
  readonly threshold?: number;
}

/** Half of the grid's 24 columns. Source for this file: CloudWatch API reference, "Dashboard Body Structure and Syntax". */
const WIDTH = 12;
const HEIGHT = 6;
const PERIOD_SECONDS = 60;

/** What each alarm watches, with its threshold, and all that the sweep records. */
function graphsOf(deployment: AlarmedDeployment, resources: AlarmedResources): Graph[] {
  const recorded = (unit: string, statistic: string): Line[] =>
    SWEEP_METRICS.filter(metric => metric.unit === unit).map(({ name }) => ({
      metric: sweepMetric(name, deployment),
      statistic,
    }));
  return [
    ...alarmsOf({ ...deployment, alarms: true }, resources).map(alarm => ({
      title: `${alarm.alarm}: ${alarm.help}`,
      lines: [alarm.metric, ...alarm.others].map(metric => ({ metric, statistic: alarm.statistic })),
      threshold: alarm.threshold,
    })),
    { title: 'Counted by the sweeps', lines: recorded('Count', 'Sum') },
    { title: 'Lag, milliseconds', lines: ['p50', 'p99'].flatMap(each => recorded('Milliseconds', each)) },
    { title: 'Age, seconds', lines: recorded('Seconds', 'Maximum') },
  ];
}

function widget(type: string, index: number, properties: object): object {
  const [x, y] = [(index % 2) * WIDTH, Math.floor(index / 2) * HEIGHT];
  return { type, x, y, width: WIDTH, height: HEIGHT, properties };
}

function propertiesOf({ title, lines, threshold }: Graph, region: string): object {
  return {
    title,
    region,
    period: PERIOD_SECONDS,
    metrics: lines.map(({ metric: { namespace, name, dimensions }, statistic }) => [
      namespace,
      name,
      ...Object.entries(dimensions).flat(),
      { stat: statistic },
    ]),
    yAxis: { left: { min: 0 } },
    ...(threshold !== undefined && { annotations: { horizontal: [{ label: 'alarm', value: threshold }] } }),
  };
}

export interface SweepDashboardProps {
  readonly resources: ShownResources;
  readonly deployment: AlarmedDeployment;
}

/** The dashboard of a deployment; the number of its graphs does not depend on that of the tables. */
export class SweepDashboard extends Construct {
  readonly dashboardName: string;

  constructor(scope: Construct, id: string, { resources, deployment }: SweepDashboardProps) {
    super(scope, id);
    const { alarmArns: alarms, region } = resources;
    const graphs = graphsOf(deployment, resources).map(graph => propertiesOf(graph, region));
    const widgets = [
      ['text', { markdown: `**${deployment.name}**: [what to do](${runbookOf()})` }] as const,
      ...(alarms.length > 0 ? [['alarm', { title: 'Alarms', alarms }] as const] : []),
      ...graphs.map(each => ['metric', each] as const),
    ];
    this.dashboardName = deployment.name;
    this.node.defaultChild = new CloudwatchDashboard(this, 'dashboard', {
      dashboardName: deployment.name,
      dashboardBody: JSON.stringify({
        widgets: widgets.map(([type, properties], index) => widget(type, index, properties)),
      }),
    });
  }
}
