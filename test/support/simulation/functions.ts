import { Metrics } from '@aws-lambda-powertools/metrics';
import type { Clock, RandomSource } from 'stepfunctions-emulator';
import { attemptChunk } from '../../../functions/delete-chunk/chunk-attempt.ts';
import type { Deletion } from '../../../functions/delete-chunk/deletion.ts';
import type { Journal } from '../../../functions/journal/lambda-journal.ts';
import { planReplay } from '../../../functions/plan-sweep/plan-replay.ts';
import { planTick } from '../../../functions/plan-sweep/plan-tick.ts';
import { queryExpiredWith } from '../../../functions/query-expired/handler.ts';
import { recordMetrics } from '../../../functions/record-metrics/handler.ts';
import {
  readSettings,
  type SweepSettings,
  type WithSettings,
} from '../../../functions/runtime/environment.ts';
import { requestTimeoutMs } from '../../../functions/table/dynamodb.ts';
import { indexLayout } from '../../../functions/table/index-layout.ts';
import type { CountIndex, ReadIndex } from '../../../functions/table/index-query.ts';
import type { QueryExpiredInput, QueryExpiredOutput } from '../../../statemachine/contract/child.ts';
import type { Chunk, DeleteChunkInput } from '../../../statemachine/contract/chunks.ts';
import type {
  PlanSweepInput,
  PlanSweepOutput,
  RecordMetricsInput,
  RecordMetricsOutput,
} from '../../../statemachine/contract/execution.ts';
import type { ExpiredKey, ItemKey } from '../../../statemachine/contract/keys.ts';

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
  readonly countIndex: CountIndex;
  /** Throws when the call as a whole fails, as the SDK does. */
  readonly deleteBatch: (
    keys: readonly ExpiredKey[],
    cutoff: number,
    requestTimeoutMs: number,
  ) => Promise<Deletion>;
}

export interface SimulatedFunctionsOptions {
  readonly dynamoDbOf: (settings: SweepSettings) => SimulatedDynamoDb;
  readonly journal: Journal;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly random: RandomSource;
}

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Everything that the functions decide and add up, around a DynamoDB that is simulated; no metrics are printed. */
export function simulatedFunctions(options: SimulatedFunctionsOptions): SweepFunctions {
  const { dynamoDbOf, journal, clock } = options;
  const random = () => options.random.next();
  const sleep = (ms: number) => clock.sleep(ms);
  return {
    'plan-sweep': input =>
      input.machine === 'replay'
        ? planReplay(input, journal)
        : planTick(input, {
            readIndexOf: settings => dynamoDbOf(settings).readIndex,
            ...{ logger: QUIET, journal, record: () => undefined },
            ...{ clock: () => clock.now(), sleep },
          }),
    'query-expired': async input => {
      const settings = readSettings(input.settings);
      const { readIndex, countIndex } = dynamoDbOf(settings);
      const options = {
        ...{ settings, layout: indexLayout(settings.model), readIndex, countIndex },
        ...{ showKey: (key: ItemKey) => key, random, clock: () => clock.now() },
      };
      return queryExpiredWith(input, options, {
        tableName: settings.tableName,
        logger: QUIET,
        journal: () => journal,
      });
    },
    'delete-chunk': async ({ chunk, now, settings: carried }) => {
      const settings = readSettings(carried);
      const { deleteBatch } = dynamoDbOf(settings);
      return attemptChunk(
        { chunk, now },
        {
          settings,
          send: keys => deleteBatch(keys, chunk.cutoff, requestTimeoutMs(chunk.timeoutSeconds, 1)),
          isPaused: () => journal.isPaused(settings.tableName),
          onFailed: () => undefined,
          clock: () => clock.now(),
          random,
          sleep,
        },
      );
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
