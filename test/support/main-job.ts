import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Clock, VirtualClock } from 'stepfunctions-emulator';
import type { PromiseName, Status, Verdict } from '../../bench/demo/judge.ts';
import { EXIT_STATUS, type MainJobOptions, runMainJob } from '../../bench/demo/main-job.ts';
import { createDocuments } from '../../functions/table/dynamodb.ts';
import type { LocalCloudOptions } from '../../local/cloud.ts';
import { localConfig } from '../../local/dynamodb/clients.ts';
import type { InvokeWrapper } from '../../local/functions/local-functions.ts';
import { testedFunctions } from '../../local/testing/functions.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { configOf, SESSION_DATA } from './configs.ts';
import { dynamoDbOfFile } from './local-dynamodb.ts';
import type { SweepFunctions } from './simulation/functions.ts';

/** Late in a minute, and within a second: the first tick of the schedules is near. */
export const JOB_STARTED = Date.parse('2026-11-20T09:00:45.988Z');

export interface JobOptions extends Partial<Omit<MainJobOptions, 'config' | 'dynamoDb' | 'cloud'>> {
  readonly cloud?: Partial<LocalCloudOptions>;
}

/**
 * Runs the job of `npm start` as it is, but for the time: a minute of sessions, and all that follows, on a virtual clock
 * takes about two seconds.
 *
 * @returns its result, and everything that it printed
 */
export async function runJob(
  tables: readonly PreciseTtlProps[],
  { cloud = {}, ...options }: JobOptions = {},
) {
  const printed: string[] = [];
  const { clock = new VirtualClock(JOB_STARTED), functions } = cloud;
  const wrap: InvokeWrapper = functions?.wrap ?? ((_call, next) => next());
  const config = localConfig(dynamoDbOfFile().endpoint, 'us-east-1');
  const documents = createDocuments({ maxAttempts: 3 }, config);
  const judged = await runMainJob({
    config: configOf(...tables),
    dynamoDb: dynamoDbOfFile(),
    minutes: 1,
    rate: 0.5,
    seed: 1,
    output: { write: text => printed.push(text) },
    signal: new AbortController().signal,
    // The observer's reads are most of the requests: once a second is enough for what is promised.
    intervalMs: 1_000,
    ...options,
    cloud: { ...cloud, clock, warm: false, functions: { wrap: inProcess(clock, documents, wrap) } },
  });
  documents.destroy();
  return { ...judged, printed: printed.join('') };
}

/** Changes what one of the functions answers, by the end of its name. */
export function answering(
  functionName: keyof SweepFunctions,
  change: (payload: unknown) => unknown,
): Partial<LocalCloudOptions> {
  const wrap: InvokeWrapper = async (call, next) => {
    const result = await next();
    return result.ok && call.functionName.endsWith(`-${functionName}`)
      ? { ...result, payload: change(result.payload) }
      : result;
  };
  return { functions: { wrap } };
}

/** Runs the functions of a job in this process, with its clock. */
function inProcess(clock: Clock, documents: DynamoDBDocumentClient, wrap: InvokeWrapper): InvokeWrapper {
  const none = { onLog: undefined, planOf: () => undefined, onWatermarks: () => undefined };
  return (call, next) => {
    const [deployment = ''] = /^demo-[0-9a-f]+/.exec(call.functionName) ?? [];
    const invoke = testedFunctions({ ...none, deployment, documents, clock });
    return wrap(call, (payload = call.payload) => invoke({ ...call, payload }, next));
  };
}

/** What a job on a cloud that is broken somewhere, or sleeps, comes to: what wasn't kept, and the exit status. */
export async function judgedJob(cloud: Partial<LocalCloudOptions>, minutes = 1, options: JobOptions = {}) {
  const { result, printed } = await runJob([SESSION_DATA], { ...options, cloud, minutes });
  const { verdict, promises, machine } = result;
  const notKept = promises.flatMap(({ name, status }) => (status === 'kept' ? [] : [[name, status]]));
  return {
    status: EXIT_STATUS[verdict as Exclude<Verdict, 'interrupted'>],
    notKept: Object.fromEntries(notKept) as Partial<Record<PromiseName, Status>>,
    machine,
    printed,
  };
}

/**
 * A machine that sleeps once: its clock goes on, and what is due meanwhile is done when it wakes. Where its timers sleep
 * too, as on Linux, everything that was waited for comes as much later.
 */
export class SleepingClock extends VirtualClock {
  readonly #asleepFrom: number;
  readonly #asleepMs: number;
  readonly #timersSleep: boolean;

  /** @param asleepFrom epoch milliseconds */
  constructor(startMs: number, asleepFrom: number, asleepMs: number, timersSleep = false) {
    super(startMs);
    this.#timersSleep = timersSleep;
    this.#asleepFrom = asleepFrom;
    this.#asleepMs = asleepMs;
  }

  override now(): number {
    const awake = super.now();
    return awake < this.#asleepFrom ? awake : awake + this.#asleepMs;
  }

  override schedule(ms: number, callback: () => void) {
    if (this.#timersSleep) return super.schedule(ms, callback);
    const due = this.now() + Math.max(0, ms);
    const awake = due < this.#asleepFrom ? due : Math.max(this.#asleepFrom, due - this.#asleepMs);
    return super.schedule(awake - super.now(), callback);
  }
}
