import { type Clock, realClock } from 'stepfunctions-emulator';
import type { PreciseTtlProps } from '../../config/props.ts';
import type { InvokeWrapper } from '../../local/functions/local-functions.ts';
import { type ChooseEffect, type DynamoDbCall, startFaultProxy } from './fault-proxy.ts';
import { type LocalSweep, type LocalSweepOptions, useLocalSweep } from './local-sweep.ts';

/** A local sweep whose functions reach DynamoDB through a proxy, and with whatever a test does to them. */
export interface FaultySweep extends LocalSweep {
  /** What is done to the functions' calls of DynamoDB; undefined lets them through. Reset after each test. */
  choose: ChooseEffect;
  /** What stands around every invocation. Reset after each test. */
  wrap: InvokeWrapper;
  /** The calls since the test began. */
  readonly calls: DynamoDbCall[];
  /** The lines that the functions printed since the test began. */
  readonly lines: string[];
}

const letThrough: ChooseEffect = () => undefined;
const justRun: InvokeWrapper = (_call, next) => next();

/** Longer than any wait of these tests, shorter than any time limit of a task or a child. */
const MAX_WAIT_MS = 1_900;

/** The wall clock, on which the waits of executions take a share of their time; time limits keep theirs. */
export function hurried(times: number): HurriedClock {
  return {
    ...realClock,
    times,
    schedule: (ms, action) => realClock.schedule(ms > MAX_WAIT_MS ? ms : ms / times, action),
  };
}

export interface HurriedClock extends Clock {
  readonly times: number;
}

/**
 * The same for what a function sleeps of a wait, which it does on the wall clock: brings the moment nearer for which it
 * waits, in its event.
 */
function hurrySleep(payload: unknown, { times }: HurriedClock): void {
  const { progress } = payload as { progress?: Record<string, Record<string, unknown>> | null };
  const now = Date.now();
  for (const [slice, name] of [
    ['deferred', 'retryAtMs'],
    ['busy', 'untilMs'],
  ] as const) {
    const fields = progress?.[slice];
    const until = fields?.[name];
    if (!fields || typeof until !== 'number' || until <= now) continue;
    fields[name] = now + (until - now) / times;
  }
}

/** @param always faults that are no single test's */
export function useFaultySweep(
  tables: readonly PreciseTtlProps[],
  options: LocalSweepOptions & { readonly clock?: HurriedClock } = {},
  always: ChooseEffect = letThrough,
): FaultySweep {
  let proxy: Awaited<ReturnType<typeof startFaultProxy>> | undefined;
  const local = useLocalSweep(tables, {
    ...options,
    functionsDynamoDbEndpoint: async target => {
      proxy = await startFaultProxy(target, call => {
        sweep.calls.push(call);
        return always(call) ?? sweep.choose(call);
      });
      return proxy.endpoint;
    },
    functions: {
      wrap: (call, next) => {
        if (options.clock) hurrySleep(call.payload, options.clock);
        return sweep.wrap(call, next);
      },
      onLog: (_name, line) => sweep.lines.push(line),
    },
  });
  const sweep: FaultySweep = Object.assign(Object.create(local), {
    choose: letThrough,
    wrap: justRun,
    calls: [],
    lines: [],
  });
  afterEach(() => {
    sweep.choose = letThrough;
    sweep.wrap = justRun;
    sweep.calls.length = 0;
    sweep.lines.length = 0;
  });
  afterAll(() => proxy?.stop());
  return sweep;
}
