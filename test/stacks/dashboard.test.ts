import { ALARM_NAMES, kebab } from '../../config/alarms.ts';
import { AWS_METRICS, type AwsNamespace } from '../../config/aws-metrics.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { SWEEP_METRICS } from '../../functions/record-metrics/metrics.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { environmentOf, resources, terraformJson } from '../support/synthesized.ts';

interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly title?: string;
    readonly markdown?: string;
    readonly alarms?: readonly string[];
    readonly region?: string;
    readonly metrics?: readonly (readonly unknown[])[];
    readonly annotations?: { readonly horizontal: readonly { readonly value: number }[] };
  };
}

/** A line of a graph, as the body has it: namespace, name, dimensions in turn, options. */
interface Line {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly stat: string;
}

/** With everything that is shown. */
const WHOLE = { archive: {}, events: { eventBus: 'default' } } as const;

function dashboard(props: Partial<PreciseTtlProps> = {}) {
  const json = terraformJson(configOf({ ...SESSION_DATA, ...WHOLE, ...props }));
  const [block] = resources(json, 'aws_cloudwatch_dashboard');
  const { widgets } = JSON.parse(String(block?.['dashboard_body'])) as { widgets: Widget[] };
  const lines = widgets.flatMap(({ properties }) => properties.metrics ?? []).map(lineOf);
  return { json, block, widgets, lines };
}

function lineOf(metric: readonly unknown[]): Line {
  const [namespace, name, ...rest] = metric.slice(0, -1).map(String);
  const dimensions = Object.fromEntries(
    rest.flatMap((key, index) => (index % 2 === 0 ? [[key, rest[index + 1] ?? '']] : [])),
  );
  const { stat } = metric.at(-1) as { stat: string };
  return { namespace: namespace ?? '', name: name ?? '', dimensions, stat };
}

