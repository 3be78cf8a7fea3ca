import type { PageEvent } from '../../src/page/data.ts';
import type { Place } from './definition.ts';

/** Outcome of a visit or an execution. `cutOff`: ended from outside, such as by an abort or another branch's failure. */
export type Outcome = 'running' | 'succeeded' | 'caught' | 'failed' | 'cutOff';

export interface Attempt {
  readonly from: number;
  /** Absent while the attempt runs. */
  to?: number;
  failed?: boolean;
  error?: string | undefined;
  cause?: string | undefined;
  /** `startEventId`: id of the event that began the attempt. `endEventId`: id of the event with the call's result or failure. */
  startEventId?: number;
  endEventId?: number;
}

export interface Visit {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly line: Line;
  readonly from: number;
  to?: number;
  outcome: Outcome;
  readonly attempts: Attempt[];
  exitId?: number;
  error?: string | undefined;
  cause?: string | undefined;
  variables: readonly string[];
  /** The branches of a Parallel in the visit's last attempt. */
  branches: Line[];
  /** Index → iteration of an inline Map in the visit's last attempt. */
  iterations: Line[];
  length?: number;
  /** ARN of the Map Run of a distributed Map's last attempt. */
  mapRunArn?: string;
}

/** An event and its visit. The visit is undefined for an event about the execution as a whole. */
export interface VisitEvent {
  readonly event: PageEvent;
  readonly visit: Visit | undefined;
}

/** A sequence of visits, one after the other: the visits of the execution itself, of a branch, or of an iteration. */
export interface Line {
  readonly parent: Visit | undefined;
  readonly index: number;
  readonly visits: Visit[];
}

type Failure = Pick<PageEvent, 'error' | 'cause'>;

/** Turns events into visits of states. Branches and iterations run at the same time, so `previousEventId` tells an event's line. */
export class HistoryModel {
  readonly root: Line = { parent: undefined, index: 0, visits: [] };
  readonly visits: Visit[] = [];
  readonly events: VisitEvent[] = [];
  lastTime = 0;
  readonly #places: ReadonlyMap<string, Place>;
  readonly #lines: Line[] = [this.root];
  readonly #open = new Set<Visit>();

  constructor(places: ReadonlyMap<string, Place>) {
    this.#places = places;
  }

  add(event: PageEvent): void {
    const line = this.#lines[event.previousEventId] ?? this.root;
    const named = event.name === undefined ? undefined : this.#find(event.name, line);
    const after = this.#take(event, line);
    this.#lines[event.id] = after;
    const isEntry = event.type.endsWith('StateEntered');
    const isAbout = !event.type.startsWith('Execution');
    const visit = isEntry ? this.visits.at(-1) : (named ?? (isAbout ? after.visits.at(-1) : undefined));
    this.events.push({ event, visit });
    this.lastTime = event.timestamp;
  }

