import { replayName } from '../../config/names.ts';
import { resolveProps } from '../../config/props.ts';
import type { ScanInput } from '../../statemachine/contract/inputs.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import type { With } from '../aws/clients.ts';
import { executionsOf, findStateMachines, untilEnd } from '../aws/executions.ts';
import type { ExecutionState } from '../aws/executions-of-table.ts';
import type { IndexScanOptions, IndexScanResult, ScannedIndex } from '../changes.ts';
import { chooseTables } from '../choose-tables.ts';
import { StoppedError } from '../errors.ts';
import { jsonObject } from '../json-object.ts';
import type { Prepared } from '../options.ts';
import { scanName } from './pieces.ts';

/**
 * Prepares a scan of each table's whole index, by an execution of the deployed state machines, one table after the other. A scan
 * that was aborted continues where it stopped.
 *
 * @throws {InputError}, {StateMachineNotFoundError}, or the SDK's error. When applied, {StoppedError}
 */
export async function prepareIndexScan(
  options: IndexScanOptions & With<'sfn' | 'where'>,
): Promise<Prepared<{ tables: readonly string[] }, IndexScanResult>> {
  const { config, clients, dryRun = false, maxPerSecond, now = Date.now } = options;
  const { onTable, signal = new AbortController().signal } = options;
  const tables = chooseTables(config, options.table).map(table => ({
    tableName: table.tableName,
    stateMachine: replayName(resolveProps(table).sweep),
  }));
  const machines = tables.map(({ stateMachine }) => stateMachine);
  const arns = await findStateMachines(clients.sfn, machines, clients.where);
  return {
    facts: { tables: tables.map(({ tableName }) => tableName) },
    async apply() {
      const results: ScannedIndex[] = [];
      const sumUp = () => ({ dryRun, interrupted: results.length < tables.length, tables: results });
      try {
        for (const { tableName, stateMachine } of tables) {
          const executions = executionsOf(clients.sfn, arns.get(stateMachine) ?? '');
          const execution = scanName(tableName, now(), dryRun);
          const input: ScanInput = {
            ...{ table: tableName, scanIndex: true },
            ...(dryRun && { dryRun }),
            ...(maxPerSecond !== undefined && { maxDeletesPerSecond: maxPerSecond }),
          };
          await executions.start(execution, input);
          const state = await untilEnd(execution, executions, signal);
          const result = { tableName, execution, status: state.status, report: reportOf(state) };
          results.push(result);
          onTable?.(result);
        }
      } catch (error) {
        if (!signal.aborted) throw new StoppedError(sumUp(), error);
      }
      return sumUp();
    },
  };
}

function reportOf({ output, cause }: ExecutionState): SweepReport | undefined {
  const report = jsonObject(output ?? cause);
  return report && 'scanned' in report ? (report as unknown as SweepReport) : undefined;
}
