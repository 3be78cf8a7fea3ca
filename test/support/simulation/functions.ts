import type { Clock, RandomSource } from 'stepfunctions-emulator';
import { toEpochSeconds } from '../../../expiry/ttl.ts';
import { secondsBehind } from '../../../functions/child/swept-range.ts';
import { attemptChunk } from '../../../functions/delete-chunk/chunk-attempt.ts';
import type { Deletion } from '../../../functions/delete-chunk/deletion.ts';
import { joined } from '../../../functions/plan-sweep/limited-targets.ts';
import { countMisfiled } from '../../../functions/plan-sweep/misfiled.ts';
import { type NextRoundOptions, nextRound } from '../../../functions/plan-sweep/next-round.ts';
import { plan } from '../../../functions/plan-sweep/plan.ts';
import { readSweepInput } from '../../../functions/plan-sweep/sweep-input.ts';
import { nextStep } from '../../../functions/query-expired/next-step.ts';
import { summarizeLag } from '../../../functions/report/lag.ts';
import { addRound, reportOf } from '../../../functions/report/sweep-totals.ts';
import type { SweepSettings } from '../../../functions/runtime/environment.ts';
import { requestTimeoutMs } from '../../../functions/table/dynamodb.ts';
import type { ReadHeld } from '../../../functions/table/held-items.ts';
import { indexLayout } from '../../../functions/table/index-layout.ts';
import { earliestTtl, type ReadIndex } from '../../../functions/table/index-query.ts';
import { concurrentChildren } from '../../../statemachine/concurrent-children.ts';
import type {
  Chunk,
  DeleteChunkInput,
  ExpiredKey,
  PlanSweepInput,
  PlanSweepOutput,
  QueryExpiredInput,
  QueryExpiredOutput,
  RecordMetricsInput,
  SweepReport,
  SweepTarget,
} from '../../../statemachine/contract.ts';

/** The four functions, by the name of their file. */
export interface SweepFunctions {
  readonly 'plan-sweep': (input: PlanSweepInput) => Promise<PlanSweepOutput>;
  readonly 'query-expired': (input: QueryExpiredInput) => Promise<QueryExpiredOutput>;
  readonly 'delete-chunk': (input: DeleteChunkInput) => Promise<Chunk>;
  readonly 'record-metrics': (input: RecordMetricsInput) => Promise<SweepReport>;
}

/** What the functions have instead of DynamoDB. */
export interface SimulatedDynamoDb {
  readonly readIndex: ReadIndex;
  readonly readHeld: ReadHeld;
  /** Throws when the call as a whole fails, as the SDK does. */
  readonly deleteBatch: (
    keys: readonly ExpiredKey[],
    cutoff: number,
    requestTimeoutMs: number,
  ) => Promise<Deletion>;
}

export interface SimulatedFunctionsOptions {
  readonly settings: Omit<SweepSettings, 'tableName' | 'indexName' | 'deleteMode'>;
  readonly dynamoDb: SimulatedDynamoDb;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly random: RandomSource;
  /** Most children of an upcoming minute: each takes several shards, one after the other. @default one for each shard */
  readonly mostUpcoming?: number;
  /** Instead of looking into the table. */
  readonly plan?: NextRoundOptions['plan'];
}

const QUIET = { warn: () => undefined };

/** Everything that the functions decide and add up, around a DynamoDB that is simulated; no metrics are printed. */
export function simulatedFunctions(options: SimulatedFunctionsOptions): SweepFunctions {
  const { settings, dynamoDb, clock } = options;
  const random = () => options.random.next();
  const sleep = (ms: number) => clock.sleep(ms);
  const layout = indexLayout(settings.model);
  return {
    'plan-sweep': async ({ executionInput, startedAt, soFar }) => {
      const startedAtMs = Date.parse(startedAt);
      const request = readSweepInput(executionInput, startedAtMs, settings);
      const planAll: NextRoundOptions['plan'] = async (cursor, maxDue) => {
        const { oldestOverdue, ...planned } = await plan(request, cursor, {
          layout,
          probe: target =>
            earliestTtl(
              dynamoDb.readIndex,
              layout,
              target,
              () => false,
              target.upcomingFrom === null ? dynamoDb.readHeld : undefined,
            ),
          concurrency: 32,
          maxDue,
          watchAlways: settings.pollSeconds > 0,
          outOfTime: () => false,
        });
        const dueAt = toEpochSeconds(startedAtMs) - settings.graceSeconds;
        const overdue = oldestOverdue === undefined ? 0 : dueAt - oldestOverdue;
        const misfiled =
          request.seeksMisfiled && cursor === null
            ? await countMisfiled(
                request.cutoff,
                { settings: { ...settings, tableName: 'simulated' }, logger: QUIET },
                dynamoDb.readIndex,
                () => 120_000,
              )
            : 0;
        const due = inGroups(planned.due, options.mostUpcoming ?? planned.due.length);
        return { ...planned, due, oldestOverdueSeconds: overdue, misfiled };
      };
      return nextRound(soFar, {
        dryRun: request.dryRun,
        limit: request.limit,
        concurrency: concurrentChildren({ ...settings, shards: layout.shards }),
        behindSeconds: secondsBehind(settings),
        plan: options.plan ?? planAll,
      });
    },
    'query-expired': input =>
      nextStep(input, {
        pace: settings,
        layout,
        readIndex: dynamoDb.readIndex,
        readHeld: dynamoDb.readHeld,
        showKey: key => key,
        random,
        sleep,
        clock: () => clock.now(),
      }),
    'delete-chunk': ({ chunk }) =>
      attemptChunk(chunk, {
        settings,
        send: keys => dynamoDb.deleteBatch(keys, chunk.cutoff, requestTimeoutMs(chunk.timeoutSeconds, 1)),
        onFailed: () => undefined,
        clock: () => clock.now(),
        random,
        sleep,
      }),
    'record-metrics': async ({ soFar }) => {
      const totals = addRound(soFar);
      return { ...reportOf(totals), lagMs: summarizeLag(totals) };
    },
  };
}

function inGroups(targets: readonly SweepTarget[], most: number): SweepTarget[] {
  const back = targets.filter(({ upcomingFrom }) => upcomingFrom === null);
  const upcoming = targets.filter(({ upcomingFrom }) => upcomingFrom !== null);
  const groups = Array.from({ length: Math.min(most, upcoming.length) }, (_unused, group) =>
    joined(upcoming.filter((_target, index) => index % most === group)),
  );
  return [...groups, ...back];
}
