import { writeFileSync } from 'node:fs';
import { checkConfig } from '../../stacks/config.ts';
import { isThisMachine } from '../aws/endpoint.ts';
import type { EventBridgeSchedulerClient } from '../aws/scheduler.ts';
import { changeSchedules } from '../aws/schedules.ts';
import { chooseTable } from '../choose-tables.ts';
import { limitOfInput, withLimit } from '../schedule-limit.ts';
import { schedulesOfTables, type TableSchedules } from '../schedules.ts';

export interface LimitOptions {
  /** What `precise-ttl.config.ts` exports. */
  readonly config: unknown;
  /** @default the only table of the configuration */
  readonly table: string | undefined;
  /** Deletes a second at most; undefined for what the configuration says. */
  readonly perSecond: number | undefined;
  readonly resultFile: string | undefined;
  /** Called when all of the above has been found right. */
  readonly connect: (region: string) => EventBridgeSchedulerClient;
  /** Asked before anything is changed anywhere but on this machine. */
  readonly confirm: () => Promise<boolean>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly print: (text: string) => void;
}

/**
 * Writes a limit into the inputs of a table's schedules: into all of them or none.
 *
 * @returns false when it was declined
 * @throws {FlagError}, {SchedulesNotFoundError}, {ScheduleInputError}, {ScheduleChangeError}, or the SDK's error
 */
export async function limitTable(options: LimitOptions): Promise<boolean> {
  const { print, perSecond } = options;
  const config = checkConfig(options.config);
  const { region } = config;
  const tables = [chooseTable(config, options.table)];
  const { scheduler, endpoint } = options.connect(region);
  try {
    const found = await schedulesOfTables(scheduler, region, tables);
    const [table] = found;
    if (table === undefined) throw new TypeError('checkConfig refuses a configuration without tables');
    const changes = table.schedules.map(each => ({
      found: each,
      change: { input: withLimit(each, perSecond) },
    }));
    const before = describeLimits(table);
    print(`Limit of ${table.tableName}: ${describe(perSecond)}`);
    print(`  schedules   ${table.schedules.length}, ${before} so far`);
    print(`  endpoint    ${endpoint()?.origin ?? region}, region ${region}`);
    if (!isThisMachine(endpoint()?.hostname ?? '') && !(await options.confirm())) return false;
    const changed = await changeSchedules(scheduler, changes, options.now());
    print(
      changed === 0
        ? `\n${table.tableName}: it was so already.`
        : `\n${table.tableName}: ${describe(perSecond)}, from the next tick on. What runs keeps its own limit.`,
    );
    if (options.resultFile !== undefined) {
      const json = { table: table.tableName, maxDeletesPerSecond: perSecond ?? null, changed };
      writeFileSync(options.resultFile, `${JSON.stringify(json, null, 2)}\n`);
    }
    return true;
  } finally {
    scheduler.destroy();
  }
}

function describe(perSecond: number | undefined): string {
  return perSecond === undefined
    ? 'what the configuration says'
    : `at most ${perSecond.toLocaleString('en-US')} deletes a second`;
}

function describeLimits({ schedules }: TableSchedules): string {
  const limits = new Set(schedules.map(({ Target }) => describe(limitOfInput(Target?.Input))));
  return [...limits].join(', or ');
}
