import { childrenOf } from '../api/executions.ts';
import type { Execution, HistoryEvent, Json } from '../interpreter/index.ts';

export interface Visit {
  readonly name: string;
  readonly type: string;
  readonly input: Json;
  /** Undefined when the execution has not left the state, e.g. after a failure without a Catch, or after an abort. */
  readonly output: Json | undefined;
  /** Epoch milliseconds. */
  readonly enteredDate: number;
  /** Epoch milliseconds; undefined without an output. */
  readonly exitedDate: number | undefined;
  readonly executionArn: string;
  readonly enteredEventId: number;
}

const ENTERED = 'StateEntered';
const EXITED = 'StateExited';

interface StateDetails {
  readonly name: string;
  readonly input: string;
  readonly output: string;
}

/**
 * All visits of states in the order of entry, but a distributed Map's children one after the other, at the place where the Map Run started.
 */
export function visitsOf(execution: Execution): Visit[] {
  const { history, arn } = execution;
  const exits = findExits(history);
  const mapRuns = new Map(execution.mapRuns.map(mapRun => [mapRun.settings.arn, mapRun]));
  return history.flatMap(event => {
    if (event.type === 'MapRunStarted') {
      const mapRun = mapRuns.get(String(event['mapRunStartedEventDetails']?.['mapRunArn']));
      return mapRun === undefined ? [] : childrenOf(mapRun).flatMap(visitsOf);
    }
    if (!event.type.endsWith(ENTERED)) return [];
    const { name, input } = detailsOf(event, 'stateEnteredEventDetails');
    const exit = exits.get(event.id);
    const visit: Visit = {
      name,
      type: event.type.slice(0, -ENTERED.length),
      input: JSON.parse(input) as Json,
      output: exit && (JSON.parse(detailsOf(exit, 'stateExitedEventDetails').output) as Json),
      enteredDate: event.timestamp,
      exitedDate: exit?.timestamp,
      executionArn: arn,
      enteredEventId: event.id,
    };
    return [visit];
  });
}

const detailsOf = (event: HistoryEvent, key: `${string}EventDetails`): StateDetails =>
  event[key] as unknown as StateDetails;

function findExits(history: readonly HistoryEvent[]): Map<number, HistoryEvent> {
  const exits = new Map<number, HistoryEvent>();
  for (const event of history) {
    if (!event.type.endsWith(EXITED)) continue;
    const { name } = detailsOf(event, 'stateExitedEventDetails');
    const entry = entryBefore(history, event, name);
    if (entry !== undefined) exits.set(entry, event);
  }
  return exits;
}

/** Id of the StateEntered event that belongs to `exit`. Each `previousEventId` leads one event back; ids count from 1, indexes from 0. */
function entryBefore(history: readonly HistoryEvent[], exit: HistoryEvent, name: string): number | undefined {
  for (let event = history[exit.previousEventId - 1]; event; event = history[event.previousEventId - 1]) {
    if (!event.type.endsWith(ENTERED)) continue;
    if (detailsOf(event, 'stateEnteredEventDetails').name === name) return event.id;
  }
  return undefined;
}
