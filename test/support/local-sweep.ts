import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Execution } from 'stepfunctions-emulator';
import { readExecutionReport, reportOf, startTotals } from '../../functions/report/sweep-totals.ts';
import { LocalCloud, type LocalCloudOptions } from '../../local/cloud.ts';
import { plainStack } from '../../stacks/app.ts';
import { modelOf } from '../../stacks/config/deployments.ts';
import { replayName } from '../../stacks/config/names.ts';
import { type PreciseTtlProps, resolveProps } from '../../stacks/config/props.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { configOf } from './configs.ts';
import { putAll, scanAll } from './expiring-table.ts';
import { dynamoDbOfFile } from './local-dynamodb.ts';

export type Item = Record<string, unknown>;

/** Runs what is synthesized for these tables on DynamoDB Local, with its schedules at rest, for the tests of the calling file. */
export function useLocalSweep(tables: readonly PreciseTtlProps[], options: Partial<LocalCloudOptions> = {}) {
  let cloud: LocalCloud;
  let documents: DynamoDBDocumentClient;
  beforeAll(async () => {
    cloud = await LocalCloud.start({
      stack: plainStack(configOf(...tables)),
      dynamoDb: dynamoDbOfFile(),
      schedules: false,
      ...options,
      // Loading a function is all processor time, and DynamoDB Local does one thing at a time.
      functions: { maxConcurrency: 2, ...options.functions },
    });
    documents = DynamoDBDocumentClient.from(cloud.client);
  }, 60_000);
  afterAll(() => cloud?.stop());
  const propsOf = (tableName: string) => {
    const props = tables.find(table => table.tableName === tableName);
    if (!props) throw new Error(`no table ${tableName}`);
    return props;
  };
  return {
    get documents() {
      return documents;
    },
    model: (tableName: string) => modelOf(propsOf(tableName)),
    put: (tableName: string, items: readonly Item[]) => putAll(documents, tableName, items),
    scan: (tableName: string) => scanAll(documents, tableName),
    /**
     * Runs a tick of this table alone to its end, or of an input without `scheduledTime` a replay of the table.
     * The report is that of the execution itself; without one it is null.
     */
    async sweep(table: string, input: object) {
      const { deployment } = resolveProps(propsOf(table));
      const execution =
        'scheduledTime' in input
          ? cloud.startExecution(deployment, { ...input, tables: [table] })
          : cloud.startExecution(replayName(deployment), { ...input, table });
      await execution.done;
      const hasReport = execution.status === 'SUCCEEDED' || execution.error === 'SweepIncompleteError';
      return { execution, report: (hasReport ? sweepReport(execution) : null) as SweepReport };
    },
  };
}

/** A tick says nothing of a table in which there was nothing to do. */
const NOTHING = reportOf(startTotals(false));

/** What an execution of either machine says of its only table: its output, or the cause of its failure. */
function sweepReport({ output, cause }: Execution): SweepReport {
  const report = readExecutionReport(output ?? cause);
  if (report === undefined || report.notRecorded !== undefined)
    throw new TypeError(`expected an execution with a report, got ${cause}`);
  return Object.values(report.tables)[0] ?? NOTHING;
}
