// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { TerraformElement, TerraformOutput, TerraformStack } from 'cdktf';
import type { Construct, Node } from 'constructs';
import { LATE } from '../../functions/record-metrics/metrics.ts';
import { SETTING_KINDS } from '../../functions/runtime/environment.ts';
import type { CarriedSettings } from '../../statemachine/contract.ts';
import { ALARM_NAMES, ALARMS, type AlarmName, isRecorded, kebab, tuningKinds } from '../alarms.ts';
import { dashboardBody } from '../dashboard.ts';
import type { Deployment } from '../deployments.ts';
import { SweepDashboard } from '../parts/dashboard.ts';
import { DeployedSweep } from '../parts/deployed-sweep.ts';
import { Place } from '../parts/place.ts';
import type { Statement } from '../parts/role-policies.ts';
import { deleteStatements, pollStatements, queryStatements } from '../parts/table-statements.ts';
import { DEPLOYMENT_PROPS, PROPS, type ResolvedProps } from '../props.ts';
import { partMinutes, partsOf } from '../reconcile-parts.ts';
import { Expression, equal, expression, hcl, less, or, product, sum, when } from '../values.ts';
import { snake } from './snake.ts';

/** What a table of the module is, beside its settings: `t` stands for one of `local.tables`. */
const OF_TABLE: Readonly<Record<string, string>> = {
  tableName: 't.table.name',
  partitionKey: 't.table.hash_key',
  // The provider says '' of a table that has none.
  sortKey: 'try(coalesce(t.table.range_key), null)',
};

/** Defaults that are made of other settings. */
export const CALCULATED = [
  'indexName',
  'granularityMinutes',
  'shards',
  'pollSeconds',
  'lookbackMinutes',
  'reconcileHours',
] as const;

const term = (prop: string) => OF_TABLE[prop] ?? `t.${snake(prop)}`;

/** A setting of the table `t`. */
function setting<Type>(prop: string): Type {
  return expression(term(prop));
}

/** Settings that only tables with a stream have. */
const NOT_YET = ['marginSeconds'];

export const SETTINGS = Object.keys(SETTING_KINDS).filter(name => !NOT_YET.includes(name));

/** The tables with every default filled in. */
export function tablesLocal(): string {
  const before = {
    tableName: 'table',
    indexedBy: setting<ResolvedProps['indexedBy']>('indexedBy'),
    precisionSeconds: setting<number>('precisionSeconds'),
  };
  const granularityMinutes = or(
    setting<number | undefined>('granularityMinutes'),
    PROPS.granularityMinutes.byDefault(before),
  );
  const fields = CALCULATED.map(prop => [
    snake(prop),
    or(setting<unknown>(prop), PROPS[prop].byDefault({ ...before, granularityMinutes })),
  ]);
  return `{ for key, t in var.tables : key => merge(t, ${hcl(Object.fromEntries(fields))}) }`;
}

/** What executions carry of each table. */
export function settingsLocal(): string {
  const fields = SETTINGS.map(name => [name, setting(name)]);
  return `{\n  for key, t in local.tables : key => {\n    for name, value in ${hcl(Object.fromEntries(fields))} : name => value if value != null\n  }\n}`;
}

/** How far a part of each table's reconcile reaches. */
export function partMinutesLocal(): string {
  return `{\n  for key, t in local.tables : key => ${hcl(partMinutes(reconciled()))}\n}`;
}

function reconciled() {
  return {
    reconcileHours: setting<number>('reconcileHours'),
    granularityMinutes: setting<number>('granularityMinutes'),
    shards: setting<number>('shards'),
  };
}

/** Names of the tables by what their reconciles look at: tables that look back alike have one. */
export function reconcileGroupsLocal(): string {
  const parts = partsOf(reconciled(), expression('local.part_minutes[key]'));
  return `{\n  for key, t in local.tables : jsonencode({\n    granularity = t.granularity_minutes\n    daily = ${hcl(equal(setting('indexedBy'), 'second'))}\n    parts = ${hcl(parts)}\n  }) => t.table.name... if t.enabled\n}`;
}

