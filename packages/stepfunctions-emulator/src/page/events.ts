import type { HistoryEvent } from '../interpreter/index.ts';
import type { EventData, PageEvent } from './data.ts';

interface Details {
  readonly name?: string;
  readonly state?: string;
  readonly index?: number;
  readonly length?: number;
  readonly error?: string;
  readonly cause?: string;
  readonly mapRunArn?: string;
  readonly input?: string;
  readonly parameters?: string;
  readonly output?: string;
  readonly assignedVariables?: Readonly<Record<string, string>>;
}

export function pageEvent(event: HistoryEvent): PageEvent {
  const { id, previousEventId, timestamp, type } = event;
  const { name, state, index, length, error, cause, mapRunArn, assignedVariables } = detailsOf(event);
  return withoutUndefined({
    ...{ id, previousEventId, timestamp, type },
    ...{ name: name ?? state, index, length, error, cause, mapRunArn },
    variables: assignedVariables && Object.keys(assignedVariables),
  });
}

export function eventData(event: HistoryEvent): EventData {
  const { input, parameters, output, assignedVariables: variables } = detailsOf(event);
  return withoutUndefined({ id: event.id, input: input ?? parameters, output, variables });
}

function detailsOf(event: HistoryEvent): Details {
  const key = Object.keys(event).find(each => each.endsWith('EventDetails'));
  return key === undefined ? {} : (event[key as `${string}EventDetails`] as Details);
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}
