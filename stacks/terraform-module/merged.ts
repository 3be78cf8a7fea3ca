// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { isJsonObject, type Json, type JsonObject } from './synthesize.ts';
import { asExpression, either, TemplateError } from './template.ts';

/**
 * One module of two: of what there is when a condition holds, and of what there is else.
 * @param inOne what stands for both of two values; undefined when a conditional does
 * @throws TemplateError when the second has something that the first has not
 */
export function merged(
  condition: string,
  holds: Json,
  fails: Json,
  inOne: (holds: Json, fails: Json) => Json | undefined = () => undefined,
): Json {
  return walk([], holds, fails);

  function walk(path: readonly string[], one: Json, other: Json | undefined): Json {
    if (JSON.stringify(one) === JSON.stringify(other)) return one;
    if (other === undefined) return absent(condition, path, one);
    const both = inOne(one, other);
    if (both !== undefined) return both;
    if (Array.isArray(one) && Array.isArray(other)) {
      if (one.length === other.length) {
        return one.map((each, index) => walk([...path, String(index)], each, other[index]));
      }
      throw new TemplateError(`${path.join('.')} has other elements unless ${condition}.`);
    }
    if (isJsonObject(one) && isJsonObject(other)) return object(path, one, other);
    return either(condition, String(one), String(other));
  }

  function object(path: readonly string[], one: JsonObject, other: JsonObject): JsonObject {
    const additions = Object.keys(other).filter(key => one[key] === undefined);
    if (additions.length > 0) {
      throw new TemplateError(`${path.join('.')} has ${additions.join()} only unless ${condition}.`);
    }
    const blocks: [string, Json][] = [];
    const entries = Object.entries(one).map(([key, value]): [string, Json] => {
      const counterpart = other[key];
      const inside = [...path, key];
      const isLonger =
        Array.isArray(value) && Array.isArray(counterpart) && value.length === counterpart.length + 1;
      if (!isLonger) return [key, walk(inside, value, counterpart)];
      const index = additional(value, counterpart);
      const added = value[index] as JsonObject;
      const rest = value
        .filter((_each, at) => at !== index)
        .map((each, at) => walk([...inside, String(at)], each, counterpart[at]));
      if (key === 'postcondition') return [key, [...rest, when(condition, added)]];
      blocks.push([key, { for_each: `\${${condition} ? [true] : []}`, content: added }]);
      return [key, rest];
    });
    return withDynamic(Object.fromEntries(entries), blocks);
  }
}

/** Blocks that are there on a condition, besides those that are so already. */
function withDynamic(json: JsonObject, blocks: readonly (readonly [string, Json])[]): JsonObject {
  if (blocks.length === 0) return json;
  const dynamic = { ...((json['dynamic'] ?? {}) as Readonly<Record<string, readonly Json[]>>) };
  for (const [key, block] of blocks) dynamic[key] = [...(dynamic[key] ?? []), block];
  return { ...json, dynamic };
}

/** Which element has no counterpart: without it, the fewest of the others differ. Of several, the last. */
function additional(elements: readonly Json[], others: readonly Json[]): number {
  const differing = (without: number) =>
    elements
      .filter((_each, at) => at !== without)
      .filter((each, at) => JSON.stringify(each) !== JSON.stringify(others[at])).length;
  const indices = elements.map((_each, index) => index);
  return indices.reduce((best, index) => (differing(index) <= differing(best) ? index : best), 0);
}

function absent(condition: string, path: readonly string[], value: Json): Json {
  // An environment takes no null, and the functions read an empty sort key as none.
  if (path.at(-2) === 'variables') return value;
  if (typeof value !== 'string') throw new TemplateError(`${path.join('.')} is there only if ${condition}.`);
  return `\${${condition} ? ${asExpression(value)} : null}`;
}

/** A condition of the table that is checked where another one holds. */
export function when(condition: string, postcondition: JsonObject): JsonObject {
  const test = asExpression(String(postcondition['condition']));
  return { ...postcondition, condition: `\${${condition} ? ${test} : true}` };
}
