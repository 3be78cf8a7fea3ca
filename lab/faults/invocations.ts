import type { FunctionResult, RandomSource } from 'stepfunctions-emulator';
import type { InvokeWrapper } from '../../local/functions/local-functions.ts';
import { drawFault, type FaultCounter, type FaultName, type FaultRates } from './fault.ts';

export interface InvocationFaultsOptions {
  readonly random: RandomSource;
  /** Current rates; called at every invocation. */
  readonly rates: () => FaultRates;
  readonly counter: FaultCounter;
}

const NAMES = ['crashBefore', 'crashAfter', 'duplicate'] as const satisfies FaultName[];

/** Crashes functions before or after they ran, and invokes them twice. */
export function faultyInvocations({ random, rates, counter }: InvocationFaultsOptions): InvokeWrapper {
  return async (_call, next) => {
    const name = drawFault(NAMES, rates(), random);
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
