import { PreciseTtlError } from '../expiry/index.ts';
import type { TickInput } from '../statemachine/contract.ts';
import type { FoundSchedule } from './aws/schedules.ts';

/** The field of an execution's input that limits its deletes. */
const FIELD = 'maxDeletesPerSecond' satisfies keyof TickInput;

/** A schedule whose input was changed into something else. */
export class ScheduleInputError extends PreciseTtlError {
  override readonly name = 'ScheduleInputError';
}

/** The limit in the input of a schedule, deletes a second; undefined when it has none, or is none. */
export function limitOfInput(input: string | undefined): number | undefined {
  const value = fieldsOf(input)?.[FIELD];
  return typeof value === 'number' ? value : undefined;
}

/**
 * The input of a schedule with another limit, everything else as it was.
 *
 * @param perSecond undefined for none
 * @throws {ScheduleInputError} when it is no JSON object
 */
export function withLimit({ Name, Target }: FoundSchedule, perSecond: number | undefined): string {
  const fields = fieldsOf(Target?.Input);
  if (fields === undefined) {
    throw new ScheduleInputError(
      `schedule ${Name}: expected a JSON object as the input of its target, got ${Target?.Input}; deploy again`,
    );
  }
  const { [FIELD]: _was, ...others } = fields;
  return JSON.stringify({ ...others, ...(perSecond !== undefined && { [FIELD]: perSecond }) });
}

function fieldsOf(input: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(input ?? '');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
