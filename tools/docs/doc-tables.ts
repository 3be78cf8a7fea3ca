import { jobsTable } from '../../cli/cost/jobs-table.ts';
import { wholeBillTable } from '../../cli/cost/whole-bill.ts';
import { type Subject, subjectsOf } from '../../cli/deployment/subject.ts';
import { GROUPS, PLACEHOLDERS } from '../../cli/doctor/findings.ts';
import {
  COMMAND_ACTIONS,
  DEPLOY_ACTIONS,
  DEPLOY_ACTIONS_WITH,
  type IamAction,
  JOURNAL_DEPLOY_ACTIONS,
  STATE_ACTIONS,
} from '../../cli/iam-actions.ts';
import { rolesOfExample } from '../../cli/role-statements.ts';
import { scaleTable } from '../../cli/scale-table.ts';
import { REMARKS } from '../../cli/status/remarks.ts';
import { EXPERIMENTS } from '../../cli/verify/experiments.ts';
import { ALARM_NAMES, alarmsOf, isRecorded, kebab, subjectOf } from '../../config/alarms.ts';
import { deploymentOf } from '../../config/deployments.ts';
import { HOLDINGS } from '../../config/holdings.ts';
import { propTexts } from '../../config/prop-texts.ts';
import { DEPLOYMENT_PROPS, PLAIN_MODE_SECONDS, PROP_NAMES, PROPS, resolveProps } from '../../config/props.ts';
import { DESTINATION_NAMES, DESTINATIONS } from '../../functions/publish-expiries/destinations.ts';
import { recordedMetrics, SWEEP_METRICS } from '../../functions/record-metrics/metrics.ts';
import { reportOf, startTotals } from '../../functions/report/sweep-totals.ts';
import { COUNT_LIST, FATES, wordsOf } from '../../statemachine/counts.ts';

type Passages = Readonly<Record<string, () => string>>;

/** The passages of documents that are made from the code: by file, and by the name that their markers have. */
export const DOC_TABLES = {
  'docs/configuration.md': { props: () => propsTable(false), shared: () => propsTable(true) },
  'docs/cost.md': { bill: wholeBillTable },
  'docs/deploy.md': { holdings: holdingsTable },
  'docs/doctor.md': { findings: findingsTables },
  'docs/glossary.md': { counts: countsTable },
  'docs/operations.md': { scale: scalePassage, report: reportExample },
  'docs/runbook.md': { causes: () => remarksTable(true), remarks: () => remarksTable(false) },
  'docs/scheduling.md': { fields: eventFieldsTable, jobs: jobsTable },
  'docs/security.md': { commands: commandActionsTable, deploy: deployActionsTable, roles: rolesTable },
  'docs/verify-on-aws.md': { experiments: experimentsTable },
  'docs/monitoring.md': { alarms: alarmsTable, essential: essentialList, metrics: metricsTable },
} as const satisfies Readonly<Record<string, Passages>>;

/**
 * The document with its passages made anew. Each stands between `<!-- name -->` and `<!-- /name -->`.
 * @throws TypeError when a marker is missing
 */
export function withTables(file: keyof typeof DOC_TABLES, document: string): string {
  const passages: Passages = DOC_TABLES[file];
  return Object.entries(passages).reduce((text, [name, make]) => {
    const passage = new RegExp(`(<!-- ${name} -->\n).*?(<!-- /${name} -->)`, 's');
    if (!passage.test(text)) throw new TypeError(`${file}: expected <!-- ${name} --> … <!-- /${name} -->`);
    return text.replace(passage, (_all, begin, end) => `${begin}\n${make()}\n\n${end}`);
  }, document);
}

/** What the fields of the prop `events` are. */
function eventFieldsTable(): string {
  const destinations = DESTINATION_NAMES.map(name => [
    `\`${name}\``,
    DESTINATIONS[name].prop.expected.replaceAll("'", '`'),
  ]);
  return table(
    ['field of `events`', 'what it is'],
    [
      ...destinations,
      ['`oldImage`', 'whether events have the item as it was; default `false`'],
      [
        '`includePast`',
        'whether expiries from before the events are turned on are sent too, up to 24 hours back; default `false`',
      ],
    ],
  );
}

function metricsTable(): string {
  return table(
    ['metric', 'unit', 'what it says'],
    SWEEP_METRICS.map(({ name, unit, help }) => [`\`${name}\``, unit, help]),
  );
}

/** With everything that has an alarm. */
const WITH_STREAM = { archive: {}, events: { eventBus: 'default' } };

