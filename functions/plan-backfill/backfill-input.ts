import { boolean, isObject, objectProblems, whole } from '../../expiry/fields.ts';
import {
  type BackfillInput,
  DEFAULT_RATE_PER_SECOND,
  DEFAULT_SEGMENTS,
  MAX_RATE_PER_SECOND,
  MAX_SEGMENTS,
} from '../../statemachine/backfill-contract.ts';
import { InvalidExecutionInputError } from '../runtime/errors.ts';

/** The kind of each field of the input. */
export const BACKFILL_INPUT_KINDS = {
  segments: whole(1, MAX_SEGMENTS),
  ratePerSecond: whole(1, MAX_RATE_PER_SECOND),
  dryRun: boolean(),
};

const REMEDY =
  'Start the execution with {} or with {"segments": N, "ratePerSecond": N, "dryRun": true}, each of them optional. Nothing was written.';

/**
 * Checks the input of a backfill's execution, and fills in the defaults.
 * @throws InvalidExecutionInputError naming the field
 */
export function readBackfillInput(input: unknown): Required<BackfillInput> {
  if (!isObject(input)) {
    throw new InvalidExecutionInputError({
      field: 'input',
      expected: 'an object',
      got: input,
      remedy: REMEDY,
    });
  }
  // A field with the value undefined is as wrong as one with null.
  const options = { required: Object.keys(input), remedy: REMEDY };
  const [problem] = objectProblems(BACKFILL_INPUT_KINDS, input, options);
  if (problem) {
    const remedy = problem.remedy.endsWith(REMEDY) ? problem.remedy : `${problem.remedy} ${REMEDY}`;
    throw new InvalidExecutionInputError({ ...problem, remedy });
  }
  return { segments: DEFAULT_SEGMENTS, ratePerSecond: DEFAULT_RATE_PER_SECOND, dryRun: false, ...input };
}