export function reconcilesLocal(): string {
  const part = {
    minute: expression('part.minute'),
    daily: expression('jsondecode(group).daily'),
    input: expression(
      '{\nfor name, value in {\ntables = length(local.reconcile_groups) > 1 ? names : null\nlookbackMinutes = part.lookbackMinutes\nskipMinutes = part.skipMinutes > 0 ? part.skipMinutes : null\n} : name => value if value != null\n}',
    ),
  } satisfies Record<'minute' | 'daily' | 'input', unknown>;
  return `{
  for index, reconcile in flatten([
    for group, names in local.reconcile_groups : [for part in jsondecode(group).parts : ${hcl(part)}]
  ]) : index == 0 ? "reconcile" : "reconcile-\${index + 1}" => reconcile
}`;
}

/** Statements of each table, as those of all. One whose condition differs by table is a list of them. */
function ofAllTables(statements: readonly Statement[]): Statement[] {
  return statements.map(statement => {
    const { resources, condition } = statement;
    if (/\bt\./.test(JSON.stringify(condition ?? {}))) {
      const each = {
        Effect: 'Allow',
        Action: statement.actions,
        Resource: resources,
        Condition: condition,
      };
      return expression<Statement>(`[for t in local.tables : ${hcl(each)}]`);
    }
    return {
      ...statement,
      resources: expression<string[]>(`flatten([for t in local.tables : ${hcl(resources)}])`),
    };
  });
}

const variable = <Type>(name: string) => expression<Type>(`var.${name}`);

/** One deployment whose props are variables, and whose tables nobody knows yet. */
export class ModuleStack extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const place = new Place(this, 'place');
    const deployment = openDeployment();
    const accessed = {
      props: { ...deployment.tables[0], ...keyed() } as ResolvedProps,
      tableArn: '${t.table.arn}',
      indexArn: '${t.table.arn}/index/${t.index_name}',
    };
    const settings = (filter: string) =>
      expression<CarriedSettings[]>(`[for key, each in local.settings : each${filter}]`);
    const sweep = new DeployedSweep(this, {
      place,
      deployment: { ...deployment, dashboard: false },
      tables: [],
      access: {
        settings: settings(''),
        enabledSettings: settings(' if local.tables[key].enabled'),
        query: ofAllTables(queryStatements(accessed, place)),
        delete: ofAllTables(deleteStatements(accessed, place)),
        poll: ofAllTables(pollStatements(accessed, place)),
        tableNames: [],
      },
    });
    const { alarms } = sweep;
    const byName = Object.values(alarms.alarms);
    for (const alarm of byName) alarm.addOverride('count', countOf(alarm.node.id));
    const { metrics: _metrics, ...shown } = deployment;
    const resources = {
      stateMachineArn: sweep.tick.arn,
      replayStateMachineArn: sweep.replay.arn,
      deadLetterQueueName: `${deployment.name}-dead-letters`,
      region: place.region,
      alarmArns: expression<string[]>('local.alarm_arns'),
      tableNames: ['${join("`, `", [for t in local.tables : t.table.name])}'],
    };
    const dashboard = new SweepDashboard(this, 'dashboard', {
      resources,
      deployment: { ...deployment, metrics: 'essential' },
    });
    dashboard.dashboard.addOverride('count', when(variable<boolean>('dashboard'), 1, 0));
    dashboard.dashboard.addOverride(
      'dashboard_body',
      when(
        equal(variable('metrics'), 'all'),
        encoded(dashboardBody({ ...shown, metrics: 'all' }, resources)),
        encoded(dashboardBody({ ...shown, metrics: 'essential' }, resources)),
      ),
    );
    this.#outputs(sweep, place);
  }

  #outputs(sweep: DeployedSweep, place: Place): void {
    const outputs: Readonly<Record<string, readonly [description: string, value: unknown]>> = {
      state_machine_arn: ['ARN of the state machine of the ticks.', sweep.tick.arn],
      replay_state_machine_arn: ['ARN of the state machine to start replays of.', sweep.replay.arn],
      journal_table_name: ['Name of the journal.', sweep.journal.tableName],
      journal_table_arn: ['ARN of the journal.', sweep.journal.tableArn],
      schedule_group_arn: ['ARN of the group of the schedules.', sweep.schedules.group.arn],
      dead_letter_queue_arn: [
        'ARN of the queue of starts that did not get through.',
        sweep.schedules.deadLetterQueue.arn,
      ],
      dead_letter_queue_url: ['URL of that queue.', sweep.schedules.deadLetterQueue.url],
      alarm_topic_arn: ['ARN of the topic that the alarms tell.', sweep.alarms.topicArn],
      function_arns: ['ARNs of the functions, by the state that calls them.', { ...sweep.functionArns }],
      role_arns: ['ARNs of the roles, by what takes them.', { ...sweep.roleArns }],
      log_group_arns: ['ARNs of the log groups, by what writes them.', { ...sweep.logGroupArns }],
      region: ['The region that is swept.', place.region],
    };
    for (const [name, [description, value]] of Object.entries(outputs)) {
      new TerraformOutput(this, name, { description, value });
    }
  }

  /** Names as a person gives them: they are the addresses of a team's state. */
  protected override allocateLogicalId(element: TerraformElement | Node): string {
    const path = (element instanceof TerraformElement ? element.node : element).path.split('/').slice(1);
    const words = path.flatMap((word, index) => (word === path[index - 1] ? [] : [word]));
    return words.join('_').replaceAll('-', '_');
  }
}

