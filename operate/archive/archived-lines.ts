import { gunzipSync } from 'node:zlib';
import { isObject } from '../../expiry/fields.ts';
import { ArchivedLineError } from '../errors.ts';

/** Bytes to which an object may decompress at most. A batch of the stream has 6 MB. */
const MAX_OBJECT_BYTES = 256 * 1024 * 1024;

/** A line of an archived object. */
export interface ArchivedLine {
  readonly text: string;
  /** Name of the object and number of the line, for messages. */
  readonly where: string;
}

/** The lines of an object. @throws {ArchivedLineError} for a damaged object */
export function linesOf(body: Uint8Array, where: string): ArchivedLine[] {
  let text: string;
  try {
    text = gunzipSync(body, { maxOutputLength: MAX_OBJECT_BYTES }).toString();
  } catch (error) {
    throw new ArchivedLineError(
      `${where}: expected gzip, got something else (${(error as Error).message}); take another version of the object`,
    );
  }
  const lines = text.split('\n').map((line, index) => ({ text: line, where: `${where}, line ${index + 1}` }));
  return lines.filter(line => line.text !== '');
}

/** Parses a line. @throws {ArchivedLineError} if it is not a JSON object */
export function parsedLine({ text, where }: ArchivedLine): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The check below refuses it, because it is not a JSON object.
  }
  throw new ArchivedLineError(
    `${where}: expected a JSON object on each line, got another text; take another version of the object`,
  );
}
