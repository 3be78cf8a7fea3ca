import type { HistoryModel, Line, Outcome, Visit } from './history.ts';

export interface StateSummary {
  readonly visits: readonly Visit[];
  readonly retries: number;
  /** The outcome that decides the state's colour: the most important outcome of the state's visits. */
  readonly outcome: Outcome;
}

/** All outcomes, the most important outcome first. */
const BY_WEIGHT: readonly Outcome[] = ['running', 'failed', 'caught', 'succeeded', 'cutOff'];

export function statesOf({ visits }: HistoryModel): Map<string, StateSummary> {
  const byName = new Map<string, Visit[]>();
  for (const visit of visits) {
    const same = byName.get(visit.name);
    if (same === undefined) byName.set(visit.name, [visit]);
    else same.push(visit);
  }
  return new Map([...byName].map(([name, same]) => [name, summaryOf(same)]));
}

function summaryOf(visits: readonly Visit[]): StateSummary {
  const outcomes = new Set(visits.map(({ outcome }) => outcome));
  return {
    visits,
    retries: visits.reduce((sum, visit) => sum + retriesOf(visit), 0),
    outcome: BY_WEIGHT.find(each => outcomes.has(each)) ?? 'succeeded',
  };
}

export const retriesOf = ({ attempts }: Visit): number => Math.max(0, attempts.length - 1);

/** Key of a transition between two states. `caught` is a part of the key, because Next and Catch can lead to the same state. */
export const transitionKey = (from: string, to: string, caught: boolean): string =>
  JSON.stringify([from, to, caught]);

/** Keys of the transitions that an execution has taken. The start point and the end point have an empty name. */
export function takenTransitions({ visits, root }: HistoryModel): Set<string> {
  const taken = new Set<string>();
  for (const { visits: ofLine } of new Set<Line>(visits.map(({ line }) => line))) {
    for (const [index, { name }] of ofLine.entries()) {
      const before = ofLine[index - 1];
      taken.add(transitionKey(before?.name ?? '', name, before?.outcome === 'caught'));
    }
  }
  const last = root.visits.at(-1);
  const isOver = last?.outcome === 'succeeded' || (last?.type === 'Fail' && last.outcome === 'failed');
  if (last !== undefined && isOver) taken.add(transitionKey(last.name, '', false));
  return taken;
}