/** JSON whose references are Terraform's, as an expression of it. */
function encoded(json: string): string {
  return expression(`jsonencode(${hcl(JSON.parse(json))})`);
}

/** The keys of a table, which the table itself says. */
function keyed() {
  return {
    indexedBy: setting('indexedBy'),
    partitionKey: setting<string>('partitionKey'),
    sortKey: setting<string>('sortKey'),
    deleteMode: setting('deleteMode'),
    holdAttribute: setting<string>('holdAttribute'),
    tableKmsKeyArn: setting<string>('tableKmsKeyArn'),
  };
}

function countOf(id: string): Expression {
  const alarm = ALARM_NAMES.find(name => kebab(name) === id) as AlarmName;
  const { onlyEnabled } = ALARMS[alarm] as { onlyEnabled?: true };
  const conditions = [
    `local.alarms.${snake(alarm)}.enabled`,
    ...(onlyEnabled ? [enabled.hcl] : []),
    ...(isRecorded(alarm, 'essential') ? [] : ['var.metrics == "all"']),
  ];
  return new Expression(`${conditions.join(' && ')} ? 1 : 0`);
}

const enabled = new Expression('anytrue([for t in local.tables : t.enabled])');

function openDeployment(): Deployment {
  const ofDeployment = Object.fromEntries(DEPLOYMENT_PROPS.map(prop => [prop, variable(snake(prop))]));
  const subnets = (list: string) => expression(`local.vpc.${list}`);
  const precisionSeconds = expression<number>('max([for t in local.tables : t.precision_seconds]...)');
  const inSeconds = less(precisionSeconds, LATE.plainSeconds);
  const defaults = (alarm: AlarmName): number =>
    alarm === 'deletionLag'
      ? when(inSeconds, product(sum(precisionSeconds, LATE.secondsMore), 1000), LATE.plainMs)
      : (ALARMS[alarm].threshold as (table: { precisionSeconds: number }) => number)({ precisionSeconds: 1 });
  const tunings = ALARM_NAMES.map(alarm => {
    const { subject } = ALARMS[alarm] as { subject?: string };
    if (subject !== undefined) return [alarm, false];
    const tuned = (field: string) => expression<number | undefined>(`local.alarms.${snake(alarm)}.${field}`);
    const fields = Object.keys(tuningKinds(alarm));
    return [
      alarm,
      {
        ...(fields.includes('threshold') && { threshold: or(tuned('threshold'), defaults(alarm)) }),
        periods: or(tuned('periods'), ALARMS[alarm].periods as number),
      },
    ];
  });
  const name = '${var.name}';
  const table = {
    ...Object.fromEntries([...SETTINGS, 'tableKmsKeyArn'].map(prop => [prop, setting(prop)])),
    name,
    metricsPerTable: false,
    precisionSeconds,
  };
  return {
    ...ofDeployment,
    name,
    roleArns: undefined,
    enabled: enabled as unknown as boolean,
    metrics: 'all',
    metricsNamespace: '${var.metrics_namespace}',
    alarms: Object.fromEntries(tunings),
    alarmTopicArn: expression('one(var.alarm_topic[*].arn)'),
    vpc: { subnetIds: subnets('subnet_ids'), securityGroupIds: subnets('security_group_ids') },
    tags: variable('tags'),
    logKeys: when(expression('alltrue([for t in local.tables : t.log_keys == "full"])'), 'full', 'none'),
    reconciles: expression('local.reconciles'),
    // As of several: nothing is said of the only one.
    tables: [table, table],
  } as unknown as Deployment;
}
