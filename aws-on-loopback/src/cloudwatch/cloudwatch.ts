import { type CancelTimer, type Clock, type Execution, expressBill } from 'stepfunctions-emulator';
import { type AlarmedMetric, type AlarmResource, type AlarmState, datapointsOf, evaluate } from './alarm.ts';
import { embeddedMetrics, MetricStore } from './metric-store.ts';

/** An alarm and its current state. */
export interface SeenAlarm {
  readonly alarm: AlarmResource;
  readonly state: AlarmState;
  readonly reason: string;
  /** Time at which it entered this state, epoch milliseconds. */
  readonly since: number;
}

export interface LocalCloudWatchOptions {
  readonly clock: Clock;
  readonly alarms: readonly AlarmResource[];
  /** Queues whose messages are counted, by name. */
  readonly queues: readonly string[];
  /** Called when an alarm's state changes; not for the first state after the start, unless it is ALARM. */
  readonly onAlarm?: ((seen: SeenAlarm, before: AlarmState) => void) | undefined;
}

const MINUTE_MS = 60_000;

/** CloudWatch metrics that count executions, by their final status. */
const ENDED: Readonly<Record<string, string>> = {
  SUCCEEDED: 'ExecutionsSucceeded',
  FAILED: 'ExecutionsFailed',
  TIMED_OUT: 'ExecutionsTimedOut',
  ABORTED: 'ExecutionsAborted',
};

/** The fields of an ended execution that CloudWatch counts. */
type Ended = Pick<Execution, 'machine' | 'status' | 'startDate' | 'stopDate' | 'memoryMb'>;

/**
 * The parts of CloudWatch that a deployment uses: metrics that functions print in the embedded metric format, AWS's own metrics of
 * executions and queues, and the alarms on them, which are evaluated at the end of each minute.
 */
export class LocalCloudWatch {
  readonly metrics = new MetricStore();
  readonly #options: LocalCloudWatchOptions;
  readonly #alarms = new Map<string, SeenAlarm>();
  readonly #queues: Map<string, number>;
  #cancel: CancelTimer | undefined;

  constructor(options: LocalCloudWatchOptions) {
    this.#options = options;
    this.#queues = new Map(options.queues.map(queue => [queue, 0]));
    const since = options.clock.now();
    for (const alarm of options.alarms) {
      this.#alarms.set(alarm.name, {
        alarm,
        state: 'INSUFFICIENT_DATA',
        reason: 'Not evaluated yet.',
        since,
      });
    }
  }

  /** Evaluates the alarms at the end of each minute from now on. */
  start(): void {
    const { clock } = this.#options;
    const next = (Math.floor(clock.now() / MINUTE_MS) + 1) * MINUTE_MS;
    this.#cancel = clock.schedule(next - clock.now(), () => {
      this.#minuteEnds(next);
      this.start();
    });
  }

  /** Safe to call more than once. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** All alarms, sorted by name. */
  get alarms(): readonly SeenAlarm[] {
    return [...this.#alarms.values()].sort((one, other) => (one.alarm.name < other.alarm.name ? -1 : 1));
  }

  /** Records the metrics in a line that a function printed. */
  addLine(line: string): void {
    for (const each of embeddedMetrics(line, this.#options.clock.now())) this.metrics.add(each);
  }

  executionStarted({ machine, startDate }: Execution): void {
    this.#countExecution('ExecutionsStarted', machine.arn, startDate);
  }

  executionEnded(execution: Ended): void {
    const { machine, status, startDate, stopDate = this.#options.clock.now(), memoryMb } = execution;
    const name = ENDED[status];
    if (name === undefined) return;
    const durationMs = stopDate - startDate;
    this.#countExecution(name, machine.arn, stopDate);
    this.#countExecution('ExecutionTime', machine.arn, stopDate, durationMs);
    if (memoryMb === undefined) return;
    const billed = expressBill({ memoryMb, durationMs });
    this.#countExecution('ExpressExecutionBilledDuration', machine.arn, stopDate, billed.durationMs);
    this.#countExecution('ExpressExecutionBilledMemory', machine.arn, stopDate, billed.memoryMb);
  }

  /** Records a call of a function that has ended. */
  addInvocation(FunctionName: string, durationMs: number): void {
    this.metrics.add({
      namespace: 'AWS/Lambda',
      name: 'Duration',
      dimensions: { FunctionName },
      timestamp: this.#options.clock.now(),
      values: [[durationMs, 1]],
    });
  }

  /** Records that a message was added to a queue. */
  addMessage(queue: string): void {
    this.#queues.set(queue, (this.#queues.get(queue) ?? 0) + 1);
  }

  /** Forgets the messages of a queue, as PurgeQueue does. */
  purgeQueue(queue: string): void {
    this.#queues.set(queue, 0);
  }

  #countExecution(name: string, StateMachineArn: string, timestamp: number, value = 1): void {
    this.metrics.add({
      namespace: 'AWS/States',
      name,
      dimensions: { StateMachineArn },
      timestamp,
      values: [[value, 1]],
    });
  }

  #minuteEnds(end: number): void {
    for (const [QueueName, messages] of this.#queues) {
      this.metrics.add({
        namespace: 'AWS/SQS',
        name: 'ApproximateNumberOfMessagesVisible',
        dimensions: { QueueName },
        timestamp: end - 1,
        values: [[messages, 1]],
      });
    }
    for (const seen of this.#alarms.values()) this.#evaluate(seen, end);
  }

  /** The window slides: each evaluation uses the periods that end now. */
  #evaluate({ alarm, state: before, since }: SeenAlarm, end: number): void {
    const { period, expression } = alarm;
    // Expressions expect the oldest datapoint first.
    const measured = ({ metricName: name, namespace, dimensions, statistic }: AlarmedMetric) =>
      Array.from({ length: datapointsOf(alarm) }, (_unused, index) => {
        const to = end - index * period * 1000;
        return this.metrics.statistic({ namespace, name, dimensions }, statistic, to - period * 1000, to);
      }).reverse();
    const series = expression
      ? expression.math(
          Object.fromEntries(
            Object.entries(expression.metrics).map(([id, metric]) => [id, measured(metric)]),
          ),
        )
      : measured(alarm);
    const points = series.toReversed();
    const { state, reason } = evaluate(alarm, points, before);
    const seen = { alarm, state, reason, since: state === before ? since : end };
    this.#alarms.set(alarm.name, seen);
    const isFirst = before === 'INSUFFICIENT_DATA';
    if (state !== before && (state === 'ALARM' || !isFirst)) this.#options.onAlarm?.(seen, before);
  }
}
