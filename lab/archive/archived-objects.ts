import { gunzipSync } from 'node:zlib';

/** One line of an object. */
export interface ObjectLine<Line> {
  /** Key of the object. */
  readonly object: string;
  readonly line: Line;
}

/** The lines of one object. @throws for what is not compressed, or no JSON */
export function linesOf<Line>(object: string, body: Uint8Array): ObjectLine<Line>[] {
  return gunzipSync(body)
    .toString()
    .split('\n')
    .filter(text => text !== '')
    .map(text => ({ object, line: JSON.parse(text) as Line }));
}

/** How many lines an object has. */
export function countLines(body: Uint8Array): number {
  return gunzipSync(body).reduce((count, byte) => (byte === 10 ? count + 1 : count), 0);
}
