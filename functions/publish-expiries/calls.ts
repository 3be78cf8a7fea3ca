/** An event to publish, as text. */
export interface Outgoing {
  readonly id: string;
  /** The item's key as text, equal for equal keys. Events of one key are delivered in order. */
  readonly key: string;
  /** The event as JSON. */
  readonly text: string;
  /** The event as JSON without its old image; undefined when it has none. */
  readonly textWithoutImage?: string | undefined;
}

/** Limits of one call to a destination. */
export interface CallLimits {
  readonly events: number;
  /** Most bytes of one event, in UTF-8. */
  readonly eventBytes: number;
  /** Most bytes of all events together, in UTF-8. A larger event is sent alone. */
  readonly callBytes: number;
}

/**
 * Splits events into calls, in their order. A destination can refuse single events of a call and accept later ones, so no call has two
 * events of the same key. If an event with its image is larger than the destination allows, the image is left out.
 *
 * @param onImageOmitted called with such events
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

/** Returns the event without its old image, with a field that says so; an event without an image is returned unchanged. */
export function withoutImage<Event extends Outgoing>(event: Event): Event {
  const { textWithoutImage } = event;
  return textWithoutImage === undefined
    ? event
    : { ...event, text: textWithoutImage, textWithoutImage: undefined };
}

function bytesOf({ text }: Outgoing): number {
  return Buffer.byteLength(text);
}
