import { type Outgoing, withoutImage } from './calls.ts';
import { type Send, type Why, whyFailed } from './destination.ts';

/** Attempts per call. Events that are still undelivered then are delivered again by Lambda, with growing pauses. */
const ATTEMPTS = 3;
const BACKOFF_MS = 200;

export interface Surroundings<Event extends Outgoing> {
  readonly send: Send;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Epoch milliseconds of `clock` at which running calls are given up. */
  readonly deadline: number;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Called with events that are now sent without their old images. */
  readonly onImageOmitted: (event: Event) => void;
}

/** The events of a call that could not be delivered, in the order of the call. */
export interface Undelivered<Event extends Outgoing> {
  readonly events: readonly Event[];
  /** Why the first of them could not be delivered. */
  readonly why: Why;
}

/**
 * Delivers the calls in order, each only after all earlier ones are delivered: so an event never arrives before an earlier event of the
 * same key, however often a batch is tried. It ends with the first call that is not delivered completely. Later events would be delivered
 * again at the next attempt anyway, since Lambda continues from the first unfinished record.
 *
 * @returns the undelivered events of that call; undefined: all calls are delivered
 */
export async function deliver<Event extends Outgoing>(
  calls: readonly (readonly Event[])[],
  surroundings: Surroundings<Event>,
): Promise<Undelivered<Event> | undefined> {
  for (const call of calls) {
    const undelivered = await deliverCall(call, surroundings);
    if (undelivered !== undefined) return undelivered;
  }
  return undefined;
}

const OUT_OF_TIME: Why = { reason: 'OutOfTime', isForTheEvent: false };

async function deliverCall<Event extends Outgoing>(
  call: readonly Event[],
  surroundings: Surroundings<Event>,
): Promise<Undelivered<Event> | undefined> {
  const { send, clock, deadline, random, sleep, onImageOmitted } = surroundings;
  let events = call;
  let why = OUT_OF_TIME;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (attempt > 1) await sleep(Math.round(random() * BACKOFF_MS * 2 ** (attempt - 2)));
    const restMs = deadline - clock();
    if (restMs <= 0) break;
    const refusals = await refusalsOf(send, events, AbortSignal.timeout(restMs));
    const [first] = refusals;
    if (first === undefined) return undefined;
    why = first.why;
    // If all events are refused for the same reason, the whole call may be the problem: a queue can allow fewer bytes per call than AWS does.
    // So the events are sent again one by one, with their images.
    if (events.length > 1 && refusals.every(refusal => refusal.why === why) && why.isForTheEvent) {
      return deliver(
        events.map(event => [event]),
        surroundings,
      );
    }
    events = refusals.map(({ event, why: { isForTheEvent } }) => {
      const lighter = isForTheEvent ? withoutImage(event) : event;
      if (lighter !== event) onImageOmitted(event);
      return lighter;
    });
  }
  return { events, why };
}

/** Returns the events that were refused; all of them when the call failed. */
async function refusalsOf<Event extends Outgoing>(
  send: Send,
  events: readonly Event[],
  abortSignal: AbortSignal,
): Promise<readonly { readonly event: Event; readonly why: Why }[]> {
  try {
    const refused = new Map((await send(events, { abortSignal })).map(({ index, why }) => [index, why]));
    return events.flatMap((event, index) => {
      const why = refused.get(index);
      return why === undefined ? [] : [{ event, why }];
    });
  } catch (error) {
    const why = whyFailed(error);
    return events.map(event => ({ event, why }));
  }
}
