import type { TickInput } from '../statemachine/contract.ts';
import type { ResolvedProps } from './props.ts';
import { type ReconcilePart, reconcileParts } from './reconcile-parts.ts';

/** What Scheduler replaces in a target's input by the schedule's time. It must reach Scheduler with its brackets. */
const SCHEDULED_TIME = '<aws.scheduler.scheduled-time>';

/** `rate(1 minute)` would be aligned to its own start; a cron expression to the minute. */
const EVERY_MINUTE = 'cron(* * * * ? *)';

/** A schedule as it is deployed. */
export interface DeployedSchedule {
  /** What follows the sweep's name in its name: `tick`, `reconcile`, `reconcile-2`… */
  readonly id: string;
  readonly name: string;
  readonly expression: string;
  readonly input: TickInput;
  /** How long Scheduler tries to start it. */
  readonly retryForSeconds: number;
}

/** A deployment, as far as its schedules depend on it. */
export interface ScheduledDeployment {
  readonly name: string;
  readonly tables: readonly Pick<
    ResolvedProps,
    'tableName' | 'enabled' | 'reconcileHours' | 'granularityMinutes' | 'shards'
  >[];
}

/**
 * The schedules that start the sweep: one a minute, and the others once an hour. With windows of a day a tick finds what is due however late
 * it is, and a reconcile is left the windows of the days before.
 */
export function schedulesOf({ name, tables }: ScheduledDeployment): DeployedSchedule[] {
  const schedule = (id: string, expression: string, input: TickInput, retryForSeconds: number) => ({
    id,
    name: `${name}-${id}`,
    expression,
    input,
    retryForSeconds,
  });
  return [
    // A tick that comes late is worth little: the next ones look back far enough to cover it.
    schedule('tick', EVERY_MINUTE, { scheduledTime: SCHEDULED_TIME }, 300),
    ...reconcilesOf(tables).map(({ minute, lookbackMinutes, skipMinutes, tables: names }, index) =>
      schedule(
        index === 0 ? 'reconcile' : `reconcile-${index + 1}`,
        `cron(${minute} * * * ? *)`,
        {
          scheduledTime: SCHEDULED_TIME,
          ...(names && { tables: names }),
          lookbackMinutes,
          ...(skipMinutes > 0 && { skipMinutes }),
        },
        1800,
      ),
    ),
  ];
}

interface Reconcile extends ReconcilePart {
  /** @default all tables */
  readonly tables?: readonly string[];
}

/** Tables that look back alike have one reconcile: what costs one a query costs another thousands. */
function reconcilesOf(tables: ScheduledDeployment['tables']): Reconcile[] {
  const groups = new Map<string, { parts: readonly ReconcilePart[]; names: string[] }>();
  for (const table of tables) {
    if (!table.enabled) continue;
    const parts = reconcileParts(table);
    const key = JSON.stringify([table.granularityMinutes, parts]);
    const group = groups.get(key) ?? { parts, names: [] };
    groups.set(key, { ...group, names: [...group.names, table.tableName] });
  }
  const isShared = groups.size === 1;
  return [...groups.values()].flatMap(({ parts, names }) =>
    parts.map(part => (isShared ? part : { ...part, tables: names })),
  );
}
