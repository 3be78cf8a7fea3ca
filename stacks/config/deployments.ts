import { isDeepStrictEqual } from 'node:util';
import type { FieldProblem } from '../../expiry/errors.ts';
import { isObject } from '../../expiry/fields.ts';
import type { ExpiryModel } from '../../expiry/model.ts';
import { carriedSettings, modelOfSettings } from '../../functions/runtime/environment.ts';
import type { CarriedSettings, TickInput } from '../../statemachine/contract/inputs.ts';
import { archiveOf } from './pipe-props.ts';
import {
  DEPLOYMENT_PROPS,
  functionSettings,
  type PreciseTtlProps,
  type ResolvedProps,
  resolveProps,
} from './props.ts';

export interface Deployment extends Pick<ResolvedProps, (typeof DEPLOYMENT_PROPS)[number] | 'logKeys'> {
  readonly name: string;
  readonly tables: readonly ResolvedProps[];
}

export function deploymentOf(tables: readonly ResolvedProps[]): Deployment {
  const [first] = tables;
  if (first === undefined) throw new TypeError('deploymentOf: expected at least one table');
  const logKeys = tables.every(table => table.logKeys === 'full') ? 'full' : 'none';
  return { ...first, name: first.deployment, tables, logKeys };
}

export function deploymentProblems(tables: readonly ResolvedProps[]): FieldProblem[] {
  const [first] = tables;
  const names = tables.map(({ tableName }) => tableName);
  const locked = tables.find(table => lockOf(table) !== undefined);
  const inTable = (index: number): string => `tables[${index}]`;
  const as = (one: string, other: ResolvedProps, what: unknown): string => {
    const it = `${inTable(tables.indexOf(other))} (${other.tableName})`;
    return `${what}, as ${it} has it: a deployment has one ${one}`;
  };
  const problems = tables.flatMap((table, index): FieldProblem[] => {
    const twin = names.indexOf(table.tableName);
    if (twin < index) {
      const expected = `another than that of ${inTable(twin)}`;
      const remedy = 'Leave out one of the two.';
      return [{ field: `${inTable(index)}.tableName`, expected, got: table.tableName, remedy }];
    }
    const days = lockOf(table);
    const differing = DEPLOYMENT_PROPS.filter(prop => first && !isDeepStrictEqual(table[prop], first[prop]));
    return [
      ...differing.map(prop => ({
        field: `${inTable(index)}.${prop}`,
        expected: as(prop, first as ResolvedProps, JSON.stringify(first?.[prop]) ?? 'none'),
        got: table[prop],
        remedy: `Set ${prop} once, beside tables; or put ${table.tableName} into a configuration of its own, with another deployment and another state.`,
      })),
      ...(locked === undefined || days === undefined || days === lockOf(locked)
        ? []
        : [
            {
              field: `${inTable(index)}.archive.lockDays`,
              expected: as('bucket', locked, lockOf(locked)),
              got: days,
              remedy: 'Lock both for the same time; or give one a bucket of yours.',
            },
          ]),
    ];
  });
  return problems.length > 0 ? problems : settingsProblems(tables);
}

/** Days for which the deployment's bucket locks this table's archive; 0: no lock. Undefined without an archive in this bucket. */
function lockOf(table: ResolvedProps): number | undefined {
  const archive = archiveOf(table);
  return archive === undefined || archive.bucket !== undefined ? undefined : (archive.lockDays ?? 0);
}

/** Maximum size of all tables' settings in a state's input. The whole input may have 256 KiB. Source: Step Functions quotas. */
const MAX_SETTINGS_BYTES = 200_000;

function settingsProblems(tables: readonly ResolvedProps[]): FieldProblem[] {
  const settings = tables.map(table => carriedSettings(functionSettings(table)));
  const bytes = Buffer.byteLength(JSON.stringify(settings));
  if (bytes <= MAX_SETTINGS_BYTES) return [];
  return [
    {
      field: 'tables',
      expected: `at most ${MAX_SETTINGS_BYTES} bytes of settings in a deployment`,
      got: `${bytes} of ${tables.length} tables`,
      remedy: 'Put some of the tables into another configuration, with another deployment and another state.',
    },
  ];
}

export function modelOf(props: PreciseTtlProps): ExpiryModel {
  return modelOfSettings(resolveProps(props));
}

export function tablesInDefinition(definition: string): readonly CarriedSettings[] {
  let tables: unknown;
  try {
    tables = JSON.parse(definition)?.States?.PlanSweep?.Arguments?.Payload?.tables;
  } catch {
    // A caller that finds no state machine gives an empty text, which is not JSON.
  }
  if (!Array.isArray(tables)) return [];
  return tables.filter(
    (table): table is CarriedSettings => isObject(table) && typeof table['tableName'] === 'string',
  );
}

/** The beginning of each minute. `rate(1 minute)` would count the minutes from the schedule's creation. */
export const EVERY_MINUTE = 'cron(* * * * ? *)';

/** A tick's input. EventBridge Scheduler replaces the placeholder by the scheduled time, but not if `<` and `>` are escaped. */
export const TICK_INPUT: TickInput = { scheduledTime: '<aws.scheduler.scheduled-time>' };
