import { EmulatorError } from '../errors.ts';

/** A JSON value: input, variable or output of a state. Several states share the same value, so no code may change a value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export class NotJsonError extends EmulatorError {
  override readonly name = 'NotJsonError';
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Copies a value as plain JSON, without undefined members and without the properties that jsonata adds to arrays.
 * @throws NotJsonError for a function, NaN, an infinity or another value that JSON lacks
 */
export function toJson(value: unknown): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new NotJsonError(`the number ${value}`);
      return value;
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return value.map(toJson);
      return objectToJson(value as Record<string, unknown>);
    default:
      throw new NotJsonError(typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`);
  }
}

function objectToJson(value: Record<string, unknown>): JsonObject {
  if (value['_jsonata_lambda'] === true || value['_jsonata_function'] === true) {
    throw new NotJsonError('a function');
  }
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== undefined) setKey(copy, key, toJson(member));
  }
  return copy;
}

/** Sets a member of any name. A plain assignment to `__proto__` would change the object's prototype and add no member. */
export function setKey(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

export function typeName(value: Json): 'null' | 'array' | 'object' | 'string' | 'number' | 'boolean' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as 'object' | 'string' | 'number' | 'boolean';
}

export function exceedsBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  if (text.length * 3 <= limit) return false;
  return Buffer.byteLength(text) > limit;
}
