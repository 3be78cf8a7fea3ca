// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { IamRolePolicy } from '@cdktf/provider-aws/lib/iam-role-policy/index.js';
import { TerraformResource } from 'cdktf';
import type { Construct } from 'constructs';
import {
  ALARM_NAMES,
  ALARMS,
  type AlarmName,
  isRecorded,
  kebab,
  neededFor,
  subjectOf,
} from '../../config/alarms.ts';
import type { Deployment } from '../../config/deployments.ts';
import { mapValues } from '../../config/map-values.ts';
import { fieldPathOf } from '../../config/prop-groups.ts';
import {
  hasLedger,
  hasProof,
  PROP_NAMES,
  PROPS,
  type ResolvedProps,
  readerSettings,
  tuned,
} from '../../config/props.ts';
import {
  Expression,
  equal,
  expression,
  hcl,
  less,
  or,
  product,
  sum,
  when,
  withoutNone,
} from '../../config/values.ts';
import { LATE } from '../../functions/record-metrics/metrics.ts';
import { SETTING_KINDS, type Settings, toEnvironment } from '../../functions/runtime/environment.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { dashboardBody } from '../dashboard.ts';
import { SweepDashboard } from '../parts/dashboard.ts';
import { DeployedSweep } from '../parts/deployed-sweep.ts';
import { Place } from '../parts/place.ts';
import { INLINE_CHARACTERS, type Statement } from '../parts/role-policies.ts';
import {
  deleteStatements,
  pollStatements,
  queryStatements,
  scanStatements,
} from '../parts/table-statements.ts';
import { openArchive } from './archive-part.ts';
import { defaultThreshold, openAlarms, tuningOf } from './open-alarms.ts';
import { anyTableHas, PART_NAMES } from './parts.ts';
import { brokenRulesOf } from './relations.ts';
import { snake } from './snake.ts';
import { openShared, WrittenStack } from './written-stack.ts';

/** The readers of the table `t`. */
const readers: Pick<ResolvedProps, 'archive' | 'events'> = {
  archive: expression('t.archive'),
  events: expression('t.events'),
};

/** Expressions for the values of a table that are not settings of its entry: `t` is an entry of `local.tables`. */
export const OF_TABLE: Readonly<Record<string, string>> = {
  tableName: 't.table.name',
  partitionKey: 't.table.hash_key',
  // The provider returns '' for a table without one.
  sortKey: 'try(coalesce(t.table.range_key), null)',
  metrics: 'var.metrics',
  ...mapValues(tuned({ indexedBy: expression('t.indexed_by') }), hcl),
  ...mapValues(
    readerSettings({
      ...readers,
      batchSeconds: openArchive('t.archive').batchSeconds,
    }),
    hcl,
  ),
};

/** Settings that stay null by default: their defaults are computed from others, or a table by second must not have them. */
export const CALCULATED = [
  'windowAttribute',
  'indexName',
  'granularityMinutes',
  'shards',
  'pollSeconds',
  'name',
] as const;

/** Expression for a setting of the table `t` in `var.tables`: `t.index.by`. */
export const givenTerm = (prop: string) => OF_TABLE[prop] ?? `t.${snake(fieldPathOf(prop))}`;

/** Settings that are nested fields in `var.tables`, and flat in `local.tables`, like in executions. */
const FLATTENED = ['indexedBy', 'holdAttribute', 'indexScan'] as const;

const term = (prop: string) => OF_TABLE[prop] ?? `t.${snake(prop)}`;

/** A setting of the table `t` as a typed reference. */
function setting<Type>(prop: string): Type {
  return expression(term(prop));
}

export const SETTINGS = Object.keys(SETTING_KINDS);

/** The local value of the tables with every default filled in, and with flat settings. */
export function tablesLocal(): string {
  const given = <Type>(prop: string) => expression<Type>(givenTerm(prop));
  const before = {
    tableName: given<string>('tableName'),
    indexedBy: given<ResolvedProps['indexedBy']>('indexedBy'),
    precisionSeconds: given<number>('precisionSeconds'),
  };
  const fields = [
    ...FLATTENED.map(prop => [snake(prop), given(prop)]),
    ...CALCULATED.map(prop => [snake(prop), or(given<unknown>(prop), PROPS[prop].byDefault(before))]),
  ];
  return `{ for key, t in var.tables : key => merge(t, ${hcl(Object.fromEntries(fields))}) }`;
}

/** The local value of each table's settings that executions carry. */
export function settingsLocal(): string {
  return byTable(withoutNone(openSettings()));
}

/** The local value of the environments of each table's own functions. */
export function environmentsLocal(): string {
  return byTable(withoutNone(toEnvironment(openSettings() as unknown as Settings, value => value)));
}

function openSettings(): Readonly<Record<string, unknown>> {
  return Object.fromEntries(SETTINGS.map(name => [name, setting(name)]));
}

/** An expression with a value for each table, in which `t` is the table. */
function byTable(value: unknown): string {
  return `{\n  for key, t in local.tables : key => ${hcl(value)}\n}`;
}

/** The local value of each table's attributes that hold its items, or have held some. */
export function holdsLocal(): string {
  return 'toset(flatten([\n  for key, t in var.tables : formatlist("%s/%s", key, compact(concat([t.hold.attribute], t.hold.releases)))\n]))';
}

/**
 * Turns the statements of one table into statements for all tables. If a statement's condition differs by table, it becomes a list of
 * statements.
 */
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

/** The local value of the rules that settings of tables break. */
export function brokenRulesLocal(): string {
  return brokenRulesOf(openProps());
}

