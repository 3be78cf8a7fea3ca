import { isDeepStrictEqual } from 'node:util';
import type { FieldProblem } from '../expiry/errors.ts';
import { isObject } from '../expiry/fields.ts';
import type { ExpiryModel } from '../expiry/model.ts';
import { carriedSettings, modelOfSettings } from '../functions/runtime/environment.ts';
import type { CarriedSettings, TickInput } from '../statemachine/contract/inputs.ts';
import { type Named, nameProblem, namesOfDeployment, namesOfTable } from './names.ts';
import { archiveOf } from './pipe-props.ts';
import {
  DEPLOYMENT_PROPS,
  functionSettings,
  type PreciseTtlProps,
  type ResolvedProps,
  resolveProps,
} from './props.ts';

type SharedName = (typeof DEPLOYMENT_PROPS)[number];

/** Tables that one deployment sweeps, and the settings that they share. */
export interface Deployment extends Pick<ResolvedProps, SharedName | 'logKeys'> {
  readonly name: string;
  readonly tables: readonly ResolvedProps[];
}

/** The deployments of these tables, ordered by their first tables. */
export function deploymentsOf(tables: readonly ResolvedProps[]): Deployment[] {
  const names = [...new Set(tables.map(({ sweep }) => sweep))];
  return names.map(name => deploymentOf(tables.filter(({ sweep }) => sweep === name)));
}

/** The deployment of these tables. @param tables at least one table, all with the same `sweep` */
export function deploymentOf(tables: readonly ResolvedProps[]): Deployment {
  const [first] = tables;
  if (first === undefined) throw new TypeError('deploymentOf: expected at least one table');
  const shared = Object.fromEntries(
    DEPLOYMENT_PROPS.filter(prop => first[prop] !== undefined).map(prop => [prop, first[prop]]),
  ) as unknown as Pick<ResolvedProps, SharedName>;
  return {
    ...shared,
    name: first.sweep,
    tables,
    // The states' data contain keys of all tables.
    logKeys: tables.every(({ logKeys }) => logKeys === 'full') ? 'full' : 'none',
  };
}

/**
 * Makes the field name of a problem with a table: with its index in the configuration, or without one for the only table of a construct.
 */
export type FieldOf = (table: number, prop: string) => string;

export const fieldInTables: FieldOf = (index, prop) =>
  prop === '' ? `tables[${index}]` : `tables[${index}].${prop}`;

/**
 * Problems between tables that are each valid.
 */
export function deploymentProblems(tables: readonly ResolvedProps[], fieldOf: FieldOf): FieldProblem[] {
  const twins = twinProblems(tables, fieldOf);
  if (twins.length > 0) return twins;
  const disagreeing = [
    ...tables.flatMap((table, index) => disagreements(table, index, tables, fieldOf)),
    ...lockProblems(tables, fieldOf),
  ];
  if (disagreeing.length > 0) return disagreeing;
  return nameProblems(tables, fieldOf);
}

/** Problems of tables with the same name. */
function twinProblems(tables: readonly ResolvedProps[], fieldOf: FieldOf): FieldProblem[] {
  const names = tables.map(({ tableName }) => tableName);
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    if (first === index) return [];
    return [
      {
        field: fieldOf(index, 'tableName'),
        expected: `another than that of ${fieldOf(first, '')}`,
        got: name,
        remedy: 'See docs/reference/configuration.md of precise-ttl for all fields.',
      },
    ];
  });
}

/** Problems of shared settings in which tables differ: one set of functions has only one value for each. */
function disagreements(
  table: ResolvedProps,
  index: number,
  tables: readonly ResolvedProps[],
  fieldOf: FieldOf,
): FieldProblem[] {
  const [other] = tables;
  if (other === undefined || index === 0) return [];
  return DEPLOYMENT_PROPS.filter(prop => !isDeepStrictEqual(table[prop], other[prop])).map(prop => ({
    field: fieldOf(index, prop),
    expected: `${inWords(other[prop])}, as ${fieldOf(0, '')} (${other.tableName}) has it: a deployment has one ${prop}`,
    got: table[prop],
    remedy: `Set ${prop} once, beside tables; or put ${table.tableName} into a configuration of its own, with another sweep and another state.`,
  }));
}

