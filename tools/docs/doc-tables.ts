import { readFileSync } from 'node:fs';
import { billedDeployment } from '../../cli/cost.ts';
import { COMMAND_ACTIONS, groupedActions } from '../../cli/iam-actions.ts';
import { monthlyBill } from '../../cost/bill.ts';
import { TICKS_A_MONTH } from '../../cost/sweep-usage.ts';
import { TARGET_LIMITS } from '../../functions/only-expiries/contract.ts';
import { SWEEP_METRICS } from '../../functions/record-metrics/metrics.ts';
import { alarmsOf, kebab } from '../../stacks/config/alarms.ts';
import { deploymentOf } from '../../stacks/config/deployments.ts';
import { EVENT_TARGETS } from '../../stacks/config/pipe-props.ts';
import {
  DEPLOYMENT_PROPS,
  GROUPS,
  PROP_NAMES,
  PROPS,
  type PropName,
  pathOf,
  resolveProps,
} from '../../stacks/config/props.ts';
import { COUNT_LIST } from '../../statemachine/counts.ts';
import { MAY_IMPORT } from '../../test/structure/rooms.ts';
import { behavioursList, commandsReference, replayDiagram, tickDiagram } from './pages.ts';
import { EXAMPLE_ARNS, rolesList } from './role-statements.ts';

type Passages = Readonly<Record<string, () => string | Promise<string>>>;

/** The generated passages of documents: file → name in the markers → function that makes the passage. */
export const DOC_TABLES = {
  'CONTRIBUTING.md': { imports: importsTable },
  'docs/archive-and-events.md': { targets: eventTargetsTable },
  'docs/contributing/behaviours.md': { behaviours: behavioursList },
  'docs/contributing/state-machine.md': { tick: tickDiagram, replay: replayDiagram },
  'docs/reference/alarms.md': { alarms: alarmsTable },
  'docs/reference/commands.md': { commands: commandsReference },
  'docs/reference/configuration.md': { props: () => propsTable(false), shared: () => propsTable(true) },
  'docs/reference/iam.md': { commands: commandActionsList, roles: rolesList },
  'docs/reference/metrics.md': { metrics: metricsTable },
  'docs/use.md': { bill: billTable },
} as const satisfies Readonly<Record<string, Passages>>;

/**
 * Returns the document with its generated passages. A passage is between `<!-- name -->` and `<!-- /name -->`.
 * @throws TypeError when a marker is missing
 */
export async function withTables(file: keyof typeof DOC_TABLES, document: string): Promise<string> {
  const passages: Passages = DOC_TABLES[file];
  let text = document;
  for (const [name, make] of Object.entries(passages)) {
    const passage = new RegExp(`(<!-- ${name} -->\n).*?(<!-- /${name} -->)`, 's');
    if (!passage.test(text)) throw new TypeError(`${file}: expected <!-- ${name} --> … <!-- /${name} -->`);
    const made = await make();
    text = text.replace(passage, (_all, begin, end) => `${begin}\n${made}\n\n${end}`);
  }
  return text;
}

function importsTable(): string {
  return table(
    ['room', 'may import from, and from what these may'],
    Object.entries(MAY_IMPORT).map(([room, others]) => [
      `\`${room}\``,
      others.map(other => `\`${other}\``).join(', ') || 'none',
    ]),
  );
}

/** The targets of the prop `events`, with the size limits of each target. */
function eventTargetsTable(): string {
  const kb = (bytes: number) => `${numbered(bytes / 1000)} KB`;
  return table(
    ['`as`', 'ARN', 'largest event', 'largest call'],
    EVENT_TARGETS.map(target => [
      `\`${target}\``,
      `\`${EXAMPLE_ARNS[target]}\``,
      kb(TARGET_LIMITS[target].event),
      kb(TARGET_LIMITS[target].call),
    ]),
  );
}

function metricsTable(): string {
  const countOf = new Map(COUNT_LIST.map(([count, { metric }]) => [metric?.name, count]));
  const ofReportAlone = COUNT_LIST.filter(([, { metric }]) => metric === undefined);
  return table(
    ['metric', 'unit', 'in the report', 'what it says'],
    [
      ...SWEEP_METRICS.map(({ name, unit, help, onlyAboveZero }) => {
        const count = countOf.get(name);
        return [`\`${name}\`${onlyAboveZero ? '*' : ''}`, unit, count ? `\`${count}\`` : '', help];
      }),
      ...ofReportAlone.map(([count, { help }]) => ['', 'Count', `\`${count}\``, help]),
    ],
  );
}