/** Names that stand for what only a deployment has. */
const NAMED = {
  stateMachineArn: 'the state machine',
  replayStateMachineArn: 'the one of replays',
  deadLetterQueueName: 'the queue',
};

function alarmsTable(): string {
  const [precise, plain] = [{}, { precisionSeconds: PLAIN_MODE_SECONDS }].map(precision =>
    alarmsOf(deploymentOf([resolveProps({ ...EXAMPLE_TABLE, ...WITH_STREAM, ...precision })]), NAMED),
  );
  return table(
    ['alarm', 'name', 'what it looks at', 'sounds', 'without data', 'what it says'],
    (precise ?? []).map(({ alarm, metric, statistic, comparison, threshold, unit, periods, ...rest }) => {
      const inPlainMode = plain?.find(other => other.alarm === alarm)?.threshold ?? threshold;
      const other = inPlainMode === threshold ? '' : ` (plain mode: ${numbered(inPlainMode)})`;
      const bound = `${numbered(threshold)} ${unit}`;
      const beyond = comparison === 'LessThanThreshold' ? `fewer than ${bound}` : `${bound} or more`;
      const minutes = (rest.periodSeconds / 60) * (rest.isHeartbeat ? periods : 1);
      const times = periods === 1 || rest.isHeartbeat ? '' : `, ${periods} times in a row`;
      return [
        `\`${alarm}\``,
        `\`<${subjectOf(alarm) === undefined ? 'sweep' : 'name'}>-${kebab(alarm)}\``,
        `${statistic} of \`${metric.name}\`${metric.namespace.startsWith('AWS/') ? ` (${metric.namespace})` : ''}`,
        `${beyond}${other} in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}${times}`,
        rest.isHeartbeat ? 'sounds; before its first data it is silent' : WITHOUT_DATA[rest.treatMissingData],
        rest.help,
      ];
    }),
  );
}

const WITHOUT_DATA = { notBreaching: 'is silent', ignore: 'stays as it is' } as const;

const numbered = (value: number) => value.toLocaleString('en-US');

function essentialList(): string {
  const names = recordedMetrics('essential').map(
    ({ name, onlyAboveZero }) => `\`${name}\`${onlyAboveZero ? ' (only when it is above 0)' : ''}`,
  );
  const silent = ALARM_NAMES.filter(alarm => !isRecorded(alarm, 'essential')).map(alarm => `\`${alarm}\``);
  return `Recorded are ${names.join(' and ')}. The alarms ${silent.join(', ')} are not made.`;
}

function countsTable(): string {
  const counts = table(
    ['term', 'what it is', 'where you meet it'],
    COUNT_LIST.map(([name, { help, metric }]) => [
      wordsOf(name),
      help,
      [...(metric ? [metric.name] : []), name].map(term => `\`${term}\``).join(', '),
    ]),
  );
  return `In every sweep but a dry run: found = ${FATES.join(' + ')}.\n\n${counts}`;
}

const EXAMPLE_TABLE = { tableName: 'NAME', partitionKey: 'id' };
const [EXAMPLE_SUBJECT] = subjectsOf({ region: 'REGION', tables: [EXAMPLE_TABLE] }, [EXAMPLE_TABLE]) as [
  Subject,
];

/** @param isCause those that are one, or the others */
function remarksTable(isCause: boolean): string {
  const rows = Object.entries(REMARKS)
    .filter(([, remark]) => remark.isCause === isCause)
    .map(([id, { help, remedy }]) => [`\`${id}\``, help, remedy]);
  return table(['`id`', 'what it says', 'do'], rows);
}

function findingsTables(): string {
  return Object.entries(GROUPS)
    .map(([group, findings]) => {
      const rows = Object.entries(findings).map(([id, { severity, what, meaning, remedy }]) => [
        `\`${id}\``,
        severity,
        `${what.charAt(0).toUpperCase()}${what.slice(1)}. ${meaning}`,
        asCode(remedy(EXAMPLE_SUBJECT, PLACEHOLDERS)),
      ]);
      return `### ${group}\n\n${table(['finding', 'severity', 'what it means', 'what to do'], rows)}`;
    })
    .join('\n\n');
}

/** A command within a sentence, or alone. */
function asCode(text: string): string {
  return text.replace(/\b(npx precise-ttl|aws [a-z-]+ [a-z-]+).*$/s, command => `\`${command}\``);
}

