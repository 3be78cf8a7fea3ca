import { type Clock, giveWay } from '../../clock.ts';
import type { Billing } from '../billing.ts';
import type { Json } from '../json.ts';
import { type Limits, STATES_WITHOUT_TIME } from '../limits.ts';
import type { MapRun } from '../map/map-run.ts';
import type { RandomSource } from '../random.ts';
import type { FunctionInvoker } from '../task/invoker.ts';
import type { ChildExecution, ChildSpec, MachineIdentity } from './child.ts';
import type { History } from './history.ts';

const STATES_IN_A_ROW = 1_000;

/**
 * Pauses after every 1,000 states, so that Node's event loop runs: otherwise an endless loop of states would delay timers, signals and
 * requests forever.
 */
export class Pace {
  readonly #clock: Clock;
  #states = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): Promise<void> | undefined {
    this.#states += 1;
    return this.#states % STATES_IN_A_ROW === 0 ? giveWay(this.#clock) : undefined;
  }
}

export class Rounds {
  readonly #clock: Clock;
  #entered = 0;
  #since = Number.NaN;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts the entry into a state. @returns whether more than STATES_WITHOUT_TIME states were entered without time passing */
  enter(): boolean {
    const now = this.#clock.now();
    if (now !== this.#since) this.#entered = 0;
    this.#since = now;
    this.#entered += 1;
    return this.#entered > STATES_WITHOUT_TIME;
  }
}

export interface RetryNotice {
  readonly executionArn: string;
  readonly state: string;
  /** Number of the retry in this visit of the state, from 1. */
  readonly retry: number;
  readonly ms: number;
  readonly error: string | undefined;
  readonly cause: string | undefined;
}

export interface EngineContext {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly invoker: FunctionInvoker;
  readonly resources?: FunctionInvoker | undefined;
  readonly limits: Limits;
  readonly onRetry?: ((retry: RetryNotice) => void) | undefined;
  readonly pace: Pace;
  readonly billing: Billing;
  newId(): string;
}

export interface Run {
  readonly engine: EngineContext;
  readonly machine: MachineIdentity;
  readonly arn: string;
  readonly name: string;
  readonly startDate: number;
  readonly input: Json;
  readonly events: History;
  readonly bill: Billing;
  readonly mapRuns: MapRun[];
  readonly synchronous: boolean;
  /** Times out an execution that loops while the engine's clock stands still. @param state name of a state in the loop */
  endLoop(state: string): void;
  startChild(spec: ChildSpec): ChildExecution;
}