describe('the dashboard', () => {
  const { json, widgets, lines, block } = dashboard();
  const ours = lines.filter(({ namespace }) => namespace === 'PreciseTtl');

  test('has every metric that is recorded', () => {
    const names = SWEEP_METRICS.map(({ name }) => name);
    expect([...new Set(ours.map(({ name }) => name))].sort()).toEqual(names.sort());
    const variables = environmentOf(json, 'record-metrics');
    for (const { dimensions } of ours) {
      expect(dimensions).toEqual({
        service: variables['POWERTOOLS_SERVICE_NAME'],
        Deployment: variables['DEPLOYMENT_NAME'],
      });
    }
  });

  test('has others only of what AWS records, for things that are deployed', () => {
    const named = (type: string, field: string) => resources(json, type).map(each => each[field]);
    const known: Readonly<Record<string, unknown[]>> = {
      FunctionName: named('aws_lambda_function', 'function_name'),
      QueueName: named('aws_sqs_queue', 'name'),
      ScheduleGroup: named('aws_scheduler_schedule_group', 'name'),
      GlobalSecondaryIndexName: ['expirationWindowIndex'],
      StateMachineArn: [
        expect.stringMatching(/aws_sfn_state_machine\.[\w-]+_(sweep|replay)_machine_\w+\.arn/),
      ],
      TableName: [expect.stringMatching(/aws_dynamodb_table\.\w+\.name/)],
    };
    const others = lines.filter(line => !ours.includes(line));
    expect(new Set(others.map(({ namespace }) => namespace))).toEqual(new Set(Object.keys(AWS_METRICS)));
    for (const { namespace, name, dimensions } of others) {
      const aws = AWS_METRICS[namespace as AwsNamespace];
      expect(aws.names).toContain(name);
      expect(aws.dimensions).toEqual(expect.arrayContaining(Object.keys(dimensions)));
      for (const [dimension, value] of Object.entries(dimensions)) {
        expect(known[dimension]).toContainEqual(value);
      }
    }
  });

  // Source: CloudWatch pricing: three dashboards of up to 50 metrics are free.
  test('shows at most 50 metrics', () => {
    const distinct = new Set(lines.map(({ stat: _stat, ...metric }) => JSON.stringify(metric)));
    expect(distinct.size).toBeLessThanOrEqual(50);
  });

  test('has no two widgets in one place', () => {
    for (const { x, width } of widgets) expect(x + width).toBeLessThanOrEqual(24);
    const places = widgets.map(({ x, y }) => `${x},${y}`);
    expect(new Set(places).size).toBe(places.length);
    expect(new Set(widgets.map(({ height }) => height)).size).toBe(1);
  });

  test('names the table, the sweep and every section of the runbook', () => {
    expect(block?.['dashboard_name']).toBe('precise-ttl');
    const [text] = widgets;
    expect(text?.properties.markdown).toMatch(/^# precise-ttl: precise-ttl\n/);
    expect(text?.properties.markdown).toMatch(/items of `\$\{aws_dynamodb_table\.\w+\.name\}`\. /);
    for (const alarm of ALARM_NAMES) {
      expect(text?.properties.markdown).toContain(`docs/reference/alarms.md#${kebab(alarm)})`);
    }
  });

  test('shows the alarms that there are', () => {
    const arns = Object.keys(json.resource['aws_cloudwatch_metric_alarm'] ?? {}).map(
      id => `\${aws_cloudwatch_metric_alarm.${id}.arn}`,
    );
    const [shown] = widgets.flatMap(({ properties }) => (properties.alarms ? [properties.alarms] : []));
    expect([...(shown ?? [])].sort()).toEqual(arns.sort());
    expect(arns.length).toBeGreaterThan(0);
  });
});

test('of a table without archive and events there is nothing of them', () => {
  const { block } = dashboard({ archive: undefined, events: undefined } as object);
  expect(block?.['dashboard_body']).not.toMatch(/archive|event-|publish/i);
});

test('how far the archive and the events are behind, and what they gave up', () => {
  const { lines } = dashboard();
  const shown = lines
    .filter(
      ({ name, dimensions: { QueueName } }) => name === 'IteratorAge' || /failures$/.test(QueueName ?? ''),
    )
    .map(({ name, stat, dimensions }) => `${stat} of ${name}: ${Object.values(dimensions).join()}`);
  expect(shown).toEqual([
    'Maximum of IteratorAge: precise-ttl-SessionData-archive-expiries',
    'Maximum of IteratorAge: precise-ttl-SessionData-publish-expiries',
    'Maximum of ApproximateNumberOfMessagesVisible: precise-ttl-SessionData-archive-failures',
    'Maximum of ApproximateNumberOfMessagesVisible: precise-ttl-SessionData-event-failures',
  ]);
});

test('the percentiles of the lag, with what is late', () => {
  const { widgets } = dashboard();
  const graph = widgets.find(({ properties }) => properties.title?.startsWith('Lag'));
  expect(graph?.properties.metrics?.map(metric => lineOf(metric).stat)).toEqual(['p50', 'p99', 'Maximum']);
  expect(graph?.properties.annotations?.horizontal).toEqual([{ label: 'late', value: 11_000 }]);
});

test('however many tables there are, there is one, with as many graphs: what is told by table is a query', () => {
  const tables = Array.from({ length: 30 }, (_unused, index) => ({
    ...{ tableName: `table-${index}`, partitionKey: 'id' },
  }));
  const json = terraformJson(configOf(...tables));
  const dashboards = resources(json, 'aws_cloudwatch_dashboard');
  expect(dashboards).toHaveLength(1);
  const { widgets } = JSON.parse(String(dashboards[0]?.['dashboard_body'])) as { widgets: Widget[] };
  expect(widgets.length).toBeLessThan(25);
  const queries = widgets
    .flatMap(({ properties }) => properties.metrics ?? [])
    .flatMap(([first]) => (typeof first === 'object' ? [(first as { expression: string }).expression] : []));
  expect(queries).toHaveLength(3);
  for (const query of queries) expect(query).toMatch(/ GROUP BY TableName ORDER BY \w+\(\) DESC LIMIT \d+$/);
  // The text names some of the tables, and says that there are more.
  expect(widgets[0]?.properties.markdown).toContain(' and 10 more');
});

test('there is no widget of alarms without alarms', () => {
  expect(dashboard({ alarms: false }).widgets.map(({ type }) => type)).not.toContain('alarm');
});

test('dashboard: false makes none', () => {
  const json = terraformJson(configOf({ ...SESSION_DATA, dashboard: false }));
  expect(resources(json, 'aws_cloudwatch_dashboard')).toEqual([]);
  expect(JSON.stringify(json.output)).not.toContain('dashboard"');
});

test.each([
  ['eu-central-1', 'https://eu-central-1.console.aws.amazon.com/'],
  ['cn-north-1', 'https://cn-north-1.console.amazonaws.cn/'],
  ['us-gov-west-1', 'https://us-gov-west-1.console.amazonaws-us-gov.com/'],
  ['us-iso-east-1', undefined],
])('the outputs say where it is seen in %s', (region, begin) => {
  const { output } = terraformJson({ ...configOf(SESSION_DATA), region });
  const tables = output['tables']?.value as unknown as Record<string, Record<string, string>>;
  const { dashboardName, dashboardUrl } = tables['SessionData'] ?? {};
  expect(dashboardName).toBe('precise-ttl');
  expect(dashboardUrl).toBe(
    begin && `${begin}cloudwatch/home?region=${region}#dashboards/dashboard/precise-ttl`,
  );
});
