/** An event on its way, as text. */
export interface Outgoing {
  readonly id: string;
  /** The item's key as text, the same for the same key. Events of one key are delivered in their order. */
  readonly key: string;
  /** The event as JSON. */
  readonly text: string;
  /** The same without its old image; undefined when it has none. */
  readonly textWithoutImage?: string | undefined;
}

/** Limits of one call to a destination. */
export interface CallLimits {
  readonly events: number;
  /** UTF-8 of one event, bytes. */
  readonly eventBytes: number;
  /** UTF-8 of all events together, bytes. An event that is larger goes alone. */
  readonly callBytes: number;
}

/**
 * Cuts events into calls, in their order. A destination can refuse single events of a call and take others that stand behind them, so
 * no call has two events of one key. An image with which an event is larger than the destination takes is left out.
 *
 * @param onImageOmitted told of such events
 */
export function cutIntoCalls<Event extends Outgoing>(
  events: readonly Event[],
  limits: CallLimits,
  onImageOmitted: (event: Event) => void,
): Event[][] {
  const calls: Event[][] = [];
  let call: Event[] = [];
  let keys = new Set<string>();
  let bytes = 0;
  for (const given of events) {
    const event = bytesOf(given) > limits.eventBytes ? withoutImage(given) : given;
    if (event !== given) onImageOmitted(given);
    const size = bytesOf(event);
    const isFull = call.length === limits.events || bytes + size > limits.callBytes || keys.has(event.key);
    if (call.length > 0 && isFull) {
      calls.push(call);
      call = [];
      keys = new Set();
      bytes = 0;
    }
    call.push(event);
    keys.add(event.key);
    bytes += size;
  }
  return call.length === 0 ? calls : [...calls, call];
}

/** The event without its old image, which says that it is left out; the event itself when it has none. */
export function withoutImage<Event extends Outgoing>(event: Event): Event {
  const { textWithoutImage } = event;
  return textWithoutImage === undefined
    ? event
    : { ...event, text: textWithoutImage, textWithoutImage: undefined };
}

function bytesOf({ text }: Outgoing): number {
  return Buffer.byteLength(text);
}
