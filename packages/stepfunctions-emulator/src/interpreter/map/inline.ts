import type { MapState } from '../definition.ts';
import type { Json } from '../json.ts';
import { type Payload, payload } from '../limits.ts';
import { Fork } from '../run/fork.ts';
import { runGraph } from '../run/graph.ts';
import type { MapItem } from '../run/line.ts';
import type { StateVisit } from '../run/visit.ts';
import { evaluateItems, evaluateSettings, forEachIndex, iterationInput } from './items.ts';

/**
 * Runs one attempt of an inline Map. The first iteration that fails ends the others: AWS accepts the tolerated failures of a distributed
 * Map in its definition, but here they have no effect.
 * @returns the outputs of the iterations, in the order of the items
 */
export async function runInlineMap(visit: StateVisit, state: MapState): Promise<Payload> {
  const { line } = visit;
  const settings = await evaluateSettings(visit, state);
  const items = await evaluateItems(visit, state);
  const startedEventId = line.record('MapStateStarted', 'mapStateStarted', { length: items.length });
  const most = line.run.engine.limits.inlineMapConcurrency;
  const concurrency = settings.maxConcurrency === 0 ? most : Math.min(settings.maxConcurrency, most);
  const fork = new Fork(line);
  const outputs = new Array<Json>(items.length).fill(null);
  /** The event before a worker's next iteration, by worker. */
  const lastEventIds = new Map<number, number>();
  await forEachIndex(
    items.length,
    concurrency,
    () => fork.stopped,
    async (index, worker) => {
      const item = items[index];
      if (item === undefined) return;
      const before = line.progress.part(index)?.output;
      if (before !== undefined) {
        outputs[index] = before.value;
        return;
      }
      const after = lastEventIds.get(worker) ?? startedEventId;
      const ended = await runIteration(visit, state, item, fork, after);
      if (ended === undefined) return;
      outputs[index] = ended.output;
      lastEventIds.set(worker, ended.lastEventId);
    },
  );
  fork.end();
  const result = payload(outputs);
  visit.take(result);
  line.recordAside('MapStateSucceeded');
  return result;
}

/** @returns undefined when the iteration failed or was cut off, which the fork has been told */
async function runIteration(
  visit: StateVisit,
  state: MapState,
  item: MapItem,
  fork: Fork,
  after: number,
): Promise<{ readonly output: Json; readonly lastEventId: number } | undefined> {
  const iteration = fork.branch(item.index, item);
  iteration.lastEventId = after;
  const details = { name: state.name, index: item.index };
  try {
    iteration.record('MapIterationStarted', 'mapIterationStarted', details);
    const input = await iterationInput(visit, state, item, iteration);
    visit.checkSize(input);
    const output = await runGraph(iteration, state.processor, input);
    const ended = iteration.recordAside('MapIterationSucceeded', 'mapIterationSucceeded', details);
    fork.join(item.index, iteration, output, ended);
    return { output: output.value, lastEventId: iteration.lastEventId };
  } catch (error) {
    fork.fail(item.index, iteration, error);
    return undefined;
  }
}
