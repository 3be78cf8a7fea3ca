import { writeFileSync } from 'node:fs';
import type { SFNClient } from '@aws-sdk/client-sfn';
import { checkConfig } from '../../config/config.ts';
import { replayName } from '../../config/names.ts';
import { pauseOf } from '../../functions/journal/layout.ts';
import { pauseTable } from '../../functions/journal/operator-settings.ts';
import { NoAnswerError } from '../aws/no-answer.ts';
import { type OpenExecution, openExecutions } from '../aws/open-executions.ts';
import type { OperatingClients } from '../aws/operating-clients.ts';
import { findStateMachines } from '../aws/state-machines.ts';
import { chooseTables } from '../choose-tables.ts';
import { commandLine } from '../command-line.ts';
import { describeDuration } from '../duration.ts';
import { isoSeconds } from '../iso-seconds.ts';
import { inJournal, type JournaledTable, readJournals } from '../journals.ts';
import { executionsOfTable } from '../replay/pieces.ts';
import { describePause } from './describe-pause.ts';

export interface PauseOptions {
  /** What `precise-ttl.config.ts` exports. */
  readonly config: unknown;
  /** @default all tables of the configuration */
  readonly table: string | undefined;
  /** Milliseconds after which the ticks sweep them again. @default they do not */
  readonly forMs: number | undefined;
  readonly resultFile: string | undefined;
  /** Called when all of the above has been found right. */
  readonly connect: (region: string) => OperatingClients;
  /** Asked before anything is changed anywhere but on this machine. */
  readonly confirm: () => Promise<boolean>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly print: (text: string) => void;
}

/** Executions that are shown of a table. */
const SHOWN = 10;

/**
 * Pauses tables, one after the other: the same command again pauses those that are left.
 *
 * @returns false when it was declined
 * @throws {FlagError}, {JournalNotFoundError}, {StateMachineNotFoundError}, {MissingPermissionError}, or the SDK's error
 */
export async function pauseTables(options: PauseOptions): Promise<boolean> {
  const { print, forMs } = options;
  const config = checkConfig(options.config);
  const { region } = config;
  const tables = chooseTables(config, options.table);
  const clients = options.connect(region);
  try {
    const { dynamoDb, sfn } = clients;
    const found = await readJournals(dynamoDb, region, tables);
    const machines = await findStateMachines(sfn, replayMachines(found), clients.where);
    print(`Pause: ${forMs === undefined ? 'until resume' : `for ${describeDuration(forMs)}`}`);
    for (const { props, state } of found) {
      const was = describePause(pauseOf(state.control.pauses[props.tableName], options.now()));
      print(`  table       ${props.tableName}, ${was}`);
    }
    print(`  endpoint    ${clients.where()}, region ${region}`);
    if (!clients.isLocal() && !(await options.confirm())) return false;

    const now = options.now();
    const since = new Date(now).toISOString();
    const until = forMs === undefined ? undefined : new Date(Math.ceil((now + forMs) / 1000) * 1000);
    const pause = { since, ...(until !== undefined && { until: until.toISOString() }) };
    for (const { props, journal } of found) {
      await inJournal('dynamodb:UpdateItem', journal, () => pauseTable(journal, props.tableName, pause));
    }

    const names = config.tables.map(({ tableName }) => tableName);
    const paused = await Promise.all(
      found.map(async ({ props: { tableName, sweep }, state }) => {
        const open = await openOrUnknown(sfn, machines.get(replayName(sweep)) ?? '');
        return {
          table: tableName,
          until: until === undefined ? null : isoSeconds(until),
          open: open && executionsOfTable(open, tableName, names, state.control.handOvers),
        };
      }),
    );
    print('');
    for (const { table, open } of paused) {
      print(
        `${table}: paused${until === undefined ? '' : ` until ${isoSeconds(until)}`}. ${describeOpen(open)}`,
      );
    }
    print(`\n${AFTER_TICKS}`);
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

/** Of the deployments of these tables. */
export function replayMachines(tables: readonly JournaledTable[]): string[] {
  return [...new Set(tables.map(({ props }) => replayName(props.sweep)))];
}

/** The tables are paused by now: that Step Functions does not answer any more is no reason to keep quiet about it. */
async function openOrUnknown(sfn: SFNClient, stateMachineArn: string): Promise<OpenExecution[] | null> {
  try {
    return await openExecutions(sfn, stateMachineArn);
  } catch (error) {
    if (error instanceof NoAnswerError) return null;
    throw error;
  }
}

function describeOpen(open: readonly OpenExecution[] | null): string {
  if (open === null) return 'Step Functions did not answer: which replays are open is not known.';
  if (open.length === 0) return 'No replay is open.';
  const shown = open.slice(0, SHOWN).map(each => `\n    ${each.name}, since ${isoSeconds(each.startedAt)}`);
  const more = open.length > SHOWN ? `\n    and ${open.length - SHOWN} more` : '';
  const first =
    open.length === 1
      ? '1 replay is open and goes on to its end:'
      : `${open.length} replays are open and go on to their end:`;
  return `${first}${shown.join('')}${more}`;
}

/** Nobody can list the executions of an Express machine. */
const AFTER_TICKS =
  'It holds from the next tick on. Ticks that began before end within two minutes, with a backlog within five; a replay that a tick ' +
  'has started ends after its round.';

function afterwards(until: Date | undefined, { table }: PauseOptions): string {
  const resume = commandLine('resume', table === undefined ? '' : `--table ${table}`);
  return until === undefined
    ? `It goes on with ${resume}, which also replays what expires until then.`
    : `Then the ticks go on by themselves. What has expired until then, and longer ago than they look back, is left to ${resume}.`;
}
