import { DeleteTableCommand, DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Execution, realClock } from 'stepfunctions-emulator';
import { isObject } from '../../expiry/fields.ts';
import { journalName } from '../../functions/journal/layout.ts';
import {
  leftNothing,
  readExecutionReport,
  reportOf,
  startTotals,
} from '../../functions/report/sweep-totals.ts';
import { createDocuments } from '../../functions/table/dynamodb.ts';
import { deploymentOf } from '../../stacks/config/deployments.ts';
import { replayName } from '../../stacks/config/names.ts';
import { resolveProps } from '../../stacks/config/props.ts';
import type { SweepInput, TickInput } from '../../statemachine/contract/inputs.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { LocalCloud } from '../cloud.ts';
import { DUMMY_CREDENTIALS, localConfig } from '../dynamodb/clients.ts';
import { attachDynamoDb, startDynamoDbLocal } from '../dynamodb/dynamodb-local.ts';
import { localStack } from '../stack/synthesized.ts';
import { testedFunctions } from './functions.ts';
import { IdleTicks } from './idle-ticks.ts';
import {
  type FailedSweep,
  type LocalPreciseTtl,
  LocalTestError,
  type PassedOnExpiry,
  SweepFailedError,
  type TestedConfig,
  type TestOptions,
} from './local-precise-ttl.ts';
import { prepareConfig, readDuration, readTime, requireDynamoDbPackage } from './options.ts';
import { SteppedClock } from './stepped-clock.ts';

const MINUTE_MS = 60_000;

type Undo = (() => unknown)[];

/**
 * Starts the sweep on this computer, for `beforeAll`; call `stop()` in `afterAll`.
 * @throws {InvalidConfigError} naming every field of the configuration that is wrong
 * @throws {LocalTestError} for invalid options, or when the npm package with DynamoDB Local is missing
 * @throws {LocalCloudError} when DynamoDB Local or the deployment cannot be started, saying what to do
 * @throws {NotLoopbackError} when `dynamoDbEndpoint` is on another computer
 */
export async function startPreciseTtl(
  given: TestedConfig,
  options: TestOptions = {},
): Promise<LocalPreciseTtl> {
  const clock = clockOf(options);
  if (options.dynamoDbEndpoint === undefined) requireDynamoDbPackage();
  const undo: Undo = [];
  try {
    return await start(given, options, clock, undo);
  } catch (error) {
    await undoAll(undo);
    throw error;
  }
}

/**
 * Runs a test with the sweep on this computer, and stops everything, even when the test throws.
 * @returns the result of `use`
 * @throws the errors of {@link startPreciseTtl}, `use` and `stop()`
 */
export async function withPreciseTtl<T>(
  config: TestedConfig,
  use: (local: LocalPreciseTtl) => T | Promise<T>,
  options: TestOptions = {},
): Promise<T> {
  const local = await startPreciseTtl(config, options);
  let result: T;
  try {
    result = await use(local);
  } catch (error) {
    // The test's own error is thrown. An error of `stop()` is ignored, because such an error often results from the test's error.
    await local.stop().catch(() => {});
    throw error;
  }
  await local.stop();
  return result;
}

function clockOf({ clock = 'virtual', startTime }: TestOptions): SteppedClock | undefined {
  if (clock !== 'virtual' && clock !== 'real') {
    throw new LocalTestError(`clock: expected 'virtual' or 'real', got ${JSON.stringify(clock)}`);
  }
  if (clock === 'virtual') return new SteppedClock(readTime('startTime', startTime ?? Date.now()));
  if (startTime === undefined) return undefined;
  throw new LocalTestError(
    "startTime: expected none with clock: 'real', which is the wall clock; leave one of the two out",
  );
}