/** Placeholders for all props of a table. */
function openProps(): ResolvedProps {
  return Object.fromEntries(PROP_NAMES.map(prop => [prop, setting(prop)])) as unknown as ResolvedProps;
}

const HOLDS = 'held_unless_in_releases_holds_of';

/** One deployment whose props are variables, and whose tables are not known in advance. */
export class ModuleStack extends WrittenStack {
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
        scan: ofAllTables(scanStatements(accessed, place)),
        delete: ofAllTables(deleteStatements(accessed, place)),
        poll: ofAllTables(pollStatements(accessed, place)),
        ledger: expression(`anytrue([for t in local.tables : ${hcl(hasLedger(readers))}])`),
        proof: expression(`anytrue([for t in local.tables : ${hcl(hasProof(readers))}])`),
        tableNames: [],
      },
    });
    const { alarms } = sweep;
    const byName = Object.values(alarms.alarms);
    for (const alarm of byName) alarm.addOverride('count', countOf(alarm.node.id));
    // The alarms of a part's reader are in the module of that part.
    const tables = deployment.tables.map(({ archive: _archive, ...table }) => table);
    const { metrics: _metrics, ...shown } = { ...deployment, tables };
    const resources = {
      stateMachineArn: sweep.tick.arn,
      replayStateMachineArn: sweep.replay.arn,
      deadLetterQueueName: `${deployment.name}-dead-letters`,
      region: place.region,
      alarmArns: expression<string[]>('local.alarm_arns'),
      tableNames: ['${join("`, `", [for t in local.tables : t.table.name])}'],
    };
    this.#guardHolds();
    sweep.tick.stateMachine.addOverride('lifecycle.precondition', {
      condition: expression('length(local.broken_rules) == 0'),
      error_message: '${join("\\n", local.broken_rules)}',
    });
    const dashboard = new SweepDashboard(this, 'dashboard', {
      resources,
      deployment: { ...deployment, tables, metrics: 'essential' },
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
    for (const policy of this.node.findAll()) if (policy instanceof IamRolePolicy) checkRoom(policy);
  }

  /**
   * Refuses a plan that no longer names an attribute that holds items, because the next tick would delete them: the guard's instance of
   * the attribute would be destroyed. A static module cannot move it to a block that allows this, so an attribute that is given up must
   * stay named. The name of the instance tells the user what to do.
   */
  #guardHolds(): void {
    const holds = new TerraformResource(this, HOLDS, {
      terraformResourceType: 'terraform_data',
      lifecycle: { preventDestroy: true },
    });
    holds.addOverride('for_each', new Expression('local.holds'));
  }

  #outputs(sweep: DeployedSweep, place: Place): void {
    this.outputs({
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
      ...Object.fromEntries(
        PART_NAMES.map(part => [
          part,
          [
            `The outputs of modules/${part}, by the keys of the tables that have it.`,
            expression(`module.${part}`),
          ],
        ]),
      ),
    });
  }
}

/** Checks the length of a role's policy. It grows with the tables, and is not known in advance. */
function checkRoom(policy: IamRolePolicy): void {
  if (!policy.policyInput?.includes('local.tables')) return;
  policy.addOverride('lifecycle.postcondition', [
    {
      condition: `\${length(self.policy) <= ${INLINE_CHARACTERS}}`,
      error_message: `tables: expected what the role ${policy.nameInput} may do in ${INLINE_CHARACTERS} characters, got \${length(self.policy)}. Put some of the tables into another module block, with another name.`,
    },
  ]);
}

/** Converts JSON with Terraform's references to an HCL expression. */
function encoded(json: string): string {
  return expression(`jsonencode(${hcl(JSON.parse(json))})`);
}

/** The keys of a table, read from its data source. */
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
    hcl(tuningOf('local.alarms', alarm, 'enabled')),
    ...(onlyEnabled ? [enabled.hcl] : []),
    ...(neededFor(alarm).length > 0 ? [anyTableHas(neededFor(alarm))] : []),
    ...(isRecorded(alarm, 'essential') ? [] : ['var.metrics == "all"']),
  ];
  return new Expression(`${conditions.join(' && ')} ? 1 : 0`);
}

const enabled = new Expression('anytrue([for t in local.tables : t.enabled])');

function openDeployment(): Deployment {
  const precisionSeconds = expression<number>('max([for t in local.tables : t.precision_seconds]...)');
  const inSeconds = less(precisionSeconds, LATE.plainSeconds);
  const threshold = (alarm: AlarmName): number =>
    alarm === 'deletionLag'
      ? when(inSeconds, product(sum(precisionSeconds, LATE.secondsMore), 1000), LATE.plainMs)
      : defaultThreshold(alarm);
  const name = '${var.name}';
  const table = {
    ...Object.fromEntries([...SETTINGS, 'tableKmsKeyArn'].map(prop => [prop, setting(prop)])),
    name,
    metricsPerTable: false,
    precisionSeconds,
    // Set, so that the alarm on records that readers have not seen is included: Terraform decides whether it is created.
    archive: {},
  };
  return {
    ...openShared('var'),
    name,
    enabled: enabled as unknown as boolean,
    metrics: 'all',
    metricsNamespace: '${var.metrics_namespace}',
    alarms: openAlarms('local.alarms', alarm => subjectOf(alarm) === undefined, threshold),
    alarmTopicArn: expression('one(var.alarm_topic[*].arn)'),
    logKeys: when(expression('alltrue([for t in local.tables : t.log_keys == "full"])'), 'full', 'none'),
    // Two entries, so that descriptions are those for several tables, which name none of them.
    tables: [table, table],
  } as unknown as Deployment;
}
