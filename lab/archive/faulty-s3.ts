import type { RandomSource } from 'stepfunctions-emulator';
import type { CallFault, ChooseCallFault } from '../../local/call-fault.ts';

/** Of all calls. */
const FAILING = 0.2;
const HANGING = 0.01;

const FAILURES: readonly CallFault[] = [
  { kind: 'refuse', error: 'SlowDown', status: 503 },
  { kind: 'refuse', error: 'InternalError', status: 500 },
  { kind: 'cut', done: false },
  { kind: 'cut', done: true },
];

export interface S3Counts {
  calls: number;
  /** Refused, or without an answer because the connection broke: after the object was stored, or before. */
  failed: number;
  /** Never answered, half of them stored. */
  hung: number;
}

/** An S3 that fails 20% of its calls, in one way as often as in another, and hangs 1%. */
export function faultyS3(random: RandomSource): {
  readonly choose: ChooseCallFault;
  readonly counts: S3Counts;
} {
  const counts: S3Counts = { calls: 0, failed: 0, hung: 0 };
  const choose = () => {
    counts.calls += 1;
    const drawn = random.next();
    if (drawn < HANGING) {
      counts.hung += 1;
      return { kind: 'hang', done: random.next() < 0.5 } as const;
    }
    if (drawn >= HANGING + FAILING) return undefined;
    counts.failed += 1;
    return FAILURES[Math.floor(random.next() * FAILURES.length)];
  };
  return { choose, counts };
}
