import type { Json } from './json.ts';

/** A value together with its JSON text, which histories and size limits need anyway. */
export interface Payload {
  readonly value: Json;
  readonly text: string;
}

export const payload = (value: Json): Payload => ({ value, text: JSON.stringify(value) });
