import { type ExpiryModel, expiryModel } from '../../expiry/model.ts';
import { addLags, lagOf, NO_LAG, summarizeLag } from '../../functions/lib/lag.ts';
import { type LookPace, look } from '../../functions/lib/look.ts';
import { toChunks } from '../../functions/lib/page.ts';
import { plan } from '../../functions/lib/plan.ts';
import { readSweepInput } from '../../functions/lib/sweep-input.ts';
import { earliestTtl } from '../../functions/lib/window-query.ts';
import type {
  DeleteChunkInput,
  DeleteChunkOutput,
  ExpiredKey,
  FailedKey,
  PlanSweepInput,
  PlanSweepOutput,
  QueryExpiredInput,
  QueryExpiredOutput,
  RecordMetricsInput,
  RecordMetricsOutput,
} from '../../statemachine/contract.ts';
import { ROUND_TARGETS } from '../../statemachine/contract.ts';
import { type Definition, Engine, type EngineOptions, type Execution, seededRandom } from '../asl/index.ts';
import { VirtualClock } from '../clock.ts';
import { idOf, MemoryTable } from './memory-table.ts';

/** The four functions, by the name of their file. */
export interface SweepFunctions {
  'plan-sweep': (input: PlanSweepInput) => Promise<PlanSweepOutput>;
  'query-expired': (input: QueryExpiredInput) => Promise<QueryExpiredOutput>;
  'delete-chunk': (input: DeleteChunkInput) => Promise<DeleteChunkOutput>;
  'record-metrics': (input: RecordMetricsInput) => Promise<RecordMetricsOutput>;
}

/** What became of one item; TTL in epoch seconds, deletion in epoch milliseconds. */
export interface Fate {
  readonly ttl: number;
  readonly deletedAt: number;
}

export interface SimulationOptions {
  /** Epoch seconds. */
  readonly start: number;
  /** The state machine; its functions' ARNs end in the names of their files. */
  readonly definition: Definition;
  readonly pace?: LookPace;
  readonly model?: ExpiryModel;
  /** Milliseconds that every call of a function takes. */
  readonly callMs?: number;
  /** Memory of the functions, MB, for what they would cost. */
  readonly memoryMb?: number;
  readonly mapRunDelays?: NonNullable<EngineOptions['mapRunDelays']>;
  /** Whether DynamoDB leaves a key unprocessed at a moment (epoch milliseconds). @default never */
  readonly throttled?: (id: string, nowMs: number) => boolean;
  /** Whether DynamoDB refuses a key for good. @default never */
  readonly refused?: (id: string) => boolean;
}

/**
 * The real definition, planning and looking around a table in memory, on a virtual clock: hours of ticks in seconds.
 * Only DynamoDB and Lambda are left out.
 */
export class Simulation {
  readonly clock: VirtualClock;
  readonly table: MemoryTable;
  readonly deleted: Fate[] = [];
  readonly executions: Execution[] = [];
  /** Calls of each function. */
  readonly calls = { 'plan-sweep': 0, 'query-expired': 0, 'delete-chunk': 0, 'record-metrics': 0 };
  readonly #engine: Engine;
  readonly #definition: Definition;
  readonly #pending: Promise<unknown>[] = [];

  constructor(options: SimulationOptions) {
    const { start, definition, callMs = 30, memoryMb = 512, mapRunDelays } = options;
    this.clock = new VirtualClock(start * 1000);
    this.table = new MemoryTable(options.model ?? expiryModel({ partitionKey: 'id' }));
    this.#definition = definition;
    const functions = this.#functions(options);
    this.#engine = new Engine({
      clock: this.clock,
      random: seededRandom(1),
      ...(mapRunDelays && { mapRunDelays }),
      invoker: {
        invoke: async (arn, payload) => {
          const name = arn.split(':').at(-1) as keyof SweepFunctions;
          this.calls[name] += 1;
          await this.clock.sleep(callMs);
          return { ok: true, payload: await functions[name](payload as never), memoryMb };
        },
      },
    });
  }

  /** Starts a tick for this minute (epoch seconds), so many seconds late. */
  tick(scheduled: number, lateSeconds = 0): void {
    const run = async () => {
      await this.clock.sleep((scheduled + lateSeconds) * 1000 - this.clock.now());
      const scheduledTime = new Date(scheduled * 1000).toISOString().replace('.000', '');
      const machine = {
        arn: 'arn:aws:states:us-east-1:123456789012:stateMachine:simulated',
        name: 'simulated',
        roleArn: 'arn:aws:iam::123456789012:role/sweep',
        type: 'STANDARD',
        definition: this.#definition,
      } as const;
      const execution = this.#engine.start(machine, { input: { scheduledTime } });
      this.executions.push(execution);
      await execution.done;
    };
    this.#pending.push(run());
  }

  /** Lets time pass until the last execution has ended. */
  async finish(): Promise<void> {
    await Promise.all(this.#pending);
  }

  #functions({
    pace = { precisionSeconds: 1, pollSeconds: 0 },
    model,
    throttled = () => false,
    refused = () => false,
  }: SimulationOptions): SweepFunctions {
    const { table, clock, deleted } = this;
    const { readWindow } = table;
    return {
      'plan-sweep': async ({ executionInput, startedAt, cursor }) => {
        const startedAtMs = Date.parse(startedAt);
        const request = readSweepInput(executionInput, startedAtMs, { lookbackMinutes: 10, ...pace });
        const planned = await plan(request, cursor ?? null, {
          model: model ?? expiryModel({ partitionKey: 'id' }),
          probe: target => earliestTtl(readWindow, target),
          concurrency: 32,
          mostDue: ROUND_TARGETS,
          watchAlways: pace.pollSeconds > 0,
          outOfTime: () => false,
        });
        const { due, oldestOverdue } = planned;
        const oldestOverdueSeconds = oldestOverdue === undefined ? 0 : startedAtMs / 1000 - oldestOverdue;
        return { due, cursor: planned.cursor, dryRun: request.dryRun, oldestOverdueSeconds };
      },
      'query-expired': async input => {
        const { due, ...rest } = await look(input, pace, readWindow);
        return { found: due.length, chunks: toChunks(due), sampleKeys: [], ...rest };
      },
      'delete-chunk': async ({ keys, cutoff }) => {
        const counts = { deleted: 0, renewed: 0, alreadyGone: 0 };
        let lag = NO_LAG;
        const unprocessed: ExpiredKey[] = [];
        const failed: FailedKey[] = [];
        for (const expired of keys) {
          const { key, ttl } = expired;
          if (throttled(idOf(key), clock.now())) {
            unprocessed.push(expired);
            continue;
          }
          if (refused(idOf(key))) {
            failed.push({ key, reason: 'ValidationError' });
            continue;
          }
          const outcome = table.deleteIfExpired(key, cutoff);
          counts[outcome] += 1;
          if (outcome !== 'deleted') continue;
          lag = addLags(lag, lagOf([ttl], clock.now()));
          deleted.push({ ttl, deletedAt: clock.now() });
        }
        return { ...counts, unprocessed, failed, ...lag };
      },
      'record-metrics': async ({ totals }) => ({ lagMs: summarizeLag(totals) }),
    };
  }
}
