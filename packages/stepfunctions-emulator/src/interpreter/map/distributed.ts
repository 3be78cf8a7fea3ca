import { childMachineArn, mapRunArn } from '../arn.ts';
import type { MapMode, MapState } from '../definition.ts';
import { errorDetails, StateFailure } from '../failure.ts';
import type { Json } from '../json.ts';
import { type Payload, payload } from '../limits.ts';
import type { Cancellation } from '../run/cancellation.ts';
import type { ChildExecution, MachineIdentity } from '../run/child.ts';
import type { MapRunProgress } from '../run/progress.ts';
import { isoTime, type StateVisit } from '../run/visit.ts';
import { batchItems, evaluateItems, evaluateSettings, forEachIndex, iterationInput } from './items.ts';
import { type Batch, MapRun } from './map-run.ts';

type Distributed = Extract<MapMode, { kind: 'DISTRIBUTED' }>;

/**
 * One attempt of a distributed Map: a Map Run with a child execution per item, or per batch of items.
 *
 * @returns the outputs of the children, in the order of the items; a tolerated failure leaves an object about the
 * child execution in its place
 */
export async function runDistributedMap(visit: StateVisit, state: MapState): Promise<Payload> {
  const { line } = visit;
  const { engine } = line.run;
  const progress =
    line.progress.mapRun === undefined ? await begin(visit, state) : redrive(visit, line.progress.mapRun);
  const { cancellation, release } = line.cancellation.part();
  try {
    await pauseFor(visit, engine.mapRunDelays.beforeChildrenMs);
    await runChildren(visit, state, progress, cancellation);
    line.cancellation.throwIfCancelled();
    await pauseFor(visit, engine.mapRunDelays.afterChildrenMs);
    return conclude(visit, progress);
  } catch (error) {
    endBadly(visit, progress.mapRun, error);
    throw error;
  } finally {
    release();
  }
}

async function begin(visit: StateVisit, state: MapState): Promise<MapRunProgress> {
  const { line } = visit;
  const { run } = line;
  const mode = state.mode as Distributed;
  const settings = await evaluateSettings(visit, state);
  const items = await evaluateItems(visit, state);
  const batches = await inputsOfChildren(visit, state, mode, items);
  line.record('MapStateStarted', 'mapStateStarted', { length: items.length });
  const arn = mapRunArn(run.machine.arn, mode.label, run.engine.newId());
  const machine = childMachine(run.machine, mode);
  const mapRun = new MapRun(
    {
      arn,
      executionArn: run.arn,
      stateMachineArn: run.machine.arn,
      childMachineArn: machine.arn,
      ...settings,
    },
    run.engine.clock.now(),
    items.length,
    batches.length,
  );
  run.mapRuns.push(mapRun);
  line.record('MapRunStarted', 'mapRunStarted', { mapRunArn: arn });
  line.progress.mapRun = { mapRun, machine, batches, children: [] };
  return line.progress.mapRun;
}

function redrive({ line }: StateVisit, progress: MapRunProgress): MapRunProgress {
  const { mapRun } = progress;
  mapRun.redrive(line.run.engine.clock.now());
  const details = { mapRunArn: mapRun.settings.arn, redriveCount: mapRun.redriveCount };
  line.record('MapRunRedriven', 'mapRunRedriven', details);
  return progress;
}

const pauseFor = async (visit: StateVisit, ms: number) => {
  if (ms > 0) await visit.line.pause(ms);
};

function childMachine(parent: MachineIdentity, mode: Distributed): MachineIdentity {
  return {
    arn: childMachineArn(parent.arn, mode.label),
    name: `${parent.name}/${mode.label}`,
    roleArn: parent.roleArn,
    type: mode.executionType,
  };
}

async function inputsOfChildren(
  visit: StateVisit,
  state: MapState,
  mode: Distributed,
  items: Awaited<ReturnType<typeof evaluateItems>>,
): Promise<Batch[]> {
  const inputs: Payload[] = [];
  for (const item of items) {
    const line = visit.line.withItem(item);
    try {
      inputs.push(await iterationInput(visit, state, item, line));
    } finally {
      visit.line.lastEventId = line.lastEventId;
    }
  }
  if (mode.batcher !== undefined) return batchItems(visit, mode.batcher, inputs);
  return inputs.map(input => ({ input, items: 1 }));
}

async function runChildren(
  visit: StateVisit,
  state: MapState,
  progress: MapRunProgress,
  cancellation: Cancellation,
): Promise<void> {
  const { mapRun, batches, children } = progress;
  const most = visit.line.run.engine.limits.distributedMapConcurrency;
  const wanted = mapRun.settings.maxConcurrency;
  let failure: unknown;
  const stopped = () => cancellation.cancelled || mapRun.tooManyFailures;
  await forEachIndex(batches.length, wanted === 0 ? most : Math.min(wanted, most), stopped, async index => {
    const batch = batches[index];
    if (batch === undefined || children[index]?.status === 'SUCCEEDED') return;
    try {
      visit.checkSize(batch.input);
    } catch (error) {
      failure ??= error;
      cancellation.cancel();
      return;
    }
    const child = await startChild(visit, state, progress, batch, children[index]);
    children[index] = child;
    mapRun.childStarted(child, batch.items);
    const forget = cancellation.onCancel(() => child.stop());
    await child.done;
    forget();
    mapRun.childEnded(child, batch.items);
    if (mapRun.tooManyFailures) cancellation.cancel();
  });
  if (failure !== undefined) throw failure;
}

/** Starts a child, or redrives an existing one: an Express execution starts again from the beginning. */
async function startChild(
  visit: StateVisit,
  state: MapState,
  { machine, mapRun }: MapRunProgress,
  batch: Batch,
  before: ChildExecution | undefined,
): Promise<ChildExecution> {
  // Starting a child is a transition of the parent.
  visit.countTransition();
  if (before !== undefined && machine.type === 'STANDARD') {
    await before.redrive();
    return before;
  }
  const { run } = visit.line;
  return run.startChild({
    machine,
    graph: state.processor,
    name: before?.name ?? run.engine.newId(),
    input: batch.input,
    mapRunArn: mapRun.settings.arn,
  });
}

function conclude(visit: StateVisit, { mapRun, children }: MapRunProgress): Payload {
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

/** Ends a Map Run that failed or was aborted; the event of the failure is already recorded. */
function endBadly({ line }: StateVisit, mapRun: MapRun, error: unknown): void {
  const failed = error instanceof StateFailure;
  mapRun.end(failed ? 'FAILED' : 'ABORTED', line.run.engine.clock.now());
  if (failed) line.record('MapRunFailed', 'mapRunFailed', errorDetails(error));
}

/**
 * Result of a child. By the Developer Guide ("ResultWriter", Transformation) the result of a failed child is returned unchanged, as with
 * NONE: the fields of a ResultWriter's record.
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