  /** @returns the line of the events that have this event as their previous event */
  #take(event: PageEvent, line: Line): Line {
    const { type } = event;
    if (type.endsWith('StateEntered')) return this.#enter(event, line);
    if (type.endsWith('StateExited')) return this.#leave(event, line);
    if (type.startsWith('MapIteration')) return this.#iterate(event, line);
    if (type.endsWith('StateAborted')) return this.#cutOffAround(event, line);
    if (type.startsWith('MapState') || type.startsWith('ParallelState')) return this.#fork(event, line);
    if (type.startsWith('MapRun')) return this.#mapRun(event, line);
    if (type === 'EvaluationFailed') return this.#failEvaluation(event, line);
    if (type === 'ExecutionStarted') return this.root;
    if (type.startsWith('Execution')) return this.#end(event, line);
    return this.#call(event, line);
  }

  #enter(event: PageEvent, before: Line): Line {
    const { id, name = '', timestamp } = event;
    const line = this.#lineOf(name, before);
    const type = event.type.slice(0, -'StateEntered'.length);
    const visit: Visit = {
      ...{ id, name, type, line, from: timestamp, outcome: 'running' },
      ...{ attempts: [], variables: [], branches: [], iterations: [] },
    };
    line.visits.push(visit);
    this.visits.push(visit);
    this.#open.add(visit);
    return line;
  }

  /** Finds the line of a new visit. Creates the line for the first visit in a branch of a Parallel. */
  #lineOf(name: string, before: Line): Line {
    const place = this.#places.get(name);
    if (place?.parent === undefined) return this.root;
    const parent = this.#find(place.parent, before);
    if (parent === undefined) return this.root;
    const around = linesAround(before).find(line => line.parent === parent);
    if (around !== undefined && (parent.type === 'Map' || around.index === place.branch)) return around;
    if (parent.type === 'Map') return parent.iterations.at(-1) ?? this.root;
    const begun = parent.branches.find(({ index }) => index === place.branch);
    if (begun !== undefined) return begun;
    const branch = { parent, index: place.branch, visits: [] };
    parent.branches.push(branch);
    return branch;
  }

  /** Finds an open visit of the state: in the line, in a line around it, otherwise anywhere. */
  #find(name: string, line: Line): Visit | undefined {
    const near = linesAround(line)
      .map(({ visits }) => visits.at(-1))
      .find(visit => visit?.name === name && this.#open.has(visit));
    // Anywhere, because the previous event can be outside of the visit's branch, for example if the first state fails at its entry.
    return near ?? [...this.#open].findLast(visit => visit.name === name);
  }

  #leave(event: PageEvent, before: Line): Line {
    const visit = this.#find(event.name ?? '', before);
    if (visit === undefined) return before;
    const { timestamp, variables = [] } = event;
    visit.exitId = event.id;
    visit.variables = variables;
    this.#closeInside(visit, timestamp);
    this.#close(visit, timestamp, isCaught(visit) ? 'caught' : 'succeeded');
    return visit.line;
  }

  #iterate({ type, name = '', index = 0, timestamp }: PageEvent, line: Line): Line {
    const map = this.#find(name, line);
    if (map === undefined) return line;
    if (type === 'MapIterationStarted') {
      const inner = { parent: map, index, visits: [] };
      map.iterations[index] = inner;
      return inner;
    }
    const begun = map.iterations[index];
    if (begun !== undefined) this.#closeLine(begun, timestamp);
    return line;
  }

  /** Handles a StateAborted event: the failure of one branch or iteration ends everything in the surrounding Map or Parallel. */
  #cutOffAround({ timestamp }: PageEvent, line: Line): Line {
    if (line.parent !== undefined) this.#closeInside(line.parent, timestamp);
    return line;
  }

  #fork({ type, timestamp, length, id }: PageEvent, line: Line): Line {
    const kind = type.startsWith('Map') ? 'Map' : 'Parallel';
    const visit = this.#nearest(line, kind);
    if (visit === undefined) return line;
    if (type.endsWith('Started')) {
      this.#closeInside(visit, this.lastTime);
      endAttempt(visit, lastInside(visit), insideFailure(visit));
      visit.iterations = [];
      visit.branches = [];
      this.#beginAttempt(visit, timestamp, id);
      if (length !== undefined) visit.length = length;
      return visit.line;
    }
    if (type.endsWith('Succeeded')) endAttempt(visit, timestamp);
    else if (type.endsWith('Failed')) {
      this.#closeInside(visit, timestamp);
      endAttempt(visit, timestamp, insideFailure(visit));
    }
    return type.endsWith('Failed') ? visit.line : line;
  }

  #mapRun({ type, timestamp, mapRunArn, error, cause }: PageEvent, line: Line): Line {
    const visit = this.#nearest(line, 'Map');
    if (visit === undefined) return line;
    if (mapRunArn !== undefined) visit.mapRunArn = mapRunArn;
    if (type === 'MapRunFailed') endAttempt(visit, timestamp, { error, cause } as Failure);
    return line;
  }

  #failEvaluation(event: PageEvent, line: Line): Line {
    const visit = this.#find(event.name ?? '', line);
    if (visit === undefined) return line;
    const open = visit.attempts.at(-1);
    if (open === undefined || open.to !== undefined) this.#beginAttempt(visit, event.timestamp);
    endAttempt(visit, event.timestamp, event);
    return visit.line;
  }

  /** Handles an event of a call: of a function, of another service, or of an activity. */
  #call(event: PageEvent, line: Line): Line {
    const visit = line.visits.at(-1);
    if (visit === undefined) return line;
    const { type, timestamp, id } = event;
    if (type.endsWith('Scheduled')) this.#beginAttempt(visit, timestamp, id);
    else if (type.endsWith('Succeeded')) endAttempt(visit, timestamp, undefined, id);
    else if (/(?:Failed|TimedOut)$/.test(type)) endAttempt(visit, timestamp, event, id);
    return visit.line;
  }

  #beginAttempt(visit: Visit, from: number, startEventId?: number): void {
    visit.attempts.push({ from, ...(startEventId !== undefined && { startEventId }) });
  }

  #end(event: PageEvent, line: Line): Line {
    const { type, timestamp, error, cause } = event;
    const failed = new Set(type === 'ExecutionFailed' ? visitsAround(line) : []);
    for (const visit of this.#open) {
      if (failed.has(visit)) {
        visit.error ??= error;
        visit.cause ??= cause;
      }
      this.#close(visit, timestamp, failed.has(visit) ? 'failed' : outcomeOfCutOff(visit));
    }
    return line;
  }

  #nearest(line: Line, type: string): Visit | undefined {
    return visitsAround(line).find(visit => visit.type === type && this.#open.has(visit));
  }

  #closeInside(visit: Visit, time: number): void {
    for (const line of linesIn(visit)) this.#closeLine(line, time);
  }

  #closeLine({ visits }: Line, time: number): void {
    const last = visits.at(-1);
    if (last === undefined || !this.#open.has(last)) return;
    this.#closeInside(last, time);
    this.#close(last, time, outcomeOfCutOff(last));
  }

  #close(visit: Visit, to: number, outcome: Outcome): void {
    visit.to = to;
    visit.outcome = outcome;
    const last = visit.attempts.at(-1);
    if (last !== undefined && last.to === undefined) last.to = to;
    this.#open.delete(visit);
  }
}

