import { ALARM_NAMES } from '../../config/alarms.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { SWEEP_METRICS } from '../../functions/record-metrics/metrics.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { resources, terraformJson } from '../support/synthesized.ts';

interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly properties: {
    readonly title?: string;
    readonly alarms?: readonly string[];
    readonly metrics?: readonly (readonly unknown[])[];
    readonly annotations?: object;
  };
}

function widgetsOf(props: Partial<PreciseTtlProps> = {}): Widget[] {
  const json = terraformJson(configOf({ ...SESSION_DATA, dashboard: true, ...props }));
  const [block] = resources(json, 'aws_cloudwatch_dashboard');
  return JSON.parse(String(block?.['dashboard_body'])).widgets;
}

test('no deployment has one that does not ask for it', () => {
  expect(terraformJson(configOf(SESSION_DATA)).resource).not.toHaveProperty('aws_cloudwatch_dashboard');
});

test('it shows what each alarm watches, with its threshold, and every metric of the sweep', () => {
  const graphs = widgetsOf().filter(({ type }) => type === 'metric');
  const watched = graphs.filter(({ properties }) => properties.annotations !== undefined);
  expect(watched.map(({ properties }) => properties.title?.split(':')[0])).toEqual(
    ALARM_NAMES.filter(name => name !== 'pipesBehind'),
  );
  const shown = new Set(
    graphs.flatMap(({ properties }) => properties.metrics?.map(([, name]) => name) ?? []),
  );
  for (const { name } of SWEEP_METRICS) expect(shown).toContain(name);
});

test('no widget lies on another one, and the alarms are shown where there are any', () => {
  const places = widgetsOf().map(({ x, y }) => `${x} ${y}`);
  expect(new Set(places).size).toBe(places.length);
  const alarms = (props: Partial<PreciseTtlProps>) => widgetsOf(props).filter(({ type }) => type === 'alarm');
  expect(alarms({})[0]?.properties.alarms).toHaveLength(ALARM_NAMES.length - 1);
  expect(alarms({ alarms: false })).toEqual([]);
});
