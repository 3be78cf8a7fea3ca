import { isObject } from '../expiry/fields.ts';

/** The object that a text has as JSON; undefined for any other text, such as a cause in prose. */
export function jsonObject(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
