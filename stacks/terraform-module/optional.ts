// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { isJsonObject, type Json, type JsonObject } from './synthesize.ts';
import { asExpression, either, TemplateError } from './template.ts';

/** A sweep that was synthesized without a prop. */
export interface Absence {
  /** A Terraform expression: whether the prop is given. */
  readonly given: string;
  readonly json: Json;
}

/**
 * Makes everything that is there only with a prop depend on the prop: an attribute is null without it, or another word, a switch
 * is the other way round, a block is dynamic, a statement of a policy stands within a directive of the template. Which these are
 * is found out by leaving the prop out.
 *
 * @param json the sweep to change: `full`, or another of the same shape
 * @param full the sweep with all the props that the absences lack
 * @throws TemplateError when something differs in another way
 */
export function withOptional(json: Json, full: Json, absences: readonly Absence[]): Json {
  return walk([], json, full, absences);
}

function walk(path: readonly string[], value: Json, full: Json, absences: readonly Absence[]): Json {
  const different = absences.filter(({ json }) => JSON.stringify(json) !== JSON.stringify(full));
  if (different.length === 0) return value;
  const all = [value, full, ...different.map(({ json }) => json)];
  if (all.every(Array.isArray) && all.every(each => each.length === (full as readonly Json[]).length)) {
    return (value as readonly Json[]).map((_each, index) => inside(String(index), value, full));
  }
  if (all.every(isJsonObject)) return object(value as JsonObject, full as JsonObject);
  if (all.every(each => typeof each === 'string')) {
    const [{ given, json: without }, ...others] = different as [Absence, ...Absence[]];
    // A text of one word is another word.
    if (others.length === 0 && /^\w+$/.test(full as string) && /^\w+$/.test(without as string))
      return either(given, value as string, without as string);
    return policy(path, value as string, full as string, different);
  }
  const [absence, ...others] = different;
  if (absence !== undefined && others.length === 0 && all.every(each => typeof each === 'boolean')) {
    return value === true ? `\${${absence.given}}` : `\${!(${absence.given})}`;
  }
  throw new TemplateError(`${path.join('.')} is another one without a prop, and is not known to be.`);

  function inside(key: string, of: Json, ofFull: Json): Json {
    const present = different.filter(({ json }) => at(json, key) !== undefined);
    return walk(
      [...path, key],
      at(of, key) as Json,
      at(ofFull, key) as Json,
      present.map(({ given, json }) => ({ given, json: at(json, key) as Json })),
    );
  }

  function object(of: JsonObject, ofFull: JsonObject): JsonObject {
    const own = Object.keys(of).map(key => {
      const lacking = different.filter(({ json }) => at(json, key) === undefined);
      return optional([...path, key], key, inside(key, of, ofFull), lacking);
    });
    const instead = different.flatMap(({ given, json }) =>
      Object.entries(json as JsonObject)
        .filter(([key]) => ofFull[key] === undefined)
        .map(([key, each]) => {
          if (typeof each !== 'boolean') throw new TemplateError(`${[...path, key].join('.')} is no switch.`);
          return [key, `\${${given} ? null : ${each}}`] as const;
        }),
    );
    const names = [...own, ...instead].map(([key]) => key);
    if (new Set(names).size < names.length) {
      throw new TemplateError(`${path.join('.')} has two blocks that depend on props.`);
    }
    return Object.fromEntries([...own, ...instead]);
  }
}

function at(json: Json, key: string): Json | undefined {
  return (json as JsonObject)[key];
}

/** An attribute, or a block, that some absences lack. */
function optional(
  path: readonly string[],
  key: string,
  value: Json,
  lacking: readonly Absence[],
): readonly [string, Json] {
  const [absence, ...others] = lacking;
  if (absence === undefined) return [key, value];
  if (others.length > 0) throw new TemplateError(`${path.join('.')} depends on two props.`);
  // An environment takes no null, and the functions read an empty attribute as none.
  if (path.at(-2) === 'variables') return [key, value];
  if (isJsonObject(value)) {
    const block = { for_each: `\${${absence.given} ? [true] : []}`, content: value };
    return ['dynamic', { [key]: [block] }];
  }
  if (typeof value === 'number') return [key, `\${${absence.given} ? ${value} : null}`];
  if (typeof value !== 'string') throw new TemplateError(`${path.join('.')} is neither a block nor a text.`);
  const expression = asExpression(value);
  // A variable that is null says so itself.
  const isItself = absence.given === `${expression} != null`;
  return [key, isItself ? value : `\${${absence.given} ? ${expression} : null}`];
}

interface Policy {
  readonly Statement: readonly Json[];
}

/** A policy whose statements are there by their absences. The first is always there: commas stand before the others. */
function policy(path: readonly string[], text: string, full: string, absences: readonly Absence[]): string {
  const { Statement: statements, ...rest } = parsed(text);
  const ofFull = parsed(full).Statement;
  const others = absences.map(({ given, json }) => ({
    given,
    statements: parsed(json as string).Statement.map(each => JSON.stringify(each)),
  }));
  const isIn = (statement: Json | undefined, those: readonly string[]) =>
    those.includes(JSON.stringify(statement));
  for (const { statements: those } of others) {
    const kept = ofFull.filter(each => isIn(each, those)).map(each => JSON.stringify(each));
    if (kept.join() !== those.join()) fail('has other statements without a prop');
  }
  if (statements.length !== ofFull.length) fail('has more or fewer statements with another value of a prop');
  const written = statements.map((statement, index) => {
    const piece = `${index === 0 ? '' : ','}${JSON.stringify(statement)}`;
    const lacking = others.filter(other => !isIn(ofFull[index], other.statements));
    if (lacking.length === 0) return piece;
    if (index === 0 || lacking.length > 1) fail('has a statement that cannot depend on a prop');
    return `%{ if ${lacking[0]?.given} }${piece}%{ endif }`;
  });
  return `${JSON.stringify({ ...rest, Statement: [] }).slice(0, -2)}${written.join('')}]}`;

  function parsed(json: string): Policy {
    const read = json.startsWith('{"Version":') ? JSON.parse(json) : undefined;
    return Array.isArray(read?.Statement) ? read : fail('is another text without a prop');
  }

  function fail(what: string): never {
    throw new TemplateError(`${path.join('.')} ${what}.`);
  }
}
