import type { Json } from '../json.ts';
import { type Payload, payload } from '../limits.ts';
import type { StateOf } from '../load/states.ts';
import { Fork } from '../run/fork.ts';
import { runGraph } from '../run/graph.ts';
import type { Line, MapItem } from '../run/line.ts';
import type { StateVisit } from '../run/visit.ts';
import { evaluateItems, evaluateSettings, forEachIndex, iterationInput } from './items.ts';

/**
 * The first failed iteration ends all other iterations: AWS ignores ToleratedFailureCount and ToleratedFailurePercentage in an inline Map.
 * @returns the outputs, in the order of the items
 */
export async function runInlineMap(visit: StateVisit, state: StateOf<'Map'>): Promise<Payload> {
  const { line } = visit;
  const settings = await evaluateSettings(visit, state);
  const items = await evaluateItems(visit, state);
  const startedEventId = line.record('MapStateStarted', 'mapStateStarted', { length: items.length });
  const most = line.run.engine.limits.inlineMapConcurrency;
  const concurrency = settings.maxConcurrency === 0 ? most : Math.min(settings.maxConcurrency, most);
  const fork = new Fork(line);
  const outputs = new Array<Json>(items.length).fill(null);
  /** Number of a worker (a loop in `forEachIndex`) → id of the event that precedes the worker's next iteration. */
  const lastEventIds = new Map<number, number>();
  await forEachIndex(
    items.length,
    concurrency,
    () => fork.stopped,
    async (index, worker) => {
      const item = items[index];
      if (item === undefined) return;
      const runPart = async (iteration: Line) => {
        iteration.lastEventId = lastEventIds.get(worker) ?? startedEventId;
        const ended = await runIteration(visit, state, item, iteration);
        lastEventIds.set(worker, iteration.lastEventId);
        return ended;
      };
      outputs[index] = (await fork.run(index, runPart, item)) ?? null;
    },
  );
  fork.end();
  const result = payload(outputs);
  visit.take(result);
  line.recordAside('MapStateSucceeded');
  return result;
}

async function runIteration(visit: StateVisit, state: StateOf<'Map'>, item: MapItem, iteration: Line) {
  const details = { name: state.name, index: item.index };
  iteration.record('MapIterationStarted', 'mapIterationStarted', details);
  const input = await iterationInput(visit, state, item, iteration);
  visit.checkSize(input);
  const output = await runGraph(iteration, state.processor, input);
  const endedEventId = iteration.recordAside('MapIterationSucceeded', 'mapIterationSucceeded', details);
  return { output, endedEventId };
}
