import type { FieldProblem } from '../expiry/errors.ts';
import { isObject, kind } from '../expiry/fields.ts';

/** Most tags of a resource: the lowest limit of all services that are tagged. */
const MAX_TAGS = 50;
const MAX_KEY_LENGTH = 128;
const MAX_VALUE_LENGTH = 256;

/** Allowed characters: those of IAM; other services allow more. Source: IAM API reference, Tag. */
const CHARACTERS = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

/**
 * The rules for tags, of which AWS would refuse others after half of the deployment was made: a key of 1 to 128 characters and a value of
 * 1 to 256 (EventBridge Scheduler allows no empty one); neither begins with `aws:`; keys differ by more than case, which IAM does not see.
 */
export const TAGS = kind<Readonly<Record<string, string>>>(
  isObject,
  "an object of texts, e.g. { team: 'sessions' }",
  {
    remedy: () => 'See docs/reference/configuration.md of precise-ttl for all fields.',
    inside: tagProblems,
  },
);

function tagProblems(tags: Readonly<Record<string, unknown>>): FieldProblem[] {
  const entries = Object.entries(tags);
  const keys = entries.map(([key]) => key.toLowerCase());
  const problems = entries.flatMap(([key, value], index) => {
    const field = `[${JSON.stringify(key)}]`;
    const twin = keys.indexOf(key.toLowerCase());
    return [
      ...textProblems(`${field}, its key`, key, MAX_KEY_LENGTH),
      ...textProblems(field, value, MAX_VALUE_LENGTH),
      ...(twin === index
        ? []
        : problem(field, `a key that differs from "${entries[twin]?.[0]}" by more than its case`, key)),
    ];
  });
  return [
    ...(entries.length > MAX_TAGS ? problem('', `at most ${MAX_TAGS} tags`, entries.length) : []),
    ...problems,
  ];
}

function textProblems(field: string, got: unknown, longest: number): FieldProblem[] {
  const isText = typeof got === 'string' && got.length >= 1 && got.length <= longest && CHARACTERS.test(got);
  if (!isText)
    return problem(field, `a text of 1 to ${longest} letters, digits, blanks and _ . : / = + - @`, got);
  // JavaScript would lose this key.
  if (got === '__proto__') return problem(field, 'another text than __proto__', got);
  return got.toLowerCase().startsWith('aws:')
    ? problem(field, 'a text that does not begin with aws:', got)
    : [];
}

function problem(field: string, expected: string, got: unknown): FieldProblem[] {
  return [{ field, expected, got, remedy: 'Correct it: AWS refuses a tag with anything else.' }];
}
