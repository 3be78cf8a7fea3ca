import { BatchWriteCommand, DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Execution } from 'stepfunctions-emulator';
import type { ExpiryModel } from '../../expiry/model.ts';
import { LocalCloud, type LocalCloudOptions } from '../../local/cloud.ts';
import { modelOf } from '../../stacks/config/deployments.ts';
import { replayName } from '../../stacks/config/names.ts';
import { type PreciseTtlProps, resolveProps } from '../../stacks/config/props.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { configOf } from './configs.ts';
import { dynamoDbOfFile } from './local-dynamodb.ts';
import { sweepReport } from './sweep-reports.ts';

export type Item = Record<string, unknown>;

/** Batches in flight while items are written. */
const WRITERS = 8;

/** What was synthesized for these tables, running on DynamoDB Local, with its schedules at rest. */
export interface LocalSweep {
  readonly documents: DynamoDBDocumentClient;
  model(tableName: string): ExpiryModel;
  put(tableName: string, items: readonly Item[]): Promise<void>;
  scan(tableName: string): Promise<Item[]>;
  /**
   * Runs a tick of this table alone to its end, or of an input without `scheduledTime` a replay of the table.
   * The report is that of the execution itself; without one it is null.
   */
  sweep(tableName: string, input: object): Promise<{ execution: Execution; report: SweepReport }>;
}

export type LocalSweepOptions = Partial<LocalCloudOptions>;

/** Starts the cloud before the tests of the calling file and stops it after them. */
export function useLocalSweep(
  tables: readonly PreciseTtlProps[],
  options: LocalSweepOptions = {},
): LocalSweep {
  let started: LocalCloud | undefined;
  let documents: DynamoDBDocumentClient | undefined;
  const cloud = () => {
    if (!started) throw new Error('the local cloud is there inside tests and hooks only');
    return started;
  };
  const client = () => {
    documents ??= DynamoDBDocumentClient.from(cloud().client);
    return documents;
  };
  beforeAll(async () => {
    started = await LocalCloud.start({
      stack: plainStack(configOf(...tables)),
      dynamoDb: dynamoDbOfFile(),
      schedules: false,
      ...options,
      // Loading a function is all processor time, and DynamoDB Local does one thing at a time.
      functions: { maxConcurrency: 2, ...options.functions },
    });
  }, 60_000);
  afterAll(() => started?.stop());
  const propsOf = (tableName: string) => {
    const props = tables.find(table => table.tableName === tableName);
    if (!props) throw new Error(`no table ${tableName}`);
    return props;
  };
  const run = async <Report>(
    machine: string,
    input: unknown,
    onStart?: (execution: Execution) => void,
  ): Promise<{ execution: Execution; report: Report }> => {
    const execution = cloud().startExecution(machine, input);
    onStart?.(execution);
    await execution.done;
    const text = execution.status === 'SUCCEEDED' ? JSON.stringify(execution.output) : execution.cause;
    let report: unknown = null;
    try {
      report = JSON.parse(text ?? 'null');
      if (typeof report === 'string') report = JSON.parse(report);
    } catch {
      // a failure whose cause is no report: the test looks at the execution
    }
    return { execution, report: report as Report };
  };
  const sweep = async (table: string, input: object) => {
    const { deployment } = resolveProps(propsOf(table));
    const isTick = 'scheduledTime' in input;
    const { execution } = await (isTick
      ? run(deployment, { ...input, tables: [table] })
      : run(replayName(deployment), { ...input, table }));
    const hasReport = execution.status === 'SUCCEEDED' || execution.error === 'SweepIncompleteError';
    return { execution, report: (hasReport ? sweepReport(execution) : null) as SweepReport };
  };
  return {
    get documents() {
      return client();
    },
    model: tableName => modelOf(propsOf(tableName)),
    async put(tableName, items) {
      const requests = items.map(Item => ({ PutRequest: { Item } }));
      const writer = async (first: number) => {
        for (let start = first * 25; start < requests.length; start += WRITERS * 25) {
          const batch = { [tableName]: requests.slice(start, start + 25) };
          await client().send(new BatchWriteCommand({ RequestItems: batch }));
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, (_unused, index) => writer(index)));
    },
    async scan(tableName) {
      const items: Item[] = [];
      let ExclusiveStartKey: Item | undefined;
      do {
        const page = await client().send(
          new ScanCommand({
            TableName: tableName,
            ConsistentRead: true,
            ...(ExclusiveStartKey && { ExclusiveStartKey }),
          }),
        );
        items.push(...(page.Items ?? []));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey);
      return items;
    },
    sweep,
  };
}
