import { BreakableDynamoDb, type Breakage, SLOW_MS, THROTTLED_OF } from 'aws-on-loopback/dynamodb/breakable';
import type { Clock } from 'stepfunctions-emulator';

/** Incidents that can be rehearsed. */
export type Incident =
  | { readonly kind: Breakage }
  /** @property aheadMs how far the clocks of Step Functions, Scheduler and Lambda are ahead of DynamoDB's */
  | { readonly kind: 'clock'; readonly aheadMs: number };

export interface RehearsalOptions {
  readonly incident: Incident;
  /** Duration of the incident, milliseconds. @default until the local cloud stops */
  readonly forMs?: number | undefined;
  /** Called when the incident begins, and when it ends by itself; with an error when that failed. */
  readonly onChange?: (rehearsal: Rehearsal, error?: unknown) => void;
}

const MINUTE_MS = 60_000;
/**
 * Time from the next whole minute to the start of the incident. The items of a minute belong to an earlier tick: by this time the first
 * tick's minute has begun, so a working sweep is visible before the incident.
 */
const AFTER_MINUTE_MS = MINUTE_MS + 15_000;

/** The incidents' sections in docs/reference/alarms.md, and the faults. */
export const INCIDENTS: Readonly<
  Record<Incident['kind'], { readonly section: string; readonly what: string }>
> = {
  throttle: {
    section: 'dynamodb-throttles',
    what: `DynamoDB throttles: of ${THROTTLED_OF} reads of an index, and of ${THROTTLED_OF} deletes, one goes through`,
  },
  down: { section: 'dynamodb-down', what: 'DynamoDB refuses every connection' },
  hang: { section: 'dynamodb-hangs', what: 'DynamoDB takes every request and answers none' },
  slow: { section: 'dynamodb-slow', what: `DynamoDB answers ${SLOW_MS / 1000} s later` },
  clock: { section: 'clock-skew', what: 'the clocks of Step Functions, Scheduler and Lambda are' },
};

/** An incident of a local cloud: its start, its end, and what is broken meanwhile. */
export class Rehearsal {
  /** Start of the incident, epoch milliseconds; set when it is planned. */
  from = 0;
  readonly incident: Incident;
  readonly #options: RehearsalOptions;
  readonly #clock: Clock;
  #dynamoDb: BreakableDynamoDb | undefined;
  #cancel: () => void = () => {};
  #isOn = false;

  constructor(options: RehearsalOptions, clock: Clock) {
    this.incident = options.incident;
    this.#options = options;
    this.#clock = clock;
  }

  /** DynamoDB endpoint for all clients; undefined before it listens. */
  get endpoint(): string | undefined {
    return this.#dynamoDb?.endpoint;
  }

  /** Starts a proxy that can break. @returns its endpoint, which all clients call instead of `target` */
  async listen(target: string, port: number): Promise<string> {
    this.#dynamoDb = await BreakableDynamoDb.start(target, port);
    return this.#dynamoDb.endpoint;
  }

  /** Plans the incident: it begins after two ticks have planned. */
  plan(): void {
    const now = this.#clock.now();
    this.from = Math.ceil(now / MINUTE_MS) * MINUTE_MS + AFTER_MINUTE_MS;
    this.#cancel = this.#clock.schedule(this.from - now, () => this.#change(true));
  }

  /** End of the incident, epoch milliseconds; undefined when it has no end. */
  get until(): number | undefined {
    const { forMs } = this.#options;
    return forMs === undefined ? undefined : this.from + forMs;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Current clock skew, milliseconds. */
  readonly aheadMs = (): number => (this.#isOn && this.incident.kind === 'clock' ? this.incident.aheadMs : 0);

  /** Heading of its section in docs/reference/alarms.md. */
  get section(): string {
    return INCIDENTS[this.incident.kind].section;
  }

  /** The fault, as a sentence without its full stop. */
  get what(): string {
    const { what } = INCIDENTS[this.incident.kind];
    if (this.incident.kind !== 'clock') return what;
    const { aheadMs } = this.incident;
    return `${what} ${Math.abs(aheadMs) / 1000} s ${aheadMs < 0 ? 'behind' : 'ahead of'} DynamoDB's`;
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    this.#cancel();
    await this.#dynamoDb?.stop();
  }

  #change(isOn: boolean): void {
    this.#isOn = isOn;
    const { forMs, onChange } = this.#options;
    if (isOn && forMs !== undefined) this.#cancel = this.#clock.schedule(forMs, () => this.#change(false));
    const { kind } = this.incident;
    const change = async () => {
      if (kind === 'clock') return;
      await (isOn ? this.#dynamoDb?.break(kind) : this.#dynamoDb?.mend());
    };
    this.#clock.busy(change).then(
      () => onChange?.(this),
      error => onChange?.(this, error),
    );
  }
}
