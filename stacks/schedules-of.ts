import type { TickInput } from '../statemachine/contract.ts';
import type { ResolvedProps } from './props.ts';
import { type ReconcilePart, reconcileParts } from './reconcile-parts.ts';
import { expression, isOpen, when } from './values.ts';

/** What Scheduler replaces in a target's input by the schedule's time. It must reach Scheduler with its brackets. */
const SCHEDULED_TIME = '<aws.scheduler.scheduled-time>';

/** `rate(1 minute)` would be aligned to its own start; a cron expression to the minute. */
export const EVERY_MINUTE = 'cron(* * * * ? *)';

/** Of a daily reconcile, UTC. */
const DAILY_HOUR = 4;

/** A schedule as it is deployed. */
export interface DeployedSchedule {
  /** What follows the sweep's name in its name: `tick`, `reconcile`, `reconcile-2`… */
  readonly id: string;
  readonly name: string;
  readonly expression: string;
  readonly startsADay: number;
  readonly input: TickInput;
  /** How long Scheduler tries to start it. */
  readonly retryForSeconds: number;
  /** Where Terraform knows whether there is one, or how many. @default there is one */
  readonly count?: number;
  readonly forEach?: Readonly<Record<string, unknown>>;
}

/** A deployment, as far as its schedules depend on it. */
export interface ScheduledDeployment {
  readonly name: string;
  /** Those of a module, by their ids; its tables are not known. @default those of the tables */
  readonly reconciles?: Readonly<Record<string, unknown>>;
  readonly enabled?: boolean;
  readonly tables: readonly Pick<
    ResolvedProps,
    'tableName' | 'enabled' | 'indexedBy' | 'reconcileHours' | 'granularityMinutes' | 'shards'
  >[];
}

/**
 * The schedules that start the sweep: one a minute, and the others once an hour. With windows of a day a tick finds what is due however late
 * it is, and a reconcile is left the windows of the days before. By second, where each second is a query, the reconcile comes once a day: what
 * an outage has left is handed over by the next tick, and it is left what was written with a TTL that was past already.
 */
export function schedulesOf({
  name,
  enabled = true,
  reconciles,
  tables,
}: ScheduledDeployment): DeployedSchedule[] {
  const schedule = (id: string, schedule: Omit<DeployedSchedule, 'id' | 'name'>) => ({
    id,
    name: `${name}-${id}`,
    ...schedule,
  });
  return [
    // A tick that comes late is worth little: the next ones look back far enough to cover it.
    schedule('tick', {
      expression: EVERY_MINUTE,
      startsADay: 24 * 60,
      input: { scheduledTime: SCHEDULED_TIME },
      retryForSeconds: 300,
      ...(isOpen(enabled) && { count: when(enabled, 1, 0) }),
    }),
    ...(reconciles === undefined ? [] : [openReconciles(reconciles)]),
    ...reconcilesOf(tables).map(({ minute, daily, lookbackMinutes, skipMinutes, tables: names }, index) =>
      schedule(index === 0 ? 'reconcile' : `reconcile-${index + 1}`, {
        expression: reconcileExpression(minute, daily),
        startsADay: daily ? 1 : 24,
        input: {
          scheduledTime: SCHEDULED_TIME,
          ...(names && { tables: names }),
          lookbackMinutes,
          ...(skipMinutes > 0 && { skipMinutes }),
        },
        retryForSeconds: RECONCILE_RETRY_SECONDS,
      }),
    ),
  ];

  function openReconciles(forEach: Readonly<Record<string, unknown>>): DeployedSchedule {
    return {
      id: 'reconcile',
      name: `${name}-\${each.key}`,
      expression: reconcileExpression(expression('each.value.minute'), expression('each.value.daily')),
      startsADay: 24,
      // Terraform knows which of the other fields there are.
      input: expression(`merge({ scheduledTime = "${SCHEDULED_TIME}" }, each.value.input)`),
      retryForSeconds: RECONCILE_RETRY_SECONDS,
      forEach,
    };
  }
}

const RECONCILE_RETRY_SECONDS = 1800;

function reconcileExpression(minute: number, daily: boolean): string {
  return `cron(${minute} ${when<number | string>(daily, DAILY_HOUR, '*')} * * ? *)`;
}

interface Reconcile extends ReconcilePart {
  /** Once a day; else once an hour. */
  readonly daily: boolean;
  /** @default all tables */
  readonly tables?: readonly string[];
}

/** Tables that look back alike have one reconcile: what costs one a query costs another thousands. */
function reconcilesOf(tables: ScheduledDeployment['tables']): Reconcile[] {
  const groups = new Map<string, { parts: readonly Reconcile[]; names: string[] }>();
  for (const table of tables) {
    if (!table.enabled) continue;
    const daily = table.indexedBy === 'second';
    const parts = reconcileParts(table).map(part => ({ ...part, daily }));
    const key = JSON.stringify([table.granularityMinutes, parts]);
    const group = groups.get(key) ?? { parts, names: [] };
    groups.set(key, { ...group, names: [...group.names, table.tableName] });
  }
  const isShared = groups.size === 1;
  return [...groups.values()].flatMap(({ parts, names }) =>
    parts.map(part => (isShared ? part : { ...part, tables: names })),
  );
}
