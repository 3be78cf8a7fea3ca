import type { MapState } from '../definition.ts';
import { Cancelled, StateFailure } from '../failure.ts';
import type { Json } from '../json.ts';
import type { Cancellation } from '../run/cancellation.ts';
import { runGraph } from '../run/graph.ts';
import { type MapItem, type Payload, payload } from '../run/run.ts';
import type { StateVisit } from '../run/visit.ts';
import { evaluateItems, evaluateSettings, forEachIndex, iterationInput } from './items.ts';

/**
 * One attempt of an inline Map. The first iteration that fails ends the others: the tolerated failures of a
 * distributed Map are accepted in the definition, as AWS accepts them, and nothing is tolerated.
 *
 * @returns the outputs of the iterations, in the order of the items
 */
export async function runInlineMap(visit: StateVisit, state: MapState): Promise<Payload> {
  const { line } = visit;
  const settings = await evaluateSettings(visit, state);
  const items = await evaluateItems(visit, state);
  line.record('MapStateStarted', 'mapStateStarted', { length: items.length });
  const startedEventId = line.lastEventId;
  const most = line.run.engine.limits.inlineMapConcurrency;
  const concurrency = settings.maxConcurrency === 0 ? most : Math.min(settings.maxConcurrency, most);
  const { cancellation, release } = line.cancellation.part();
  const outputs = new Array<Json>(items.length).fill(null);
  let failure: unknown;
  await forEachIndex(
    items.length,
    concurrency,
    () => cancellation.cancelled,
    async index => {
      const item = items[index];
      if (item === undefined) return;
      try {
        outputs[index] = await runIteration(visit, state, item, cancellation, startedEventId);
      } catch (error) {
        if (!(error instanceof Cancelled)) failure ??= error;
        cancellation.cancel();
      }
    },
  );
  release();
  line.cancellation.throwIfCancelled();
  if (failure !== undefined) throw failure;
  const result = payload(outputs);
  visit.checkSize(result);
  line.record('MapStateSucceeded');
  return result;
}

async function runIteration(
  visit: StateVisit,
  state: MapState,
  item: MapItem,
  cancellation: Cancellation,
  startedEventId: number,
): Promise<Json> {
  const before = visit.line.progress.part(item.index)?.output;
  if (before !== undefined) return before.value;
  const iteration = visit.line.branch(item.index, cancellation, item);
  iteration.lastEventId = startedEventId;
  const details = { name: state.name, index: item.index };
  iteration.record('MapIterationStarted', 'mapIterationStarted', details);
  try {
    const input = await iterationInput(visit, state, item, iteration);
    visit.checkSize(input);
    const output = await runGraph(iteration, state.processor, input);
    iteration.record('MapIterationSucceeded', 'mapIterationSucceeded', details);
    visit.line.join(item.index, iteration, output);
    return output.value;
  } catch (error) {
    if (error instanceof StateFailure) iteration.record('MapIterationFailed', 'mapIterationFailed', details);
    if (error instanceof Cancelled) iteration.record('MapIterationAborted', 'mapIterationAborted', details);
    throw error;
  } finally {
    visit.line.lastEventId = iteration.lastEventId;
  }
}
