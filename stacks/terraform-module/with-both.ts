import { isJsonObject, type Json } from './synthesize.ts';
import { TemplateError } from './template.ts';

/**
 * A sweep with two changes that no sweep can have together, from one with each of them.
 * @param one the sweep with the first
 * @param neither the sweep without them
 * @param other the sweep with the second
 * @throws TemplateError when both change the same
 */
export function withBoth(one: Json, neither: Json, other: Json): Json {
  return walk([], one, neither, other);
}

function walk(path: readonly string[], one: Json, neither: Json, other: Json): Json {
  const isSame = (changed: Json) => JSON.stringify(changed) === JSON.stringify(neither);
  if (isSame(other)) return one;
  if (isSame(one)) return other;
  if (isJsonObject(one) && isJsonObject(neither) && isJsonObject(other)) {
    const added = Object.keys(other).find(key => one[key] === undefined);
    if (added !== undefined) fail([...path, added]);
    return Object.fromEntries(
      Object.entries(one).map(([key, each]) => {
        const [before, changed] = [neither[key], other[key]];
        if ((before === undefined) !== (changed === undefined)) fail([...path, key]);
        return [
          key,
          before === undefined || changed === undefined ? each : walk([...path, key], each, before, changed),
        ];
      }),
    );
  }
  if (Array.isArray(one) && Array.isArray(neither) && Array.isArray(other)) {
    const isAsLong = one.length === neither.length && other.length === neither.length;
    if (isAsLong) return one.map((each, at) => walk([...path, String(at)], each, neither[at], other[at]));
  }
  return fail(path);
}

function fail(path: readonly string[]): never {
  throw new TemplateError(`${path.join('.')} is changed by both of two props.`);
}
