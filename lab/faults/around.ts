/** Faults around the functions: in their invocations, and in the schedules. */

import type { Deliveries } from 'aws-on-loopback/scheduler/scheduler';
import type { FunctionResult, RandomSource } from 'stepfunctions-emulator';
import type { InvokeWrapper } from '../../local/functions/local-functions.ts';
import { drawFault, type FaultCounter, type FaultName, type FaultRates } from './fault.ts';

export interface InvocationFaultsOptions {
  readonly random: RandomSource;
  /** Current rates; called at every invocation. */
  readonly rates: () => FaultRates;
  readonly counter: FaultCounter;
}

const OF_INVOCATIONS = ['crashBefore', 'crashAfter', 'duplicate'] as const satisfies FaultName[];

/** Crashes functions before or after they ran, and invokes them twice. */
export function faultyInvocations({ random, rates, counter }: InvocationFaultsOptions): InvokeWrapper {
  return async (_call, next) => {
    const name = drawFault(OF_INVOCATIONS, rates(), random);
    if (name === undefined) return next();
    counter.add(name);
    if (name === 'crashBefore') return crash();
    if (name === 'crashAfter') {
      await next();
      return crash();
    }
    // Both invocations run; it is random which one runs first and whose answer counts.
    const [one, other] = await Promise.all([next(), next()]);
    return random.next() < 0.5 ? one : other;
  };
}

/** Lambda's answer when the function's process has died. */
export function crash(): FunctionResult {
  const errorMessage = 'RequestId: injected Error: Runtime exited with error: signal: killed';
  return { ok: false, errorType: 'Runtime.ExitError', errorMessage };
}

/** Scheduler fires anywhere in the minute. */
const LATEST_MS = 59_000;

const OF_TICKS = ['lateTick', 'skippedTick', 'doubledTick'] as const satisfies FaultName[];

/** Delays, drops and repeats ticks. */
export function faultyDeliveries(random: RandomSource, rates: FaultRates, counter: FaultCounter): Deliveries {
  return () => {
    const name = drawFault(OF_TICKS, rates, random);
    if (name === undefined) return [0];
    counter.add(name);
    const delay = Math.floor(random.next() * LATEST_MS);
    if (name === 'skippedTick') return [];
    return name === 'lateTick' ? [delay] : [0, delay];
  };
}
