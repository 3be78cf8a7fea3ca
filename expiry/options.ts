import { InvalidArgumentError } from './errors.ts';
import { isObject } from './fields.ts';
import { unknownFieldProblems } from './unknown-fields.ts';

/** Refuses unknown options: a misspelt option would otherwise be ignored. @throws InvalidArgumentError */
export function checkOptions(options: unknown, known: readonly string[]): void {
  if (!isObject(options)) {
    throw new InvalidArgumentError({
      field: 'options',
      expected: `an object with ${known.join(', ')}`,
      got: options,
      remedy: 'Leave it out for the defaults.',
    });
  }
  const [problem] = unknownFieldProblems(options, known);
  if (problem) throw new InvalidArgumentError(problem);
}
