import type { Execution, HistoryEvent } from 'stepfunctions-emulator';
import { count, timeOfDay } from '../../report/numbers.ts';

/** The parts of an execution that are read here. */
export type Observed = Pick<Execution, 'history' | 'status'>;

/** States that only route, and take no time. */
const ROUTING = /^(Choice|Pass|Map|Succeed)State/;

/**
 * Describes from the histories of executions what the sweep deleted last, and in which state it is.
 * @param running the executions that have not ended
 * @param nextTick when the next tick starts, epoch milliseconds
 */
export function sweepInWords(running: readonly Observed[], nextTick: number | undefined): string[] {
  const [latest] = running.toSorted((one, other) => lastTime(other) - lastTime(one));
  if (latest === undefined) {
    return [
      'no tick runs',
      ...(nextTick === undefined ? [] : [`the next one starts at ${timeOfDay(nextTick)}`]),
    ];
  }
  return [lastDeletion(latest.history), stateInWords(latest.history)].filter(words => words !== undefined);
}

function lastTime({ history }: Observed): number {
  return history.at(-1)?.timestamp ?? 0;
}

interface Answer {
  readonly progress?: { readonly deleted?: number } | null;
}

/** How many keys the chunks of the last page deleted, in words. */
function lastDeletion(history: readonly HistoryEvent[]): string | undefined {
  let deleted = 0;
  let at: number | undefined;
  for (const event of fromTheEnd(history)) {
    if (nameOf(event) === 'DeleteChunk' && event.type === 'TaskStateExited') {
      at ??= event.timestamp;
      deleted += (JSON.parse(outputOf(event)) as Answer).progress?.deleted ?? 0;
    }
    if (nameOf(event) === 'DeleteChunks' && event.type === 'MapStateEntered' && at !== undefined) break;
  }
  return at === undefined ? undefined : `${timeOfDay(at)} DeleteChunk: ${count(deleted)} deleted`;
}

/** The state that was entered last, without those that only route, in words. */
function stateInWords(history: readonly HistoryEvent[]): string | undefined {
  for (const event of fromTheEnd(history)) {
    const name = nameOf(event);
    if (name === undefined || !event.type.endsWith('StateEntered') || ROUTING.test(event.type)) continue;
    return IN_WORDS[name]?.(history) ?? name;
  }
  return undefined;
}

const IN_WORDS: Readonly<Record<string, (history: readonly HistoryEvent[]) => string>> = {
  PlanSweep: () => 'PlanSweep looks what is due',
  QueryExpired: () => 'QueryExpired asks the index',
  DeleteChunk: () => 'DeleteChunk deletes',
  WaitForNextExpiry: history => `WaitForNextExpiry${untilIn(history)}`,
  WaitForCapacity: () => 'WaitForCapacity: DynamoDB throttles',
  RecordMetrics: () => 'RecordMetrics adds up',
};

/** The time until which a wait lasts: it is in the output of the state before. */
function untilIn(history: readonly HistoryEvent[]): string {
  for (const event of fromTheEnd(history)) {
    if (nameOf(event) !== 'NextStep?' || !event.type.endsWith('StateExited')) continue;
    // The first match belongs to the state. The output may be long, so it is not parsed.
    const [, until] = /"until":"([^"]+)"/.exec(outputOf(event)) ?? [];
    return until === undefined ? '' : ` until ${timeOfDay(Date.parse(until))}`;
  }
  return '';
}

function* fromTheEnd(history: readonly HistoryEvent[]): Generator<HistoryEvent> {
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const event = history[index];
    if (event !== undefined) yield event;
  }
}

function nameOf(event: HistoryEvent): string | undefined {
  return (event['stateEnteredEventDetails'] ?? event['stateExitedEventDetails'])?.['name'] as
    | string
    | undefined;
}

function outputOf(event: HistoryEvent): string {
  return String(event['stateExitedEventDetails']?.['output'] ?? '{}');
}