/** Problems of archives in one bucket that are to be locked for different times: a bucket has one default retention. */
function lockProblems(tables: readonly ResolvedProps[], fieldOf: FieldOf): FieldProblem[] {
  const locks = tables.map(table => {
    const archive = archiveOf(table);
    return archive && archive.bucket === undefined ? (archive.lockDays ?? 0) : undefined;
  });
  const first = locks.findIndex(lock => lock !== undefined);
  const expected = `${locks[first]}, as ${fieldOf(first, '')} has it: both are in one bucket`;
  const remedy = 'Lock both for the same time, or name a bucket of yours for one.';
  return locks.flatMap((got, index) =>
    got === undefined || got === locks[first]
      ? []
      : [{ field: fieldOf(index, 'archive.lockDays'), expected, got, remedy }],
  );
}

const inWords = (value: unknown): string => JSON.stringify(value) ?? 'none';

/** Problems of names that two tables or deployments would share. Role names are unique in an account. */
function nameProblems(tables: readonly ResolvedProps[], fieldOf: FieldOf): FieldProblem[] {
  const named: Named[] = [];
  const problems: FieldProblem[] = [];
  const add = (own: Named) => {
    problems.push(...named.flatMap(other => nameProblem(own, other) ?? []).slice(0, 1));
    named.push(own);
  };
  for (const { name } of deploymentsOf(tables)) {
    const index = tables.findIndex(({ sweep }) => sweep === name);
    add(namesOfDeployment(fieldOf(index, 'sweep'), name));
  }
  for (const [index, table] of tables.entries()) add(namesOfTable(fieldOf(index, 'tableName'), table));
  return problems;
}

/** The problem that the settings of the tables are too large for one state; null when they fit. */
export function settingsProblem({ name, tables }: Deployment): FieldProblem | null {
  const settings = tables.map(table => carriedSettings(functionSettings(table)));
  const bytes = Buffer.byteLength(JSON.stringify(settings));
  if (bytes <= MAX_SETTINGS_BYTES) return null;
  return {
    field: 'tables',
    expected: `at most ${MAX_SETTINGS_BYTES} bytes of settings in a deployment`,
    got: `${bytes} of ${tables.length} tables in ${name}`,
    remedy: 'Put some of the tables into another configuration, with another sweep and another state.',
  };
}

/** Most bytes of the settings in a state's 256 KiB; the rest is for the targets. Source: Step Functions quotas. */
const MAX_SETTINGS_BYTES = 200_000;

/** The model of a deployed table, without a default TTL: the one that its writers and readers make with `expiryModel`. */
export function modelOf(props: PreciseTtlProps): ExpiryModel {
  return modelOfSettings(resolveProps(props));
}

/** The tables that a state machine of a deployment sweeps, read from its definition as JSON; empty for any other state machine. */
export function tablesInDefinition(definition: string): readonly CarriedSettings[] {
  let tables: unknown;
  try {
    tables = JSON.parse(definition)?.States?.PlanSweep?.Arguments?.Payload?.tables;
  } catch {
    // Terraform does not know the definition yet.
  }
  if (!Array.isArray(tables)) return [];
  return tables.filter(
    (table): table is CarriedSettings => isObject(table) && typeof table['tableName'] === 'string',
  );
}

/** The placeholder in a target's input that Scheduler replaces by the schedule's time. Its angle brackets must not be escaped. */
const SCHEDULED_TIME = '<aws.scheduler.scheduled-time>';

/** Every full minute: `rate(1 minute)` would count from its own start. */
export const EVERY_MINUTE = 'cron(* * * * ? *)';

/** The schedule as it is deployed. */
export interface TickSchedule {
  readonly name: string;
  readonly expression: string;
  readonly input: TickInput;
  /**
   * Seconds for which Scheduler retries the start. A late tick has little value: the next ones look back far enough to cover its minute.
   */
  readonly retryForSeconds: number;
}

/** The schedule that starts a tick once a minute. */
export function tickSchedule({ name }: Pick<Deployment, 'name'>): TickSchedule {
  return {
    name: `${name}-tick`,
    expression: EVERY_MINUTE,
    input: { scheduledTime: SCHEDULED_TIME },
    retryForSeconds: 300,
  };
}
