import type { RandomSource } from 'stepfunctions-emulator';
import type { Millis } from '../../statemachine/times.ts';
import type { FaultGroup } from './faults.ts';

/** A span of time, [from, to), epoch milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const LONG_OUTAGES = ['ticks', 'planSweep', 'dynamodb'] as const;
const TROUBLES = ['deleted', 'forbidden', 'readOnly', 'hanging', 'throttled'] as const;

export type Trouble = (typeof TROUBLES)[number];

export interface TableScenario {
  readonly trouble: (Span & { readonly kind: Trouble }) | undefined;
  readonly pauses: readonly Span[];
  /** End of the table's `trouble` and `pauses` and of the other faults, epoch milliseconds. */
  readonly calmAt: number;
}

export interface Scenario {
  readonly outage: (Span & { readonly kind: (typeof LONG_OUTAGES)[number] }) | undefined;
  readonly tables: readonly TableScenario[];
  /** Time at which the state machines get new definitions, epoch milliseconds. Running executions keep the former ones. */
  readonly deployedAt: number | undefined;
  readonly replaysAt: number | undefined;
  /** Range of the TTLs of most items at their first write, epoch milliseconds, [from, to). */
  readonly ttls: Span;
  /** End of all faults except `trouble` and `pauses` of tables other than the first table, epoch milliseconds. */
  readonly calmAt: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/**
 * `trouble` and `pauses` of all tables but the first may last this much longer than all other faults, milliseconds. In this time, they
 * must not delay deletes in the first table.
 */
const OUTLASTS_MS = 4 * MINUTE;

interface ScenarioOptions {
  readonly random: RandomSource;
  readonly groups: readonly FaultGroup[];
  readonly startMs: Millis;
  readonly minutes: number;
}

export function drawScenario({ random, groups, startMs, minutes }: ScenarioOptions): Scenario {
  const between = (from: number, to: number) => Math.floor(from + random.next() * (to - from));
  /** Draws milliseconds, a multiple of 1,000, because TTLs are whole seconds. */
  const time = (from: number, to: number) => Math.floor(between(from, to) / SECOND) * SECOND;
  const pick = <T>(from: readonly T[]) => from[between(0, from.length)] as T;
  // Every value is drawn, even for a group that is not chosen: so the other groups get the same values from the same seed.
  const happens = (group: FaultGroup, share: number) => random.next() < share && groups.includes(group);

  const hasOutage = happens('long', 0.35);
  const outageFrom = time(startMs, startMs + minutes * MINUTE);
  const outageMs = time(5 * MINUTE, 20 * MINUTE);
  const outage = { kind: pick(LONG_OUTAGES), from: outageFrom, to: outageFrom + outageMs };
  const ttls = { from: startMs + MINUTE, to: startMs + (minutes + 1) * MINUTE + (hasOutage ? outageMs : 0) };
  const calmAt = ttls.to + MINUTE;

  const tableOf = (isOther: boolean): TableScenario => {
    const end = calmAt + (isOther ? OUTLASTS_MS : 0);
    // Some tables are in trouble before the first tick, when no tick has written a watermark for the table yet.
    const from = random.next() < 0.4 ? startMs - MINUTE : time(startMs, calmAt);
    const isInTrouble = happens('tables', 0.8) && isOther;
    const trouble = {
      kind: pick(TROUBLES),
      from,
      to: random.next() < 0.6 ? end : time(Math.min(from + MINUTE, end), end),
    };
    const pauses = [happens('pauses', 0.5), happens('pauses', 0.3)].flatMap(isPaused => {
      const since = time(startMs, end - 20 * SECOND);
      const to = Math.min(end, since + time(10 * SECOND, 150 * SECOND));
      return isPaused ? [{ from: since, to }] : [];
    });
    return {
      trouble: isInTrouble ? trouble : undefined,
      pauses,
      calmAt: Math.max(calmAt, isInTrouble ? trouble.to : 0, ...pauses.map(({ to }) => to)),
    };
  };
  const tables = Array.from({ length: between(2, 5) }, (_unused, index) => tableOf(index > 0));
  return {
    outage: hasOutage ? outage : undefined,
    tables,
    deployedAt: happens('deploys', 0.5) ? between(startMs + MINUTE, calmAt) : undefined,
    replaysAt: happens('replays', 0.4) ? between(startMs + 90 * SECOND, calmAt) : undefined,
    ttls,
    calmAt,
  };
}

export function isWithin(span: Span | undefined, at: number): boolean {
  return span !== undefined && at >= span.from && at < span.to;
}