async function start(
  given: TestedConfig,
  { dynamoDbEndpoint, schedules = true, onLog }: TestOptions,
  stepped: SteppedClock | undefined,
  undo: Undo,
): Promise<LocalPreciseTtl> {
  const config = prepareConfig(given, dynamoDbEndpoint !== undefined);
  const deployment = deploymentOf(config.tables.map(resolveProps));
  const dynamoDb = await (dynamoDbEndpoint === undefined
    ? startDynamoDbLocal()
    : attachDynamoDb(dynamoDbEndpoint, 'dynamoDbEndpoint'));
  undo.push(() => dynamoDb.stop());
  // Created here, because in the npm package only this file imports the user's copy of the SDK, and tests send commands of this copy.
  const client = new DynamoDBClient(localConfig(dynamoDb.endpoint, config.region));
  undo.push(() => client.destroy());
  const found = await tableNames(client);
  const tables = config.tables.map(({ tableName }) => tableName);
  const needed = [...tables, journalName(deployment.name)];
  const made = needed.filter(name => !found.has(name));
  if (!dynamoDb.startedHere) undo.push(() => deleteTables(client, made));

  const failed = new Set<Execution>();
  const failureOf = (execution: Execution) => failuresOf(execution, tables);
  const clock = stepped ?? realClock;
  const expiries: PassedOnExpiry[] = [];
  const ofSweeps = createDocuments({ maxAttempts: 3 }, localConfig(dynamoDb.endpoint, config.region));
  undo.push(() => ofSweeps.destroy());
  const call = testedFunctions({
    ...{ deployment: deployment.name, documents: ofSweeps, clock, onLog },
    planOf: input => idle.planOf(input),
    onWatermarks: () => idle.forgetJournal(),
  });
  const cloud = await LocalCloud.start({
    stack: localStack(config),
    pipes: {
      onlyDrained: stepped !== undefined,
      onExpiry: ({ pipe, event }) => expiries.push({ ...event, target: pipe.targetArn }),
    },
    dynamoDb,
    clock,
    schedules,
    isNeeded: stepped && (({ input }) => idle.isNeeded(JSON.parse(input), clock.now())),
    environment: {},
    functions: {
      wrap: async (invoked, next) => {
        const result = await call(invoked, next);
        // The time in a stream's record is replaced by the time of its first read, so the streams are read directly after a deletion.
        if (stepped !== undefined && invoked.functionName.endsWith('-delete-chunk'))
          await cloud.pipes.drain();
        return result;
      },
    },
    onExecution: execution => {
      if (!hasSucceeded(execution) && execution.status !== 'ABORTED') failed.add(execution);
    },
  });
  undo.push(() => cloud.stop());
  const idle = new IdleTicks(cloud, deployment.name, ofSweeps);

  const throwFailures = () => {
    const found = [...failed].flatMap(failureOf);
    failed.clear();
    if (found.length > 0) throw new SweepFailedError(found);
  };
  const jump = <T>(step: Promise<T>): Promise<T> => step.finally(() => idle.settle());
  const pass = <T>(work: () => Promise<T>): Promise<T> => (stepped ? jump(stepped.passUntil(work)) : work());
  const drain = async () => {
    if (cloud.synthesized.pipes.length > 0) await pass(() => clock.busy(() => cloud.pipes.drain()));
  };
  const runToEnd = (machine: string, input: SweepInput) => cloud.startExecution(machine, input).done;
  const reportsOfAll = (execution: Execution): SweepReports => {
    failed.delete(execution);
    if (!hasSucceeded(execution)) throw new SweepFailedError(failureOf(execution));
    const reports = reportsOf(execution);
    return Object.fromEntries(tables.map(name => [name, reports[name] ?? NOTHING_SWEPT]));
  };
  let stopped: Promise<void> | undefined;
  return {
    dynamoDbEndpoint: dynamoDb.endpoint,
    client,
    documents: DynamoDBDocumentClient.from(client),
    environment: {
      ...DUMMY_CREDENTIALS,
      AWS_REGION: config.region,
      AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint,
    },
    clock: { kind: stepped ? 'virtual' : 'real', now: () => clock.now() },
    async sweep(tableName, input) {
      const table = config.tables.find(candidate => candidate.tableName === tableName);
      if (table === undefined) {
        const known = config.tables.map(candidate => candidate.tableName).join(', ');
        throw new LocalTestError(
          `tableName: expected one of the configuration (${known}), got ${JSON.stringify(tableName)}`,
        );
      }
      await drain();
      const { deployment } = resolveProps(table);
      const isTick = 'scheduledTime' in input;
      const machine = isTick ? deployment : replayName(deployment);
      const own = isTick ? { ...input, tables: [tableName] } : { ...input, table: tableName };
      if (isTick) await idle.prepare(own as TickInput, clock.now());
      const reports = reportsOfAll(await pass(() => runToEnd(machine, own)));
      return reports[tableName] ?? NOTHING_SWEPT;
    },
    async tick(at) {
      await drain();
      const atMs = at === undefined ? clock.now() - (clock.now() % MINUTE_MS) : readTime('at', at);
      if (stepped && atMs > stepped.now()) await jump(stepped.advance(atMs - stepped.now()));
      const scheduledTime = new Date(atMs).toISOString();
      await idle.prepare({ scheduledTime }, clock.now());
      return reportsOfAll(await pass(() => runToEnd(deployment.name, { scheduledTime })));
    },
    async advance(duration) {
      const milliseconds = readDuration(duration);
      if (stepped === undefined) {
        throw new LocalTestError(
          "advance: expected the virtual clock, got the real one, which cannot be set; leave out clock: 'real', or wait",
        );
      }
      await drain();
      await jump(stepped.advance(milliseconds));
      throwFailures();
    },
    async expiries() {
      await drain();
      return [...expiries];
    },
    stop() {
      stopped ??= undoAll(undo).then(throwFailures);
      return stopped;
    },
  };
}

function hasSucceeded({ status }: Execution): boolean {
  return status === 'SUCCEEDED';
}

async function tableNames(client: DynamoDBClient): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) {
    for (const name of TableNames) names.add(name);
  }
  return names;
}

async function deleteTables(client: DynamoDBClient, names: readonly string[]): Promise<void> {
  const there = await tableNames(client);
  for (const TableName of names)
    if (there.has(TableName)) await client.send(new DeleteTableCommand({ TableName }));
}

async function undoAll(undo: Undo): Promise<void> {
  const errors: unknown[] = [];
  for (const step of undo.splice(0).reverse()) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

type SweepReports = Readonly<Record<string, SweepReport>>;

const NOTHING_SWEPT: SweepReport = reportOf(startTotals(false));

function reportsOf({ output, cause }: Execution): SweepReports {
  return readExecutionReport(output ?? cause)?.tables ?? {};
}

/**
 * One failure for each table that the execution reports as incomplete. Without such a report, there is a failure for each table of the
 * execution.
 */
function failuresOf(execution: Execution, deployed: readonly string[]): FailedSweep[] {
  const { input, status, error, cause } = execution;
  const reports = reportsOf(execution);
  const left = Object.keys(reports).filter(table => !leftNothing(reports[table] ?? NOTHING_SWEPT));
  const tables = left.length > 0 ? left : (tablesOfInput(input) ?? deployed);
  return tables.map(tableName => ({ tableName, input, status, error, cause, report: reports[tableName] }));
}

/** The tables that an input names; undefined means all tables of the deployment. */
function tablesOfInput(input: unknown): readonly string[] | undefined {
  if (!isObject(input)) return undefined;
  const { table, tables } = input;
  if (typeof table === 'string') return [table];
  return Array.isArray(tables) ? tables.map(String) : undefined;
}
