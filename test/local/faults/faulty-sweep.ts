import { type Clock, realClock } from '../../../local/clock.ts';
import type { LocalCloudOptions } from '../../../local/cloud.ts';
import {
  type ChooseFault,
  type DynamoDbCall,
  type FaultProxy,
  startFaultProxy,
} from '../../../local/faults/index.ts';
import type { InvokeWrapper } from '../../../local/functions/local-functions.ts';
import type { PreciseTtlProps } from '../../../stacks/props.ts';
import { type LocalSweep, useLocalSweep } from '../../support/local-sweep.ts';

/** A local sweep whose functions reach DynamoDB through a proxy, and with whatever a test does to them. */
export interface FaultySweep extends LocalSweep {
  /** What is done to the functions' calls of DynamoDB; undefined lets them through. Reset after each test. */
  choose: ChooseFault;
  /** What stands around every invocation. Reset after each test. */
  wrap: InvokeWrapper;
  /** The calls since the test began. */
  readonly calls: DynamoDbCall[];
  /** The lines that the functions printed since the test began. */
  readonly lines: string[];
  readonly proxy: FaultProxy;
}

const letThrough: ChooseFault = () => undefined;
const justRun: InvokeWrapper = (_call, next) => next();

/** The wall clock, on which waits and time limits of executions take a share of their time. */
export function hurried(times: number): Clock {
  return { ...realClock, schedule: (ms, action) => realClock.schedule(ms / times, action) };
}

/** @param always faults that are no single test's */
export function useFaultySweep(
  tables: readonly PreciseTtlProps[],
  options: Partial<LocalCloudOptions> = {},
  always: ChooseFault = letThrough,
): FaultySweep {
  let proxy: FaultProxy | undefined;
  const local = useLocalSweep(tables, {
    ...options,
    functionsDynamoDbEndpoint: async target => {
      proxy = await startFaultProxy({
        target,
        choose: call => always(call) ?? sweep.choose(call),
        onCall: call => sweep.calls.push(call),
      });
      return proxy.endpoint;
    },
    functions: {
      wrap: (call, next) => sweep.wrap(call, next),
      onLog: (_name, line) => sweep.lines.push(line),
    },
  });
  const sweep: FaultySweep = Object.assign(Object.create(local), {
    choose: letThrough,
    wrap: justRun,
    calls: [],
    lines: [],
  });
  Object.defineProperty(sweep, 'proxy', { get: () => proxy });
  afterEach(() => {
    sweep.choose = letThrough;
    sweep.wrap = justRun;
    sweep.calls.length = 0;
    sweep.lines.length = 0;
  });
  afterAll(() => proxy?.stop());
  return sweep;
}
