import { childMachineArn, mapRunArn } from '../arn.ts';
import { errorDetails, StateFailure } from '../failure.ts';
import type { Json } from '../json.ts';
import { LABEL_LENGTH, type Payload, payload } from '../limits.ts';
import type { StateOf } from '../load/states.ts';
import type { Cancellation } from '../run/cancellation.ts';
import type { ChildExecution } from '../run/child.ts';
import type { MapItem } from '../run/line.ts';
import { isoTime, type StateVisit } from '../run/visit.ts';
import { evaluateItems, evaluateSettings, forEachIndex, iterationInput } from './items.ts';
import { MapRun } from './map-run.ts';

type MapState = StateOf<'Map'>;

const labelOf = ({ children, name }: MapState): string =>
  children?.label ?? (name.replace(/[^A-Za-z0-9_-]/g, '').slice(0, LABEL_LENGTH) || 'Map');

export async function runDistributedMap(visit: StateVisit, state: MapState): Promise<Payload> {
  const { line } = visit;
  const settings = await evaluateSettings(visit, state);
  const items = await evaluateItems(visit, state);
  const inputs = await inputsOfChildren(visit, state, items);
  line.record('MapStateStarted', 'mapStateStarted', { length: items.length });
  const { run } = line;
  const label = labelOf(state);
  const mapRun = new MapRun(
    {
      arn: mapRunArn(run.machine.arn, label, run.engine.newId()),
      executionArn: run.arn,
      stateMachineArn: run.machine.arn,
      childMachineArn: childMachineArn(run.machine.arn, label),
      ...settings,
    },
    run.engine.clock.now(),
    items.length,
  );
  run.mapRuns.push(mapRun);
  if (line.openState !== undefined) line.openState.mapRun = mapRun;
  line.record('MapRunStarted', 'mapRunStarted', { mapRunArn: mapRun.settings.arn });
  const { cancellation, release } = line.cancellation.part();
  try {
    const children = await runChildren(visit, state, mapRun, inputs, cancellation);
    line.cancellation.throwIfCancelled();
    return conclude(visit, mapRun, children);
  } catch (error) {
    endBadly(visit, mapRun, error);
    throw error;
  } finally {
    release();
  }
}

async function inputsOfChildren(
  visit: StateVisit,
  state: MapState,
  items: readonly MapItem[],
): Promise<Payload[]> {
  const inputs: Payload[] = [];
  for (const item of items) {
    const line = visit.line.withItem(item);
    try {
      inputs.push(await iterationInput(visit, state, item, line));
    } finally {
      visit.line.lastEventId = line.lastEventId;
    }
  }
  return inputs;
}

async function runChildren(
  visit: StateVisit,
  state: MapState,
  mapRun: MapRun,
  inputs: readonly Payload[],
  cancellation: Cancellation,
): Promise<ChildExecution[]> {
  const children: ChildExecution[] = [];
  const most = visit.line.run.engine.limits.distributedMapConcurrency;
  const wanted = mapRun.settings.maxConcurrency;
  let failure: unknown;
  const stopped = () => cancellation.cancelled || mapRun.tooManyFailures;
  await forEachIndex(inputs.length, wanted === 0 ? most : Math.min(wanted, most), stopped, async index => {
    const input = inputs[index];
    if (input === undefined) return;
    try {
      visit.checkSize(input);
    } catch (error) {
      failure ??= error;
      cancellation.cancel();
      return;
    }
    const child = startChild(visit, state, mapRun, input);
    children[index] = child;
    mapRun.childStarted(child);
    const forget = cancellation.onCancel(() => child.stop());
    await child.done;
    forget();
    mapRun.childEnded(child);
    if (mapRun.tooManyFailures) cancellation.cancel();
  });
  if (failure !== undefined) throw failure;
  return children;
}

function startChild(
  visit: StateVisit,
  state: MapState,
  { settings }: MapRun,
  input: Payload,
): ChildExecution {
  visit.countTransition();
  const { run } = visit.line;
  return run.startChild({
    machine: {
      arn: settings.childMachineArn,
      name: `${run.machine.name}/${labelOf(state)}`,
      roleArn: run.machine.roleArn,
      type: state.children?.executionType ?? 'STANDARD',
    },
    graph: state.processor,
    name: run.engine.newId(),
    input,
    mapRunArn: settings.arn,
  });
}

function conclude(visit: StateVisit, mapRun: MapRun, children: readonly ChildExecution[]): Payload {
  if (mapRun.tooManyFailures) {
    const cause = 'The specified tolerated failure threshold was exceeded';
    throw new StateFailure('States.ExceedToleratedFailureThreshold', cause);
  }
  const result = payload(children.map(child => resultOf(child, mapRun)));
  visit.checkSize(result);
  mapRun.end('SUCCEEDED', visit.line.run.engine.clock.now());
  visit.line.record('MapRunSucceeded');
  visit.line.recordAside('MapStateSucceeded');
  return result;
}

function endBadly({ line }: StateVisit, mapRun: MapRun, error: unknown): void {
  const failed = error instanceof StateFailure;
  mapRun.end(failed ? 'FAILED' : 'ABORTED', line.run.engine.clock.now());
  if (failed) line.record('MapRunFailed', 'mapRunFailed', errorDetails(error));
}

/**
 * Returns the output of a child execution. For a child that did not succeed, returns an object with fields that a ResultWriter with the
 * Transformation NONE writes (Developer Guide, "ResultWriter").
 */
function resultOf(child: ChildExecution, mapRun: MapRun): Json {
  if (child.status === 'SUCCEEDED') return child.output ?? null;
  return {
    ExecutionArn: child.arn,
    Input: JSON.stringify(child.input),
    InputDetails: { Included: true },
    Name: child.name,
    ...(child.error !== undefined && { Error: child.error }),
    ...(child.cause !== undefined && { Cause: child.cause }),
    RedriveCount: 0,
    StartDate: isoTime(child.startDate),
    StateMachineArn: mapRun.settings.childMachineArn,
    Status: child.status,
    ...(child.stopDate !== undefined && { StopDate: isoTime(child.stopDate) }),
  };
}