/** A line and the lines around it, the innermost line first. */
function linesAround(line: Line): Line[] {
  const lines: Line[] = [];
  for (let each: Line | undefined = line; each !== undefined; each = each.parent?.line) lines.push(each);
  return lines;
}

/** The last visit of a line, and the visits that contain the line. */
function visitsAround(line: Line): Visit[] {
  const parents = linesAround(line).flatMap(({ parent }) => parent ?? []);
  return [...(line.visits.at(-1) ? [line.visits.at(-1) as Visit] : []), ...parents];
}

function endAttempt(visit: Visit, to: number, failure?: Failure, endEventId?: number): void {
  const last = visit.attempts.at(-1);
  if (last === undefined || last.to !== undefined) return;
  last.to = to;
  if (endEventId !== undefined) last.endEventId = endEventId;
  visit.error = failure?.error;
  visit.cause = failure?.cause;
  if (failure === undefined) return;
  last.failed = true;
  last.error = failure.error;
  last.cause = failure.cause;
}

/** Whether a visit that has a StateExited event failed and was caught. */
function isCaught({ type, attempts }: Visit): boolean {
  const last = attempts.at(-1);
  if (last?.failed) return true;
  // An attempt without an end failed, too: some failures have no event, for example a result that is too large.
  return ['Task', 'Map', 'Parallel'].includes(type) && last !== undefined && last.to === undefined;
}

const outcomeOfCutOff = (visit: Visit): Outcome =>
  visit.type === 'Fail' || visit.attempts.at(-1)?.failed ? 'failed' : 'cutOff';

const linesIn = ({ branches, iterations }: Visit): Line[] => [
  ...branches,
  ...iterations.filter(each => each !== undefined),
];

const insideOf = (visit: Visit): Visit[] => linesIn(visit).flatMap(({ visits }) => visits);

/** The latest end of the visits inside of a Map or Parallel. */
const lastInside = (visit: Visit): number =>
  insideOf(visit).reduce((last, { from, to }) => Math.max(last, to ?? from), visit.from);

/** Error and cause of a Map or Parallel that failed: those of a failed visit inside; empty if there are none. */
function insideFailure(visit: Visit): Failure {
  const failed = insideOf(visit).findLast(({ outcome }) => outcome === 'failed');
  return { ...(failed?.error !== undefined && { error: failed.error, cause: failed.cause }) } as Failure;
}

/** The variables that a visit can see on its entry: name → id of the StateExited event that assigned the variable. */
export function variablesAt(visit: Visit): Map<string, number> {
  const { parent, visits } = visit.line;
  const seen = parent === undefined ? new Map<string, number>() : variablesAt(parent);
  for (const before of visits.slice(0, visits.indexOf(visit))) {
    for (const name of before.variables) if (before.exitId !== undefined) seen.set(name, before.exitId);
  }
  return seen;
}

/** The failed visit that was entered last; undefined if no visit failed. */
export const failedVisit = ({ visits }: HistoryModel): Visit | undefined =>
  visits.findLast(({ outcome }) => outcome === 'failed');
