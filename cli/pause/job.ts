import { writeFileSync } from 'node:fs';
import type { SFNClient } from '@aws-sdk/client-sfn';
import { deployedAlarms } from '../../stacks/alarms.ts';
import { checkConfig } from '../../stacks/config.ts';
import { deploymentOf } from '../../stacks/deployments.ts';
import { type PreciseTtlProps, resolveProps } from '../../stacks/props.ts';
import { NoAnswerError } from '../aws/no-answer.ts';
import { type OpenExecution, openExecutions } from '../aws/open-executions.ts';
import type { OperatingClients } from '../aws/operating-clients.ts';
import { changeSchedules, type ScheduleChange } from '../aws/schedules.ts';
import { findStateMachines } from '../aws/state-machines.ts';
import { chooseTables } from '../choose-tables.ts';
import { describeDuration } from '../duration.ts';
import type { Invocation } from '../invocation.ts';
import { firingOf, isoSeconds, type Pause, pauseOf, schedulesOfTables } from '../schedules.ts';

export interface PauseOptions {
  /** What `precise-ttl.config.ts` exports. */
  readonly config: unknown;
  /** @default all tables of the configuration */
  readonly table: string | undefined;
  /** Milliseconds after which the schedules go on by themselves. @default they do not */
  readonly forMs: number | undefined;
  readonly resultFile: string | undefined;
  /** Called when all of the above has been found right. */
  readonly connect: (region: string) => OperatingClients;
  /** Asked before anything is changed anywhere but on this machine. */
  readonly confirm: () => Promise<boolean>;
  /** How the commands are called that it names. */
  readonly call: Invocation;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly print: (text: string) => void;
}

/** Executions that are shown of a table. */
const SHOWN = 10;

/**
 * Pauses tables: all of them, or none.
 *
 * @returns false when it was declined
 * @throws {FlagError}, {SchedulesNotFoundError}, {ScheduleChangeError}, or the SDK's error
 */
export async function pauseTables(options: PauseOptions): Promise<boolean> {
  const { print, forMs } = options;
  const config = checkConfig(options.config);
  const { region } = config;
  const tables = chooseTables(config, options.table);
  const clients = options.connect(region);
  try {
    const { scheduler, sfn } = clients;
    const found = await schedulesOfTables(scheduler, region, tables);
    const machines = await findStateMachines(
      sfn,
      found.map(({ name }) => name),
      clients.where,
    );
    print(`Pause: ${forMs === undefined ? 'until resume' : `for ${describeDuration(forMs)}`}`);
    for (const { tableName, schedules } of found) {
      const was = describePause(pauseOf(schedules.map(firingOf), options.now()));
      print(`  table       ${tableName}, ${schedules.length} schedules, ${was}`);
    }
    print(`  endpoint    ${clients.where()}, region ${region}`);
    if (!clients.isLocal() && !(await options.confirm())) return false;

    const now = options.now();
    const until = forMs === undefined ? undefined : new Date(Math.ceil((now + forMs) / 1000) * 1000);
    const change: ScheduleChange =
      until === undefined ? { state: 'DISABLED', startDate: null } : { state: 'ENABLED', startDate: until };
    const changes = found.flatMap(({ schedules }) => schedules.map(each => ({ found: each, change })));
    await changeSchedules(scheduler, changes, now);

    const paused = await Promise.all(
      found.map(async ({ tableName, name, schedules }) => ({
        table: tableName,
        schedules: schedules.map(({ Name }) => Name),
        until: until === undefined ? null : isoSeconds(until),
        open: await openOrUnknown(sfn, machines.get(name) ?? ''),
      })),
    );
    print('');
    for (const { table, open } of paused) {
      print(
        `${table}: paused${until === undefined ? '' : ` until ${isoSeconds(until)}`}. ${describeOpen(open)}`,
      );
    }
    for (const text of reminders(tables, forMs)) print(`\n${text}`);
    print(`\n${afterwards(until, options)}`);
    if (options.resultFile !== undefined) {
      writeFileSync(
        options.resultFile,
        `${JSON.stringify({ pausedAt: isoSeconds(now), tables: paused }, null, 2)}\n`,
      );
    }
    return true;
  } finally {
    clients.destroy();
  }
}

export function describePause(pause: Pause): string {
  if (pause === 'on') return 'running';
  if (pause === 'off') return 'paused';
  if (pause === 'mixed') return 'some of them paused';
  return `paused until ${isoSeconds(pause.until)}`;
}

/** The schedules are off by now: that Step Functions does not answer any more is no reason to keep quiet about it. */
async function openOrUnknown(sfn: SFNClient, stateMachineArn: string): Promise<OpenExecution[] | null> {
  try {
    return await openExecutions(sfn, stateMachineArn);
  } catch (error) {
    if (error instanceof NoAnswerError) return null;
    throw error;
  }
}

function describeOpen(open: readonly OpenExecution[] | null): string {
  if (open === null) return 'Step Functions did not answer: which executions are open is not known.';
  if (open.length === 0) return 'No execution is open.';
  const shown = open.slice(0, SHOWN).map(each => `\n    ${each.name}, since ${isoSeconds(each.startedAt)}`);
  const more = open.length > SHOWN ? `\n    and ${open.length - SHOWN} more` : '';
  const first =
    open.length === 1
      ? '1 execution is open and goes on to its end:'
      : `${open.length} executions are open and go on to their end:`;
  return `${first}${shown.join('')}${more}`;
}

/** A tick that runs goes on for so long after the pause. */
const TICK_MINUTES = 2;

/**
 * The alarm of missing sweeps sounds for a pause, too: nothing else tells of one that lasts longer than somebody meant. Whoever pauses
 * is told before it does.
 */
function reminders(tables: readonly PreciseTtlProps[], forMs: number | undefined): string[] {
  return tables.flatMap(table => {
    const alarm = deployedAlarms(deploymentOf([resolveProps(table)])).find(each => each.alarm === 'noSweep');
    if (alarm === undefined) return [];
    const { name, periods: minutes } = alarm;
    if (forMs !== undefined && forMs <= (minutes - TICK_MINUTES) * 60_000) return [];
    return [
      `The alarm ${name} will sound about ${minutes} to ${minutes + TICK_MINUTES} minutes from now: it reminds of the pause, and ends when sweeps succeed again.`,
    ];
  });
}

function afterwards(until: Date | undefined, { call, table }: PauseOptions): string {
  const resume = call('resume', table === undefined ? '' : `--table ${table}`);
  return until === undefined
    ? `It goes on with ${resume}, which also replays what expires until then.`
    : `Then the schedules go on by themselves. What has expired until then, and longer ago than they look back, is left to ${resume}.`;
}