/** Lists all alarms. The example has an archive, because a deployment without archive and events has fewer alarms. */
function alarmsTable(): string {
  const [precise, byMinute] = [{}, { precision: 'minute' } as const].map(precision =>
    alarmsOf(deploymentOf([resolveProps({ ...EXAMPLE_TABLE, archive: true, ...precision })])),
  );
  return table(
    ['alarm', 'what it looks at', 'sounds', 'without data'],
    (precise ?? []).map(
      ({ alarm, metrics: [metric], statistic, comparison, threshold, unit, periods, ...rest }) => {
        const inMinutes = byMinute?.find(other => other.alarm === alarm)?.threshold ?? threshold;
        const other = inMinutes === threshold ? '' : ` (\`precision: 'minute'\`: ${numbered(inMinutes)})`;
        const bound = `${numbered(threshold)} ${unit}`;
        const beyond = `${comparison === 'LessThanThreshold' ? '<' : '≥'} ${bound}`;
        const minutes = (rest.periodSeconds / 60) * (rest.isHeartbeat ? periods : 1);
        const times = periods === 1 || rest.isHeartbeat ? '' : `, ${periods} times`;
        return [
          `[${alarm}](#${kebab(alarm)})`,
          `${statistic} of \`${metric.name}\`${metric.namespace.startsWith('AWS/') ? ` (${metric.namespace})` : ''}`,
          `${beyond}${other} in ${minutes} min${times}`,
          rest.isHeartbeat ? 'sounds' : WITHOUT_DATA[rest.treatMissingData],
        ];
      },
    ),
  );
}

const WITHOUT_DATA = { notBreaching: 'silent', ignore: 'stays' } as const;

const numbered = (value: number) => value.toLocaleString('en-US');

const EXAMPLE_TABLE = { tableName: 'NAME', partitionKey: 'id' };

const LOAD = { itemBytes: 1000, renewalsPerItem: 0, lifetimeHours: 24 };

const WINDOW = ['by window', {}] as const;
const SECOND = ['by second', { indexedBy: 'second' }] as const;

const BILLS: readonly (readonly [tables: number, itemsPerMinute: number, indexed: string, props: object])[] =
  [
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

function billTable(): string {
  const dollars = (value: number) =>
    `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  return table(
    ['tables', 'items a minute, each', 'indexed', 'sweep', 'metrics, alarms', 'index and deletes', 'a month'],
    BILLS.map(([tables, itemsPerMinute, indexed, props]) => {
      const resolved = Array.from({ length: tables }, (_unused, at) =>
        resolveProps({ tableName: `T-${at + 1}`, partitionKey: 'id', ...props }),
      );
      const load = { ...LOAD, itemsPerMonth: itemsPerMinute * TICKS_A_MONTH };
      const { byPart, total } = monthlyBill(billedDeployment(resolved, load));
      const parts = [byPart.sweep, byPart.monitoring, byPart.table].map(dollars);
      return [String(tables), numbered(itemsPerMinute), indexed, ...parts, `**${dollars(total)}**`];
    }),
  );
}

const isShared = (name: keyof typeof PROPS) => (DEPLOYMENT_PROPS as readonly string[]).includes(name);

/** Documents the props of the deployment if `shared`, otherwise of a table. The texts are the comments in props.ts. */
function propsTable(shared: boolean): string {
  const [props = '', groups = ''] = readFileSync('stacks/config/props.ts', 'utf8').split(
    'export const GROUPS = {',
  );
  const written = Map.groupBy(PROP_NAMES, name => pathOf(name).split('.')[0] ?? name);
  const rows = [...written].flatMap(([prop, names]) => {
    const own = names.filter(name => isShared(name) === shared);
    if (!(prop in GROUPS)) return own.map(name => row(prop, name, props));
    const fields = own.filter(name => name !== prop);
    return shared ? [] : [row(prop, prop, groups), ...fields.map(name => row(pathOf(name), name, props))];
  });
  return table(['field', 'what it is', 'default'], rows);
}

/** @throws TypeError for a prop without a comment */
function row(path: string, name: string, list: string): string[] {
  const comment = new RegExp(String.raw`/\*\*((?:(?!\*/).)*)\*/\n  ${name}: `, 's').exec(list)?.[1];
  if (comment === undefined) throw new TypeError(`stacks/config/props.ts: expected a comment above ${name}`);
  const [text = '', byDefault] = comment
    .replaceAll(/\s*\n\s*\* ?/g, ' ')
    .trim()
    .split(/\s*@default\s+/);
  return [`\`${path}\``, text, byDefault ?? defaultOf(name as PropName)];
}

function defaultOf(name: keyof typeof PROPS): string {
  const prop = PROPS[name];
  if (prop.isRequired) return 'required';
  if (!('byDefault' in prop)) throw new TypeError(`stacks/config/props.ts: expected a @default of ${name}`);
  const value = prop.byDefault({});
  return `\`${typeof value === 'string' ? `'${value}'` : value}\``;
}

/** Lists the IAM actions of each command. Commands with the same actions share a line. */
function commandActionsList(): string {
  const entries = Object.entries(COMMAND_ACTIONS).map(
    ([command, actions]) => [`\`${command}\``, groupedActions(actions).join('; ')] as const,
  );
  const commandsOf = Map.groupBy(entries, ([, actions]) => actions);
  return [...commandsOf]
    .map(([actions, commands]) => `- ${commands.map(([command]) => command).join(', ')}: ${actions}`)
    .join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
