import { Metrics } from '@aws-lambda-powertools/metrics';
import { type Clock, type Definition, loadDefinition, type RandomSource } from 'stepfunctions-emulator';
import { queryTimeoutSeconds } from '../../../functions/child/query-timeout.ts';
import { attemptChunk } from '../../../functions/delete-chunk/chunk-attempt.ts';
import type { Deletion } from '../../../functions/delete-chunk/deletion.ts';
import type { Journal } from '../../../functions/journal/journal.ts';
import { planReplay } from '../../../functions/plan-sweep/plan-replay.ts';
import type { AskedTable } from '../../../functions/plan-sweep/plan-round.ts';
import { planTick } from '../../../functions/plan-sweep/plan-tick.ts';
import { nextStep } from '../../../functions/query-expired/next-step.ts';
import { recordMetrics } from '../../../functions/record-metrics/handler.ts';
import {
  readSettings,
  type SweepSettings,
  type WithSettings,
} from '../../../functions/runtime/environment.ts';
import { type RequestOptions, requestTimeoutMs } from '../../../functions/table/dynamodb.ts';
import { indexLayout } from '../../../functions/table/index-layout.ts';
import type { ReadIndex } from '../../../functions/table/index-query.ts';
import { isDynamoDbQuery } from '../../../local/dynamodb/queries.ts';
import type { QueryExpiredInput, QueryExpiredOutput } from '../../../statemachine/contract/child.ts';
import type { Chunk, DeleteChunkInput } from '../../../statemachine/contract/chunks.ts';
import type {
  PlanSweepInput,
  PlanSweepOutput,
  RecordMetricsInput,
} from '../../../statemachine/contract/execution.ts';
import type { CarriedSettings } from '../../../statemachine/contract/inputs.ts';
import type { ExpiredKey } from '../../../statemachine/contract/keys.ts';
import { TASKS } from '../../../statemachine/contract/machines.ts';
import type { RecordMetricsOutput } from '../../../statemachine/contract/report.ts';
import { replayDefinition, tickDefinition } from '../../../statemachine/definition.ts';
import type { FunctionArns } from '../../../statemachine/states.ts';

/** The two state machines of a deployment. */
export interface Machines {
  readonly tick: Definition;
  readonly replay: Definition;
}

export const REPLAY_ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:simulated-replay';

/**
 * The state machines for a simulation of these tables: the ARNs of their functions end in the names of their files.
 *
 * @param functionsArn what these begin with
 */
export function simulatedMachines(
  tables: readonly CarriedSettings[],
  functionsArn = 'arn:aws:lambda:us-east-1:123456789012:function',
): Machines {
  const functions = Object.fromEntries(
    Object.entries(TASKS).map(([task, file]) => [task, `${functionsArn}:${file}`]),
  ) as FunctionArns;
  const load = (definition: unknown) =>
    loadDefinition(JSON.stringify(definition), 'STANDARD', isDynamoDbQuery);
  return {
    tick: load(tickDefinition(functions, { tables, replayArn: REPLAY_ARN })),
    replay: load(replayDefinition(functions, { tables })),
  };
}

/** The four functions, by the name of their file. */
export interface SweepFunctions {
  readonly 'plan-sweep': (input: PlanSweepInput) => Promise<PlanSweepOutput>;
  readonly 'query-expired': (input: WithSettings<QueryExpiredInput>) => Promise<QueryExpiredOutput>;
  readonly 'delete-chunk': (input: WithSettings<DeleteChunkInput>) => Promise<Chunk>;
  readonly 'record-metrics': (input: RecordMetricsInput) => Promise<RecordMetricsOutput>;
}

/** What the functions have instead of DynamoDB. */
export interface SimulatedDynamoDb {
  readonly readIndex: ReadIndex;
  /** Throws when the call as a whole fails, as the SDK does. */
  readonly deleteBatch: (
    keys: readonly ExpiredKey[],
    cutoff: number,
    requestTimeoutMs: number,
  ) => Promise<Deletion>;
}

export interface SimulatedFunctionsOptions {
  /** @param patienceMs how long a function waits for an answer to a read, all its attempts together */
  readonly dynamoDbOf: (settings: SweepSettings, patienceMs: number) => SimulatedDynamoDb;
  readonly journal: Journal;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly random: RandomSource;
}

/** Attempts of a read, as `plan-sweep` and `query-expired` have them. */
const PLAN_ATTEMPTS = 3;
const QUERY_ATTEMPTS = 2;

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Everything that the functions decide and add up, around a DynamoDB that is simulated; no metrics are printed. */
export function simulatedFunctions(options: SimulatedFunctionsOptions): SweepFunctions {
  const { dynamoDbOf, journal, clock } = options;
  const random = () => options.random.next();
  const sleep = (ms: number) => clock.sleep(ms);
  const tableOf = (settings: SweepSettings, { requestTimeout = 5_000 }: RequestOptions = {}): AskedTable => {
    const { readIndex } = dynamoDbOf(settings, PLAN_ATTEMPTS * requestTimeout);
    return { settings, readIndex, logger: QUIET };
  };
  return {
    'plan-sweep': input =>
      input.machine === 'tick'
        ? planTick(input, {
            ...{ tableOf, logger: QUIET, journal, record: () => undefined },
            ...{ clock: () => clock.now(), sleep },
          })
        : planReplay(input, { tableOf, journal }, () => 100_000),
    'query-expired': async input => {
      const settings = readSettings(input.settings);
      const seconds = queryTimeoutSeconds(input.progress);
      const patienceMs = QUERY_ATTEMPTS * requestTimeoutMs(seconds, QUERY_ATTEMPTS);
      const { readIndex } = dynamoDbOf(settings, patienceMs);
      return nextStep(input, {
        pace: settings,
        layout: indexLayout(settings.model),
        readIndex,
        showKey: key => key,
        random,
        sleep,
        clock: () => clock.now(),
      });
    },
    'delete-chunk': async ({ chunk, now, settings: carried }) => {
      const settings = readSettings(carried);
      const ahead = Date.parse(now) - clock.now();
      const { deleteBatch } = dynamoDbOf(settings, 0);
      return attemptChunk(chunk, {
        settings,
        send: keys => deleteBatch(keys, chunk.cutoff, requestTimeoutMs(chunk.timeoutSeconds, 1)),
        onFailed: () => undefined,
        clock: () => clock.now() + ahead,
        random,
        sleep,
      });
    },
    'record-metrics': input =>
      recordMetrics(input, {
        deployment: 'simulated',
        logger: QUIET,
        // Made here, since making one takes long, and few calls record metrics.
        metrics: new Metrics({ namespace: 'PreciseTtl', serviceName: 'simulated' }),
        print: () => undefined,
        timeIsUp: () => new Promise(() => undefined),
        journal,
      }),
  };
}
