import { schedulerTime } from 'aws-on-loopback/scheduler/scheduler';
import { type Execution, type RandomSource, seededRandom } from 'stepfunctions-emulator';
import { LocalCloud, type LocalCloudOptions } from '../../local/cloud.ts';
import {
  type DynamoDbCall,
  FaultCounter,
  type FaultProxy,
  type FaultRates,
  faultyDeliveries,
  faultyInvocations,
  startFaultProxy,
} from '../faults/index.ts';
import { machinesOf, untilIdle } from '../watch/executions.ts';

export interface RunnerOptions {
  readonly stack: LocalCloudOptions['stack'];
  /** `AWS_ENDPOINT_URL_…` of running services: DynamoDB, and S3 if there is an archive. */
  readonly environment: Readonly<Record<string, string>>;
  readonly seed: number;
  readonly rates: FaultRates;
  /** Called for each DynamoDB call of the functions. */
  readonly onCall: (call: DynamoDbCall) => void;
  readonly onExecution: (execution: Execution) => void;
  readonly onProblem: (problem: string) => void;
}

const TICK_MS = 60_000;
/** Shortest interval at which an additional tick is started over a range that others are sweeping. */
const OVERLAP_INTERVAL_MS = 10_000;

/** Runs a synthesized deployment by its schedules under all faults. */
export class ChaosRunner {
  readonly counter = new FaultCounter();
  readonly #options: RunnerOptions;
  readonly #random: RandomSource;
  #rates: FaultRates;
  #cloud: LocalCloud | undefined;
  #proxy: FaultProxy | undefined;
  #overlaps: NodeJS.Timeout | undefined;

  private constructor(options: RunnerOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#rates = options.rates;
  }

  static async start(options: RunnerOptions): Promise<ChaosRunner> {
    const runner = new ChaosRunner(options);
    try {
      await runner.#start();
      return runner;
    } catch (error) {
      await runner.stop();
      throw error;
    }
  }

  async #start(): Promise<void> {
    const { stack, environment, seed, rates, onCall, onExecution, onProblem } = this.#options;
    this.#cloud = await LocalCloud.start({
      stack,
      environment,
      random: this.#random,
      functionsDynamoDbEndpoint: async target => {
        this.#proxy = await startFaultProxy({ target, seed, rates, counter: this.counter, onCall });
        return this.#proxy.endpoint;
      },
      functions: {
        // A call that hangs keeps its thread; on Lambda no other call would wait for it.
        threads: { most: Number.POSITIVE_INFINITY },
        wrap: faultyInvocations({ random: this.#random, rates: () => this.#rates, counter: this.counter }),
      },
      deliveries: faultyDeliveries(this.#random, rates, this.counter),
      mappings: {
        onDiscarded: ({ reason, records }) => onProblem(`${records.length} records were given up: ${reason}`),
        onError: error => onProblem(`the stream: ${error}`),
      },
      onExecution,
      onScheduleError: error => onProblem(`a schedule's target could not be started: ${error}`),
    });
    this.#overlaps = setInterval(() => this.#overlap(), OVERLAP_INTERVAL_MS);
    // The schedules begin with the next minute, which the tick of this minute owns. The tick before owns this minute.
    this.#tick(1);
    this.#tick();
  }

  /**
   * Starts nothing new, ends all faults and waits, until the deadline (epoch milliseconds), for running executions.
   * @returns whether all has ended
   */
  wind(deadline: number): Promise<boolean> {
    clearInterval(this.#overlaps);
    this.#cloud?.pauseSchedules();
    this.#rates = {};
    this.#proxy?.setRates({});
    return untilIdle(() => this.#cloud?.running.length === 0, { deadline });
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    clearInterval(this.#overlaps);
    await this.#cloud?.stop();
    await this.#proxy?.stop();
  }

  /** Starts the tick of the current minute, or an earlier one, again or late. */
  #tick(minutesBack = 0): void {
    const minute = Math.floor(Date.now() / TICK_MS) - minutesBack;
    const cloud = this.#cloud;
    cloud?.startExecution(machinesOf(cloud).tick, { scheduledTime: schedulerTime(minute * TICK_MS) });
  }

  /** Starts only ticks: a replay would delete what they left, and hide their failures. */
  #overlap(): void {
    if (this.#random.next() >= (this.#rates.overlap ?? 0)) return;
    this.counter.add('overlap');
    this.#tick(this.#random.next() < 0.5 ? 0 : 1);
  }
}
