import { type Bill, monthlyBill } from '../../cost/bill.ts';
import { type PreciseTtlProps, resolveProps } from '../../stacks/props.ts';
import { billedDeployments } from './billed-deployments.ts';

/** Items that expire in a minute; a month of ticks has 43,200. */
const RATES = [0, 100, 10_000];
const MINUTES = 43_200;

/** Small items that are written once, live for a day, and are not renewed. */
const LOAD = { itemBytes: 1000, renewalsPerItem: 0, lifetimeHours: 24 };

type Settings = Pick<PreciseTtlProps, 'indexedBy' | 'metrics' | 'alarms' | 'dashboard'>;

const FREE_METRICS = { metrics: 'essential', alarms: { deletionLag: false }, dashboard: false } as const;

const CHOICES: readonly (readonly [string, Settings])[] = [
  ['alarms on free metrics, no other metrics', FREE_METRICS],
  ['`essential`, all its alarms', { metrics: 'essential', dashboard: false }],
  ['`all`, alarms, dashboard (default)', {}],
];

const WAYS = ['window', 'second'] as const;

/** The table of docs/cost.md with everything that is billed. */
export function wholeBillTable(): string {
  const head = [
    ...['items a minute', 'indexed by', 'monitoring', 'sweep, $', 'monitoring, $', 'index and deletes, $'],
    'a month, $',
  ];
  const rows = RATES.flatMap(rate =>
    WAYS.flatMap(indexedBy =>
      CHOICES.map(([name, settings]) => {
        const { byPart, total } = billOf(rate, { indexedBy, ...settings });
        const parts = [byPart.sweep, byPart.monitoring, byPart.table].map(each => each.toFixed(2));
        return [rate.toLocaleString('en-US'), indexedBy, name, ...parts, `**${total.toFixed(2)}**`];
      }),
    ),
  );
  return markdownTable(head, '|--:|---|---|--:|--:|--:|--:|', rows);
}

/** The same in short, for the README: every row adds up to a month of docs/cost.md. */
export function shortBillTable(): string {
  const head = [
    ...['items a minute', 'indexed by', 'sweep', 'metrics, alarms, a dashboard', 'index and deletes'],
    ...['a month, as it comes', 'with alarms on free metrics only'],
  ];
  const rows = RATES.flatMap(rate =>
    WAYS.map(indexedBy => {
      const { byPart, total } = billOf(rate, { indexedBy });
      const parts = [byPart.sweep, byPart.monitoring, byPart.table].map(dollars);
      const least = billOf(rate, { indexedBy, ...FREE_METRICS }).total;
      return [rate.toLocaleString('en-US'), indexedBy, ...parts, `**${dollars(total)}**`, dollars(least)];
    }),
  );
  return markdownTable(head, '|--:|---|--:|--:|--:|--:|--:|', rows);
}

const dollars = (value: number): string => `$${value.toFixed(2)}`;

function billOf(itemsPerMinute: number, settings: Settings): Bill {
  const props = resolveProps({ tableName: 'T', partitionKey: 'id', ...settings });
  return monthlyBill(billedDeployments([props], { ...LOAD, itemsPerMonth: itemsPerMinute * MINUTES }));
}

function markdownTable(head: readonly string[], rule: string, rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