/** What a tick did while DynamoDB throttled one key of its 60. */
const EXAMPLE = { found: 60, deleted: 60, retries: 14, shardsSwept: 1, steps: 2 };
const EXAMPLE_LAG = { p50: 64, p99: 76880, max: 76880 };
const LINE_LENGTH = 110;

function reportExample(): string {
  const report = { ...reportOf({ ...startTotals(false), ...EXAMPLE }), lagMs: EXAMPLE_LAG };
  const lines: string[] = [];
  for (const [name, value] of Object.entries(report)) {
    const field = `"${name}": ${JSON.stringify(value)
      .replaceAll(/([{:,])/g, '$1 ')
      .replaceAll('}', ' }')}`;
    const last = lines.at(-1);
    if (last === undefined || `${last}, ${field}`.length > LINE_LENGTH) lines.push(field);
    else lines[lines.length - 1] = `${last}, ${field}`;
  }
  const json = `{\n${lines.map(line => `  ${line}`).join(',\n')}\n}`;
  return `In every sweep that deletes, found = ${FATES.join(' + ')}:\n\n\`\`\`json\n${json}\n\`\`\``;
}

const isShared = (name: keyof typeof PROPS) => (DEPLOYMENT_PROPS as readonly string[]).includes(name);

/** What is a table's, and what its deployment shares. */
function propsTable(shared: boolean): string {
  const texts = propTexts();
  return table(
    ['field', 'what it is', 'default'],
    PROP_NAMES.filter(name => isShared(name) === shared).map(name => [
      `\`${name}\``,
      texts[name]?.text ?? '',
      texts[name]?.byDefault ?? defaultOf(name),
    ]),
  );
}

function defaultOf(name: keyof typeof PROPS): string {
  const prop = PROPS[name];
  if (prop.isRequired) return 'required';
  if (!('byDefault' in prop)) throw new TypeError(`config/props.ts: expected a @default of ${name}`);
  const value = prop.byDefault({ tableName: 'T' });
  return `\`${typeof value === 'string' ? `'${value}'` : value}\``;
}

function holdingsTable(): string {
  return table(
    ['what', 'what it holds', 'turned off', 'entry out, in two steps', '`destroy`'],
    Object.values(HOLDINGS).map(({ what, holds, turnedOff, onAgain, entryOut, destroyed }) => [
      what,
      holds,
      `${turnedOff}, ${onAgain}`,
      entryOut,
      destroyed,
    ]),
  );
}

function commandActionsTable(): string {
  const rows = Object.entries<readonly IamAction[]>(COMMAND_ACTIONS).flatMap(([command, actions]) =>
    actions.map(({ action, on, without = 'it does not work' }) => [
      `\`${command}\``,
      `\`${action}\``,
      on === '*' ? '`*`' : on,
      without,
    ]),
  );
  return table(['command', 'action', 'on', 'without it'], rows);
}

function deployActionsTable(): string {
  const rows = Object.entries(DEPLOY_ACTIONS).filter(([, actions]) => actions.length > 0);
  const more: [string, readonly string[]][] = [
    ['the journal, besides', JOURNAL_DEPLOY_ACTIONS],
    ...Object.entries(DEPLOY_ACTIONS_WITH).map(([prop, actions]): [string, readonly string[]] => [
      `with \`${prop}\``,
      actions,
    ]),
    ['with a state in S3, on the object and that of its lock', STATE_ACTIONS.object],
    ['with a state in S3, on the bucket', STATE_ACTIONS.bucket],
  ];
  return table(
    ['resource', 'actions'],
    [...rows.map(([type, actions]) => [`\`${type}\``, actions] as const), ...more].map(([of, actions]) => [
      of,
      actions.map(action => `\`${action}\``).join(', '),
    ]),
  );
}

function experimentsTable(): string {
  return table(
    ['experiment', 'what it asks', 'kept when', 'what follows when not'],
    EXPERIMENTS.map(({ id, question, criterion, otherwise }) => [
      `\`${id}\``,
      question,
      criterion,
      otherwise,
    ]),
  );
}

function scalePassage(): string {
  const { head, rows } = scaleTable();
  return table(head, rows);
}

function rolesTable(): string {
  const rows = rolesOfExample().flatMap(({ role, statements }) =>
    statements.map(({ actions, on, condition }) => [
      `\`${role}\``,
      actions.map(action => `\`${action}\``).join(', '),
      on,
      condition ?? '',
    ]),
  );
  return table(['role', 'may', 'on', 'only if'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map(row => (row === head || row[0] !== '---' ? `| ${row.join(' | ')} |` : `|${row.join('|')}|`))
    .join('\n');
}
