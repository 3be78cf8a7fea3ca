import {
  type ExecutionListItem,
  type ExecutionStatus,
  paginateListExecutions,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import { checkConfig } from '../../stacks/config.ts';
import { resolveProps } from '../../stacks/props.ts';
import { findStateMachines } from '../aws/state-machines.ts';
import type { StepFunctionsClient } from '../aws/step-functions.ts';
import { chooseTables } from '../choose-tables.ts';
import { describeSweep, type Sweep } from '../deployment/sweep.ts';
import { inParallel } from '../in-parallel.ts';
import type { KeyTextOptions } from '../table/key-text.ts';
import type { Pace } from './pace.ts';

export interface HistoryJobOptions {
  /** What the configuration file exports. */
  readonly config: unknown;
  /** @default all tables of the configuration */
  readonly table: string | undefined;
  /** Milliseconds back from now. */
  readonly sinceMs: number;
  /** Only executions that did not succeed. */
  readonly failed: boolean;
  /** Most executions of a table that are asked for as a whole. */
  readonly limit: number;
  /** Called when all of the above has been found right. */
  readonly connect: (region: string) => StepFunctionsClient;
  /** Of the calls that ask for one execution. */
  readonly pace: Pick<Pace, 'turn'>;
  readonly now: () => number;
  /** Told after each execution that was asked for. */
  readonly onProgress: (tableName: string, done: number, all: number) => void;
  readonly signal: AbortSignal;
}

export interface TableHistory {
  readonly tableName: string;
  readonly name: string;
  /** The newest first. */
  readonly sweeps: readonly Sweep[];
  /** Older ones of the time span were not asked for. */
  readonly more: boolean;
  /** How its keys may be shown. */
  readonly keys: KeyTextOptions;
}

export interface History {
  readonly region: string;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly tables: readonly TableHistory[];
}

const PAGE = 1000;
const CONCURRENCY = 5;
const FAILURES = ['FAILED', 'TIMED_OUT', 'ABORTED'] as const satisfies readonly ExecutionStatus[];

/**
 * The executions of a time span. It changes nothing.
 *
 * @returns undefined when it was interrupted
 * @throws {FlagError}, {InvalidConfigError} and {StateMachineNotFoundError}
 */
export async function runHistory(options: HistoryJobOptions): Promise<History | undefined> {
  const config = checkConfig(options.config);
  const { region } = config;
  const tables = chooseTables(config, options.table);
  const since = options.now() - options.sinceMs;
  const client = options.connect(region);
  const { sfn } = client;
  try {
    const all = tables.map(table => resolveProps(table));
    const machines = await findStateMachines(
      sfn,
      all.map(({ name }) => name),
      () => client.endpoint()?.host ?? region,
    );
    const found: TableHistory[] = [];
    for (const props of all) {
      const { tableName, name } = props;
      const { listed, more } = await listSince(sfn, machines.get(name) ?? '', since, options);
      let done = 0;
      const work = async (one: ExecutionListItem) => {
        await options.pace.turn();
        const sweep = await describeSweep(sfn, one, props);
        done += 1;
        options.onProgress(tableName, done, listed.length);
        return sweep;
      };
      const sweeps = await inParallel(listed, CONCURRENCY, work, options.signal);
      if (options.signal.aborted) return undefined;
      const keys = { tableName, keyNames: keyAttributeNames(props), logKeys: props.logKeys };
      found.push({ tableName, name, sweeps: sweeps.sort(byStart), more, keys });
    }
    return { region, since, tables: found };
  } catch (error) {
    if (options.signal.aborted) return undefined;
    throw error;
  } finally {
    sfn.destroy();
  }
}

const byStart = (one: Sweep, other: Sweep): number => other.startedAt.getTime() - one.startedAt.getTime();

/** Those of the time span, the newest first, and not more than the limit. */
async function listSince(
  sfn: SFNClient,
  stateMachineArn: string,
  since: number,
  { failed, limit }: HistoryJobOptions,
): Promise<{ listed: ExecutionListItem[]; more: boolean }> {
  const listed: ExecutionListItem[] = [];
  for (const statusFilter of failed ? FAILURES : [undefined]) {
    let ofThis = 0;
    const pages = paginateListExecutions(
      { client: sfn },
      { stateMachineArn, statusFilter, maxResults: PAGE },
    );
    list: for await (const { executions = [] } of pages) {
      for (const one of executions) {
        // One more than the limit tells that there are more.
        if (startOf(one) < since || ofThis > limit) break list;
        listed.push(one);
        ofThis += 1;
      }
    }
  }
  listed.sort((one, other) => startOf(other) - startOf(one));
  return { listed: listed.slice(0, limit), more: listed.length > limit };
}

const startOf = ({ startDate }: ExecutionListItem): number => startDate?.getTime() ?? 0;
