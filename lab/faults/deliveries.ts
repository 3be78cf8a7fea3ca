import type { Deliveries } from 'aws-on-loopback/scheduler/scheduler';
import type { RandomSource } from 'stepfunctions-emulator';
import { drawFault, type FaultCounter, type FaultName, type FaultRates } from './fault.ts';

/** Scheduler fires anywhere in the minute. */
const LATEST_MS = 59_000;

const NAMES = ['lateTick', 'skippedTick', 'doubledTick'] as const satisfies FaultName[];

/** Delays, drops and repeats ticks. */
export function faultyDeliveries(random: RandomSource, rates: FaultRates, counter: FaultCounter): Deliveries {
  return () => {
    const name = drawFault(NAMES, rates, random);
    if (name === undefined) return [0];
    counter.add(name);
    const delay = Math.floor(random.next() * LATEST_MS);
    if (name === 'skippedTick') return [];
    return name === 'lateTick' ? [delay] : [0, delay];
  };
}
