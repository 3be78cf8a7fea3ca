import { isObject, type Json } from '../json.ts';
import { type Payload, payload } from '../limits.ts';
import type { StateOf } from '../load/states.ts';
import type { Line, MapItem } from '../run/line.ts';
import type { StateVisit } from '../run/visit.ts';

export interface MapSettings {
  /** 0 means that the Map sets no limit. */
  readonly maxConcurrency: number;
  readonly toleratedFailureCount: number | undefined;
  readonly toleratedFailurePercentage: number | undefined;
}

type MapState = StateOf<'Map'>;

export async function evaluateSettings(visit: StateVisit, state: MapState): Promise<MapSettings> {
  return {
    maxConcurrency: (await visit.evaluateField(state.maxConcurrency)) ?? 0,
    toleratedFailureCount: await visit.evaluateField(state.toleratedFailureCount),
    toleratedFailurePercentage: await visit.evaluateField(state.toleratedFailurePercentage),
  };
}

/** Evaluates the items of a Map: its field Items or, without Items, its input. Members of an object are items in a distributed Map only. */
export async function evaluateItems(visit: StateVisit, state: MapState): Promise<readonly MapItem[]> {
  const value = state.items === undefined ? visit.input.value : await visit.evaluate(state.items);
  if (Array.isArray(value)) return value.map((item, index) => ({ index, value: item }));
  const distributed = state.children !== undefined;
  if (distributed && isObject(value)) {
    return Object.entries(value).map(([key, member], index) => ({ index, key, value: member as Json }));
  }
  if (state.items?.expression !== undefined)
    throw visit.unexpectedType(state.items.expression, 'Items', 'array', value);
  const kinds = distributed ? 'an array or an object' : 'an array';
  throw visit.evaluationFailed('Items', `Map state input must be ${kinds} but was: ${JSON.stringify(value)}`);
}

export async function iterationInput(
  visit: StateVisit,
  state: MapState,
  item: MapItem,
  line: Line,
): Promise<Payload> {
  if (state.itemSelector !== undefined) return payload(await visit.evaluate(state.itemSelector, {}, line));
  return payload(item.key === undefined ? item.value : { Key: item.key, Value: item.value });
}

/** Calls `work` for the indexes 0 to count-1 while not `stopped`, at most `concurrency` at a time. Rejects as soon as one call rejects. */
export async function forEachIndex(
  count: number,
  concurrency: number,
  stopped: () => boolean,
  work: (index: number, worker: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const run = async (worker: number) => {
    while (next < count && !stopped()) await work(next++, worker);
  };
  await Promise.all(Array.from({ length: Math.min(count, concurrency) }, (_, worker) => run(worker)));
}
