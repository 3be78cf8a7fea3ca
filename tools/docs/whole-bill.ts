import { billedDeployment } from '../../cli/cost.ts';
import { type Bill, monthlyBill } from '../../cost/bill.ts';
import { type FlatProps, resolveProps } from '../../stacks/config/props.ts';

/** Minutes of a month, as the ticks are counted. */
const MINUTES = 43_200;

/** Small items that are written once, live for a day, and are not renewed. */
const LOAD = { itemBytes: 1000, renewalsPerItem: 0, lifetimeHours: 24 };

type Settings = Pick<FlatProps, 'indexedBy' | 'pollSeconds' | 'dashboard'>;

/** Number of tables in a deployment, items per minute in each, and their kind of index. */
type Row = readonly [tables: number, rate: number, indexed: string, settings: Settings];

const WINDOW = ['by window', {}] as const;
const SECOND = ['by second', { indexedBy: 'second' }] as const;

const ROWS: readonly Row[] = [
  [1, 0, ...WINDOW],
  [1, 0, ...SECOND],
  [1, 100, ...WINDOW],
  [1, 100, ...SECOND],
  [1, 10_000, ...WINDOW],
  [100, 0, ...WINDOW],
  [1, 0, 'by window, `pollSeconds: 5`', { pollSeconds: 5 }],
  [100, 0, ...SECOND],
  [100, 20, ...WINDOW],
];

/** The table of docs/use.md with all billed amounts. */
export function wholeBillTable(): string {
  const head = [
    ...['tables', 'items a minute, each', 'indexed', 'sweep', 'metrics, alarms, a dashboard'],
    ...['index and deletes', 'a month, as it comes', 'without the dashboard'],
  ];
  const lines = ROWS.map(([tables, rate, indexed, settings]) => {
    const { byPart, total } = billOf(tables, rate, settings);
    const least = billOf(tables, rate, { ...settings, dashboard: false }).total;
    const parts = [byPart.sweep, byPart.monitoring, byPart.table].map(dollars);
    return [
      ...[String(tables), rate.toLocaleString('en-US'), indexed],
      ...[...parts, `**${dollars(total)}**`, dollars(least)],
    ];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), '|--:|--:|---|--:|--:|--:|--:|--:|', ...lines.map(line)].join('\n');
}

const dollars = (value: number): string =>
  `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

function billOf(tables: number, itemsPerMinute: number, settings: Settings): Bill {
  const resolved = Array.from({ length: tables }, (_unused, table) =>
    resolveProps({ tableName: `T-${table + 1}`, partitionKey: 'id', ...settings }),
  );
  return monthlyBill(billedDeployment(resolved, { ...LOAD, itemsPerMonth: itemsPerMinute * MINUTES }));
}
