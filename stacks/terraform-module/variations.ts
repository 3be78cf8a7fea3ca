import { PROPS, type PreciseTtlProps, resolveProps } from '../props.ts';
import type { Json } from './synthesize.ts';
import { asExpression, either, TemplateError } from './template.ts';
import { DERIVED, type PropName, TERMS } from './terms.ts';

/** A sweep that was synthesized with one prop changed; or with all numbers, which tell themselves apart. */
export interface Variation {
  readonly prop: PropName | 'numbers';
  readonly props: PreciseTtlProps;
  readonly json: Json;
}

/** What stands for a stretch of a text. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Puts variables in the place of everything that changes with a prop: what the constructs do with the prop is found out by
 * doing it, and nothing is said a second time.
 *
 * 1. A number that changed must be a prop's value before and after, or one of {@link DERIVED}, and that of no other.
 * 2. Any other value that changed into the other value is the prop itself. Anything else becomes a conditional of the prop, if
 *    each other value that the prop can have makes the same of it.
 *
 * @throws TemplateError when something changed that is none of these: the module would keep it as it is
 */
export function withVariables(
  base: Json,
  baseProps: PreciseTtlProps,
  variations: readonly Variation[],
): Json {
  return walk([], base, variations);

  function walk(path: readonly string[], value: Json, all: readonly Variation[]): Json {
    if (typeof value !== 'object' || value === null) return leaf(path, value, all);
    const keys = Object.keys(value);
    for (const { prop, json } of all) {
      const others = typeof json === 'object' && json !== null ? Object.keys(json) : [];
      if (keys.join() !== others.join()) {
        throw new TemplateError(`${prop} changes what there is in ${path.join('.')}, and is not known to.`);
      }
    }
    const inside = keys.map(key => {
      const at = (json: Json) => (json as Readonly<Record<string, Json>>)[key] as Json;
      return [
        key,
        walk(
          [...path, key],
          at(value),
          all.map(variation => ({ ...variation, json: at(variation.json) })),
        ),
      ] as const;
    });
    return Array.isArray(value) ? inside.map(([, each]) => each) : Object.fromEntries(inside);
  }

  function leaf(path: readonly string[], value: Json, all: readonly Variation[]): Json {
    const changed = all.filter(({ json }) => json !== value);
    if (changed.length === 0) return value;
    const text = String(value);
    const edits = changed.flatMap(variation => {
      try {
        const ofProp = changed.filter(({ prop }) => prop === variation.prop).length;
        return editsOf(text, variation, ofProp + 1);
      } catch (error) {
        throw new TemplateError(`${path.join('.')} with another ${variation.prop}: ${error}`);
      }
    });
    return applied(text, edits);
  }

  /** @param values of the prop that were tried out here, the first included */
  function editsOf(text: string, { prop, props, json }: Variation, values: number): Edit[] {
    const other = String(json);
    if (prop === 'numbers') return numbersOf(text, other, props);
    const [was, is] = [baseProps[prop], props[prop]];
    if (text === String(was) && other === String(is)) return [whole(text, `\${${TERMS[prop]}}`)];
    if (typeof was === 'boolean')
      return [whole(text, either(TERMS[prop], was ? text : other, was ? other : text))];
    const replaced = text.replaceAll(new RegExp(`\\b${was}\\b`, 'g'), `\${${TERMS[prop]}}`);
    // The value itself, among other text.
    if (text.replaceAll(new RegExp(`\\b${was}\\b`, 'g'), String(is)) === other)
      return [whole(text, replaced)];
    const { rule } = PROPS[prop].kind;
    if (rule === undefined || !('values' in rule) || rule.values.length !== values) {
      throw new TemplateError(`${JSON.stringify(text)} became ${JSON.stringify(other)}.`);
    }
    return [whole(text, either(`${TERMS[prop]} == ${asExpression(String(was))}`, text, other))];
  }

  function numbersOf(text: string, other: string, props: PreciseTtlProps): Edit[] {
    const numbers = [...text.matchAll(/\d+/g)];
    const otherNumbers = [...other.matchAll(/\d+/g)];
    if (text.replaceAll(/\d+/g, '0') !== other.replaceAll(/\d+/g, '0')) {
      throw new TemplateError(`${JSON.stringify(text)} became ${JSON.stringify(other)}.`);
    }
    return numbers.flatMap((number, index) => {
      const became = otherNumbers[index]?.[0];
      if (number[0] === became) return [];
      const [term, ...others] = Object.entries(NUMBERS).filter(
        ([, numberOf]) =>
          String(numberOf(resolveProps(baseProps))) === number[0] &&
          String(numberOf(resolveProps(props))) === became,
      );
      if (term === undefined || others.length > 0) throw new TemplateError(`${number[0]} became ${became}.`);
      return [{ from: number.index, to: number.index + number[0].length, text: `\${${term[0]}}` }];
    });
  }
}

const NUMBERS: typeof DERIVED = {
  ...Object.fromEntries(
    (Object.keys(PROPS) as PropName[]).map(prop => [
      TERMS[prop],
      (props: ReturnType<typeof resolveProps>) => Number(props[prop]),
    ]),
  ),
  ...DERIVED,
};

function whole(text: string, by: string): Edit {
  return { from: 0, to: text.length, text: by };
}

/** @throws TemplateError when two props would replace the same text by different ones */
function applied(text: string, edits: readonly Edit[]): string {
  const distinct = edits.filter(
    (edit, index) =>
      edits.findIndex(
        other => other.from === edit.from && other.to === edit.to && other.text === edit.text,
      ) === index,
  );
  const sorted = distinct.sort((one, other) => one.from - other.from);
  sorted.forEach((edit, index) => {
    if (edit.from < (sorted[index - 1]?.to ?? 0)) {
      throw new TemplateError(`${JSON.stringify(text)} would be replaced twice.`);
    }
  });
  return sorted.reduceRight(
    (result, edit) => result.slice(0, edit.from) + edit.text + result.slice(edit.to),
    text,
  );
}
