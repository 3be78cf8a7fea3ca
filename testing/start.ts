import { DeleteTableCommand, type DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Execution, realClock } from 'stepfunctions-emulator';
import { LocalCloud } from '../local/cloud.ts';
import { DUMMY_CREDENTIALS, localDynamoDb } from '../local/dynamodb/clients.ts';
import { attachDynamoDb, startDynamoDbLocal } from '../local/dynamodb/dynamodb-local.ts';
import { resolveProps } from '../stacks/props.ts';
import type { SweepInput, SweepReport } from '../statemachine/contract.ts';
import { readDuration } from './duration.ts';
import { requireDynamoDbPackage } from './dynamodb-package.ts';
import { type FailedSweep, LocalTestError, SweepFailedError } from './errors.ts';
import { archivedLines, ExpiryOutcome } from './expiry-outcome.ts';
import type { LocalPreciseTtl, TestedConfig, TestOptions } from './local-precise-ttl.ts';
import { prepareConfig } from './prepared-config.ts';
import { readTime } from './read-time.ts';
import { SteppedClock } from './stepped-clock.ts';

const MINUTE_MS = 60_000;

/** What it takes to stop something; run last first. */
type Undo = (() => unknown)[];

/**
 * Starts the sweep on this machine, for `beforeAll`; call `stop()` in `afterAll`. When a part cannot be started, what was
 * started is stopped again.
 *
 * @throws {InvalidConfigError} naming every field of the configuration that is wrong
 * @throws {LocalTestError} for options that cannot be
 * @throws {LocalCloudError} when DynamoDB Local cannot be started, saying what to install
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
 * Starts the sweep on this machine, lets a test use it, and stops everything, also when the test throws.
 *
 * @returns what `use` gives
 * @throws what {@link startPreciseTtl}, `use` and `stop()` throw
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
    // What the test says is the cause; a sweep that failed as well comes after it.
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
  const prepared = prepareConfig(given);
  undo.push(prepared.remove);
  const { config, cdktfOut, existing } = prepared;
  const dynamoDb = await (dynamoDbEndpoint === undefined
    ? startDynamoDbLocal()
    : attachDynamoDb(dynamoDbEndpoint, 'dynamoDbEndpoint'));
  undo.push(() => dynamoDb.stop());
  const client = localDynamoDb(dynamoDb.endpoint, config.region);
  undo.push(() => client.destroy());
  const found = await tableNames(client);
  const made = config.tables.map(({ tableName }) => tableName).filter(name => !found.has(name));
  if (!dynamoDb.startedHere) undo.push(() => deleteTables(client, made));

  const failures: FailedSweep[] = [];
  /** Whoever asked for these is told. */
  const asked = new WeakSet<Execution>();
  const tableOf = new Map(config.tables.map(table => [resolveProps(table).name, table.tableName]));
  const failureOf = (execution: Execution): FailedSweep => ({
    tableName: tableOf.get(execution.machine.name) ?? execution.machine.name,
    input: execution.input,
    status: execution.status,
    error: execution.error,
    cause: execution.cause,
    report: reportIn(execution.cause),
  });
  const clock = stepped ?? realClock;
  const outcome = new ExpiryOutcome();
  const cloud = await LocalCloud.start({
    cdktfOut,
    services: { onEvent: event => outcome.addEvent(event) },
    // A clock that stands still lets nothing be read but when something may have happened.
    mappings: { onlyDrained: stepped !== undefined },
    dynamoDb,
    clock,
    schedules,
    // Real time does not wait for a function to be loaded.
    ...(stepped === undefined && { warm: 1 }),
    environment: {},
    existing,
    makeExisting: true,
    functions: {
      onLog,
      // Read at the time at which it was deleted.
      wrap: async ({ functionName }, next) => {
        const result = await next();
        if (stepped !== undefined && functionName.endsWith('-delete-chunk')) await cloud.drainStreams();
        return result;
      },
    },
    onExecution: execution => {
      const isFailed = execution.status !== 'SUCCEEDED' && execution.status !== 'ABORTED';
      if (isFailed && !asked.has(execution)) failures.push(failureOf(execution));
    },
    onScheduleError: (error, { schedule }) =>
      failures.push({
        tableName: schedule.name,
        input: undefined,
        status: 'not started',
        error: undefined,
        cause: String(error),
        report: undefined,
      }),
  });
  undo.push(() => cloud.stop());

  const tellFailures = () => {
    const found = failures.splice(0);
    if (found.length > 0) throw new SweepFailedError(found);
  };
  const pass = <T>(work: () => Promise<T>): Promise<T> => (stepped ? stepped.passUntil(work) : work());
  /** What a test has deleted itself is read at the time at which it did. */
  const drain = async () => {
    if (cloud.synthesized.mappings.length > 0) await pass(() => clock.busy(() => cloud.drainStreams()));
  };
  const execute = (name: string, input: SweepInput): Execution => {
    const execution = cloud.startExecution(name, input);
    asked.add(execution);
    return execution;
  };
  const reportOf = async (execution: Execution): Promise<SweepReport> => {
    await execution.done;
    if (execution.status === 'SUCCEEDED') return outputOf(execution);
    throw new SweepFailedError([failureOf(execution)]);
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
      return pass(() => reportOf(execute(resolveProps(table).name, input)));
    },
    async tick(at) {
      await drain();
      const atMs = at === undefined ? minuteOf(clock.now()) : readTime('at', at);
      if (stepped && atMs > stepped.now()) await stepped.advance(atMs - stepped.now());
      const scheduledTime = new Date(atMs).toISOString();
      return pass(async () => {
        const executions = config.tables.map(table => execute(resolveProps(table).name, { scheduledTime }));
        await Promise.all(executions.map(({ done }) => done));
        const failed = executions.filter(({ status }) => status !== 'SUCCEEDED');
        if (failed.length > 0) throw new SweepFailedError(failed.map(failureOf));
        return Object.fromEntries(
          executions.map((execution, index) => [config.tables[index]?.tableName ?? '', outputOf(execution)]),
        );
      });
    },
    async advance(duration) {
      const milliseconds = readDuration(duration);
      if (stepped === undefined) {
        throw new LocalTestError(
          "advance: expected the virtual clock, got the real one, which cannot be set; leave out clock: 'real', or wait",
        );
      }
      await drain();
      await stepped.advance(milliseconds);
      tellFailures();
    },
    async events() {
      await drain();
      return outcome.events;
    },
    async archive() {
      await drain();
      return archivedLines(cloud.services);
    },
    stop() {
      stopped ??= undoAll(undo).then(tellFailures);
      return stopped;
    },
  };
}

function minuteOf(epochMs: number): number {
  return Math.floor(epochMs / MINUTE_MS) * MINUTE_MS;
}

/** Of an execution that succeeded. */
function outputOf({ output }: Execution): SweepReport {
  return output as unknown as SweepReport;
}

/** The cause of a sweep that left something is its report. */
function reportIn(cause: string | undefined): SweepReport | undefined {
  try {
    const read: unknown = JSON.parse(cause ?? '');
    return typeof read === 'object' && read !== null && 'found' in read ? (read as SweepReport) : undefined;
  } catch {
    return undefined;
  }
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
  for (const TableName of names.filter(name => there.has(name))) {
    await client.send(new DeleteTableCommand({ TableName }));
  }
}

/** Every step is taken, also when one fails; then its error is told. */
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
