import type { RandomSource } from 'stepfunctions-emulator';
import type { PreciseTtlProps } from '../../config/props.ts';
import type { StreamOptions } from '../../lab/workload/plan.ts';

/** One of a table's ticks, as a scenario sees it. */
export interface Tick {
  /** 0 is the first one that owns expiry times of the run. */
  readonly index: number;
  /** How many own some. */
  readonly owners: number;
  /** Reproducible, and the scenario's own. */
  readonly random: RandomSource;
}

/** A way in which the surroundings of the sweep misbehave. Each has a table of its own. */
export interface Scenario {
  /** Unique; part of the table's name. */
  readonly id: string;
  readonly title: string;
  /** When a tick is delivered, milliseconds after its time, for each delivery. @default once and in time */
  readonly deliver?: (tick: Tick) => readonly number[];
  readonly props?: Pick<PreciseTtlProps, 'pollSeconds'>;
  readonly stream?: Pick<StreamOptions, 'life' | 'everySeconds'>;
  /** @default 'steady' */
  readonly group?: Group;
}

/**
 * What runs at once, on a cloud and a DynamoDB Local of its own. More tables at once would measure the machine,
 * and a backlog that is swept at once takes all there is of it: that one has a round for itself.
 */
export const ROUNDS = ['steady', 'polled', 'backlog'] as const;

export type Group = (typeof ROUNDS)[number];

export const groupOf = ({ group = 'steady' }: Scenario): Group => group;

/** At random, and the last one as late as can be. */
const lateBy =
  (seconds: number) =>
  ({ index, owners, random }: Tick) => [(index === owners - 1 ? 1 : random.next()) * seconds * 1000];

const SHORT_LIFE = { from: 5, to: 5 };

export const SCENARIOS: readonly Scenario[] = [
  { id: 'InTime', title: 'ticks in time' },
  { id: 'Late45', title: 'ticks late by 0 to 45 s', deliver: lateBy(45) },
  { id: 'Late59', title: 'ticks late by 0 to 59 s', deliver: lateBy(59) },
  { id: 'Twice', title: 'every tick twice, 7 s apart', deliver: () => [0, 7_000] },
  {
    id: 'Skipped',
    group: 'backlog',
    title: 'one tick skipped',
    deliver: ({ index, owners }) => (index === Math.floor(owners / 2) ? [] : [0]),
  },
  {
    id: 'ShortPolled',
    title: 'written 5 s before expiry, pollSeconds: 5',
    group: 'polled',
    props: { pollSeconds: 5 },
    stream: { life: SHORT_LIFE },
  },
  {
    // Nothing is known to expire in between, so that it is the poll that finds them.
    id: 'SparsePolled',
    title: 'written 5 s before expiry, only every 13 s, pollSeconds: 5',
    group: 'polled',
    props: { pollSeconds: 5 },
    stream: { life: SHORT_LIFE, everySeconds: 13 },
  },
  {
    id: 'Short',
    title: 'written 5 s before expiry, no poll',
    stream: { life: SHORT_LIFE },
    group: 'backlog',
  },
];
