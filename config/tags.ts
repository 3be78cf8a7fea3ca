import type { FieldProblem } from '../expiry/errors.ts';
import { isObject, type Kind, kind } from '../expiry/fields.ts';
import { isReference } from './terraform-text.ts';

/** Most tags of a resource: the lowest limit of all services that are tagged. */
const MAX_TAGS = 50;
const MAX_KEY_LENGTH = 128;
const MAX_VALUE_LENGTH = 256;

/** Allowed characters: those of IAM; other services allow more. Source: IAM API reference, Tag. */
const CHARACTERS = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

const ALLOWED = 'letters, digits, blanks and _ . : / = + - @';

/**
 * The rules for tags. AWS would refuse others after half of the deployment was made.
 *
 * 1. A key has 1 to 128 characters and a value 1 to 256: EventBridge Scheduler allows no empty value.
 * 2. Neither begins with `aws:`, in upper or lower case: AWS reserves that.
 * 3. Keys must not differ only by case, because IAM treats them as equal.
 */
export const TAGS = tagsWith(valueProblems);

/** The rules for tags whose values may be Terraform references, such as `${…}`: only Terraform knows their values. */
export const TAGS_OR_REFERENCES = tagsWith((field, value) =>
  isReference(value) ? [] : valueProblems(field, value),
);

type ValueProblems = (field: string, value: unknown) => FieldProblem[];

function tagsWith(ofValue: ValueProblems): Kind<Readonly<Record<string, string>>> {
  return kind(isObject, "an object of texts, e.g. { team: 'sessions' }", {
    remedy: () => 'See docs/reference/configuration.md of precise-ttl for all fields.',
    inside: tags => tagProblems(tags, ofValue),
  });
}

function tagProblems(tags: Readonly<Record<string, unknown>>, ofValue: ValueProblems): FieldProblem[] {
  const entries = Object.entries(tags);
  const tooMany =
    entries.length <= MAX_TAGS
      ? []
      : [
          {
            field: '',
            expected: `at most ${MAX_TAGS} tags`,
            got: entries.length,
            remedy: 'Remove some: no resource can have more.',
          },
        ];
  const ofTags = entries.flatMap(([key, value], index) => {
    const field = `[${JSON.stringify(key)}]`;
    const twin = entries.slice(0, index).find(([other]) => other.toLowerCase() === key.toLowerCase());
    return [
      ...textProblems(`${field}, its key`, key, MAX_KEY_LENGTH),
      ...(key === '__proto__' ? [protoProblem(field)] : []),
      ...ofValue(field, value),
      ...(twin === undefined
        ? []
        : [
            {
              field,
              expected: `a key that differs from "${twin[0]}" by more than its case, which IAM does not see`,
              got: key,
              remedy: 'Remove one of the two.',
            },
          ]),
    ];
  });
  return [...tooMany, ...inheritedProblems(tags), ...ofTags];
}

/** Problems of inherited tags, which a copy of the object would lose. */
function inheritedProblems(tags: object): FieldProblem[] {
  const inherited: FieldProblem[] = [];
  for (const key in tags) {
    if (Object.hasOwn(tags, key)) continue;
    const expected = 'a tag of the object itself';
    const got = 'one that it inherits from its prototype';
    inherited.push({ field: `[${JSON.stringify(key)}]`, expected, got, remedy: 'Write it into the object.' });
  }
  return inherited;
}

/**
 * The problem of the key `__proto__`: it has a special meaning in JavaScript objects, and would get lost on the way into Terraform's JSON.
 */
function protoProblem(field: string): FieldProblem {
  return { field, expected: 'a key other than __proto__', got: '__proto__', remedy: 'Choose another key.' };
}

function valueProblems(field: string, got: unknown): FieldProblem[] {
  return textProblems(field, got, MAX_VALUE_LENGTH);
}

function textProblems(field: string, got: unknown, longest: number): FieldProblem[] {
  const wellFormed =
    typeof got === 'string' && got.length >= 1 && got.length <= longest && CHARACTERS.test(got);
  if (!wellFormed) {
    const expected = `a text of 1 to ${longest} ${ALLOWED}`;
    return [{ field, expected, got, remedy: 'Correct it: AWS refuses a tag with anything else.' }];
  }
  if (!got.toLowerCase().startsWith('aws:')) return [];
  return [
    { field, expected: 'a text that does not begin with aws:', got, remedy: 'AWS keeps that for itself.' },
  ];
}
