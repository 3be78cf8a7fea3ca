import { writeFileSync } from 'node:fs';
import { checkConfig } from '../../config/config.ts';
import { replayName } from '../../config/names.ts';
import { resolveProps } from '../../config/props.ts';
import type { NamedEntry, ScanInput, SweepReport } from '../../statemachine/contract.ts';
import { isThisMachine } from '../aws/endpoint.ts';
import { type ExecutionState, executionsOf, untilEnd } from '../aws/executions.ts';
import { findStateMachines } from '../aws/state-machines.ts';
import { chooseTables } from '../choose-tables.ts';
import type { JobEnd } from '../job-end.ts';
import { shortKey } from '../print.ts';
import type { ReplayJobOptions } from './job.ts';
import { scanName } from './pieces.ts';

export type IndexScanOptions = Pick<
  ReplayJobOptions,
  | 'table'
  | 'dryRun'
  | 'maxPerSecond'
  | 'resultFile'
  | 'config'
  | 'connect'
  | 'confirm'
  | 'now'
  | 'print'
  | 'signal'
>;

/** What the scan of a table came to. */
interface ScannedTable {
  readonly tableName: string;
  readonly execution: string;
  readonly status: string;
  readonly report: SweepReport | undefined;
}

/**
 * Scans the whole index of each table by an execution of the deployed state machines, one table after the other. A scan that somebody has ended
 * is gone on with.
 *
 * @throws {StateMachineNotFoundError}, or the SDK's error, when it can't go on
 */
export async function runIndexScan(options: IndexScanOptions): Promise<JobEnd> {
  const { dryRun, maxPerSecond, now, print, signal } = options;
  const config = checkConfig(options.config);
  const tables = chooseTables(config, options.table).map(table => ({
    tableName: table.tableName,
    stateMachine: replayName(resolveProps(table).sweep),
  }));
  const client = options.connect(config.region);
  try {
    const where = () => client.endpoint()?.origin ?? config.region;
    const arns = await findStateMachines(
      client.sfn,
      tables.map(({ stateMachine }) => stateMachine),
      where,
    );
    const names = tables.map(({ tableName }) => tableName).join(', ');
    const what = dryRun ? 'finds and counts, deletes nothing' : 'deletes what is overdue';
    print(
      `Scan of the whole index: ${what}\n  tables      ${names}\n  endpoint    ${where()}, region ${config.region}`,
    );
    const local = isThisMachine(client.endpoint()?.hostname ?? '');
    if (!dryRun && !local && !(await options.confirm())) return signal.aborted ? 'interrupted' : 'declined';

    const results: ScannedTable[] = [];
    for (const { tableName, stateMachine } of tables) {
      const executions = executionsOf(client.sfn, arns.get(stateMachine) ?? '');
      const execution = scanName(tableName, now, dryRun);
      const input: ScanInput = {
        ...{ table: tableName, scanIndex: true },
        ...(dryRun && { dryRun }),
        ...(maxPerSecond !== undefined && { maxDeletesPerSecond: maxPerSecond }),
      };
      await executions.start(execution, input);
      const state = await untilEnd(execution, executions, signal);
      const result = { tableName, execution, status: state.status, report: reportOf(state) };
      results.push(result);
      print(describeScan(result));
    }
    if (options.resultFile !== undefined) {
      writeFileSync(options.resultFile, `${JSON.stringify({ dryRun, tables: results }, null, 2)}\n`);
    }
    return results.every(({ status }) => status === 'SUCCEEDED') ? 'done' : 'failed';
  } catch (error) {
    if (signal.aborted) return 'interrupted';
    throw error;
  } finally {
    client.sfn.destroy();
  }
}

function reportOf({ output, cause }: ExecutionState): SweepReport | undefined {
  try {
    const report: unknown = JSON.parse(output ?? cause ?? '');
    return typeof report === 'object' && report !== null && 'scanned' in report
      ? (report as SweepReport)
      : undefined;
  } catch {
    return undefined; // a cause in prose
  }
}

function describeScan({ tableName, execution, status, report }: ScannedTable): string {
  const how = status === 'SUCCEEDED' ? '' : `\n    ${status} ${execution}`;
  if (report === undefined) return `${tableName}: no report${how}`;
  const { scanned, found, deleted, failed, misfiled, fractional, outOfRange, dryRun, named = [] } = report;
  const counts = [
    `${count(scanned)} entries read`,
    `${count(found)} overdue`,
    ...(dryRun ? [] : [`${count(deleted)} deleted`]),
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ...(misfiled > 0 ? [`${count(misfiled)} misfiled`] : []),
    ...(fractional > 0 ? [`${count(fractional)} with a fraction`] : []),
    ...(outOfRange > 0 ? [`${count(outOfRange)} with a TTL out of range`] : []),
  ];
  const left = named.filter(({ is }) => is !== 'overdue').map(entry => `\n    ${describeEntry(entry)}`);
  return [`${tableName}: ${counts.join(', ')}`, ...left, how].join('');
}

const KINDS: Readonly<Record<NamedEntry['is'], string>> = {
  overdue: 'overdue',
  fractional: 'a TTL with a fraction, which no query of a second finds',
  misfiled: 'misfiled',
  notNumber: 'no Number',
  negative: 'a TTL before 1970',
  tooOld: 'a TTL more than five years back',
  milliseconds: 'a TTL in milliseconds',
  tooFarAhead: 'a TTL more than 20 years ahead',
};

function describeEntry({ is, key, ttl, window }: NamedEntry): string {
  const shown = key === undefined ? '' : ` ${shortKey(typeof key === 'string' ? key : JSON.stringify(key))}`;
  return `${KINDS[is]}: TTL ${ttl}${is === 'misfiled' && window !== undefined ? ` in ${shortKey(window)}` : ''}${shown}`;
}

const count = (number: number): string => number.toLocaleString('en-US');
