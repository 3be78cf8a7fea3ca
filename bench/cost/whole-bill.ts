import { billedTable } from '../../cli/cost/billed-table.ts';
import { monthlyBill } from '../../cost/bill.ts';
import { type PreciseTtlProps, resolveProps } from '../../stacks/props.ts';

/** Items that expire in a minute; a month of ticks has 43,200. */
const RATES = [0, 100, 10_000];
const MINUTES = 43_200;

/** Small items that are written once, live for a day, and are not renewed. */
const LOAD = { itemBytes: 1000, renewalsPerItem: 0, lifetimeHours: 24 };

type Settings = Pick<PreciseTtlProps, 'indexedBy' | 'metrics' | 'alarms' | 'dashboard'>;

const CHOICES: readonly (readonly [string, Settings])[] = [
  [
    'alarms on free metrics, no other metrics',
    { metrics: 'essential', alarms: { deletionLag: false }, dashboard: false },
  ],
  ['`essential`, all its alarms', { metrics: 'essential', dashboard: false }],
  ['`all`, alarms, dashboard (default)', {}],
];

/** The table of docs/cost.md with everything that is billed, from the calculator. */
export function wholeBillTable(): string {
  const columns = [
    'items a minute',
    'indexed by',
    'monitoring',
    'sweep, $',
    'monitoring, $',
    'index and deletes, $',
  ];
  const rows = RATES.flatMap(rate =>
    (['window', 'second'] as const).flatMap(indexedBy =>
      CHOICES.map(([name, settings]) => {
        const props = resolveProps({ tableName: 'T', partitionKey: 'id', indexedBy, ...settings });
        const { byPart, total } = monthlyBill(billedTable(props, { ...LOAD, itemsPerMonth: rate * MINUTES }));
        const dollars = [byPart.sweep, byPart.monitoring, byPart.table].map(each => each.toFixed(2));
        return [rate.toLocaleString('en-US'), indexedBy, name, ...dollars, `**${total.toFixed(2)}**`];
      }),
    ),
  );
  const head = [...columns, 'a month, $'];
  const rule = head.map((_column, index) => (index === 1 || index === 2 ? '---' : '--:'));
  return [
    `| ${head.join(' | ')} |`,
    `|${rule.join('|')}|`,
    ...rows.map(row => `| ${row.join(' | ')} |`),
  ].join('\n');
}
