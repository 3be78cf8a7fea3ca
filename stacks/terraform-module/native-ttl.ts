import { when } from './merged.ts';
import { isJsonObject, type Json, type JsonObject } from './synthesize.ts';
import { TemplateError } from './template.ts';
import { REFUSES_NATIVE_TTL, TERMS } from './terms.ts';

/**
 * Makes native TTL depend on the two variables that turn it off together: a prop that is left out alone would show no difference
 * while the other is there.
 *
 * @param json the sweep to change, made with a prop that turns native TTL off
 * @param off a sweep with such a prop
 * @param on the same without
 * @throws TemplateError when something else differs than native TTL, what is checked of it, and the grace that the functions know
 */
export function withNativeTtl(json: Json, off: Json, on: Json): Json {
  return walk([], json, off, on);
}

function walk(path: readonly string[], json: Json, off: Json, on: Json): Json {
  if (isSame(off, on) || json === `\${${TERMS.graceSeconds}}`) return json;
  const all = [json, off, on];
  if (typeof off === 'boolean' && json === off) return `\${${off ? '' : '!'}${REFUSES_NATIVE_TTL}}`;
  if (all.every(Array.isArray) && path.at(-1) === 'postcondition') {
    return conditions(json as JsonObjects, off as JsonObjects, on as JsonObjects);
  }
  if (!all.every(isJsonObject)) {
    throw new TemplateError(`${path.join('.')} depends on native TTL, and is not known to.`);
  }
  const at = (of: Json, key: string) => (of as JsonObject)[key] ?? null;
  return Object.fromEntries(
    Object.entries(json as JsonObject).map(([key, each]) => [
      key,
      walk([...path, key], each, at(off, key), at(on, key)),
    ]),
  );
}

type JsonObjects = readonly JsonObject[];

/** Those of native TTL, each by what it is for. */
function conditions(json: JsonObjects, off: JsonObjects, on: JsonObjects): JsonObjects {
  const onlyIn = (some: JsonObjects, others: JsonObjects) =>
    some.filter(each => !others.some(other => isSame(each, other)));
  const refusing = onlyIn(off, on);
  const others = onlyIn(json, refusing);
  if (others.length + refusing.length !== json.length) {
    throw new TemplateError('The conditions of native TTL depend on something else too.');
  }
  return [
    ...others,
    ...refusing.map(each => when(REFUSES_NATIVE_TTL, each)),
    ...onlyIn(on, off).map(each => when(`!${REFUSES_NATIVE_TTL}`, each)),
  ];
}

function isSame(one: Json, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
