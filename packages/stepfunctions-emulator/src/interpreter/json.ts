import { EmulatorError } from '../errors.ts';

/** A value that a state can receive, hold and return. Values are shared and immutable. */
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
 * Copies the result of an expression as plain JSON, without jsonata's flags on arrays and without undefined members.
 * @throws NotJsonError for other values that JSON cannot represent: functions, NaN, infinities and the like
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

/** Sets a key of any name; an assignment to `__proto__` would change the prototype instead. */
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
