import type { FieldProblem } from '../expiry/errors.ts';
import { fieldProblems, type ReadOptions } from '../expiry/fields.ts';
import { modelProblems } from '../expiry/model.ts';
import { DESTINATION_NAMES, DESTINATIONS } from '../functions/publish-expiries/destinations.ts';
import { isOwnDestination } from './names.ts';
import { pathOf } from './prop-groups.ts';
import { relationProblems } from './prop-relations.ts';
import {
  CORRECT,
  MAX_NAME_LENGTH,
  PROP_NAMES,
  PROPS,
  type PreciseTtlProps,
  type ResolvedProps,
  resolveProps,
  settingsOfProps,
  WRITTEN_KINDS,
} from './props.ts';
import { isReference } from './references.ts';
import { OWN_DESTINATION_REMEDY } from './stream-props.ts';

const OPTIONS: ReadOptions = {
  required: PROP_NAMES.filter(name => PROPS[name].isRequired),
  remedy: CORRECT,
};

/** All problems of the props; empty when there are none. */
export function propProblems(props: PreciseTtlProps): FieldProblem[] {
  const ofFields = fieldProblems(WRITTEN_KINDS, props, OPTIONS);
  if (ofFields.length > 0) return ofFields;
  const ofModel = modelProblems(settingsOfProps(props));
  const problems = ofModel.length > 0 ? ofModel : problemsBetween(props);
  return problems.map(asWritten);
}

/** Renames the fields of a problem from settings to props. */
function asWritten({ field, expected, remedy, ...problem }: FieldProblem): FieldProblem {
  const written = (text: string) => text.replaceAll(/\bindexedBy: ('\w+')/g, 'index: { by: $1 }');
  return { ...problem, field: pathOf(field), expected: written(expected), remedy: written(remedy) };
}

/** Problems between fields that are each valid. */
function problemsBetween(props: PreciseTtlProps): FieldProblem[] {
  const resolved = resolveProps(props);
  const problems: FieldProblem[] = relationProblems(resolved);
  problems.push(...ownDestinationProblems(resolved));
  if (resolved.name.length > MAX_NAME_LENGTH) {
    problems.push({
      field: 'name',
      expected: `at most ${MAX_NAME_LENGTH} characters`,
      got: resolved.name,
      remedy: 'The name made from tableName is too long: choose a shorter one with the field name.',
    });
  }
  return problems;
}

/**
 * Problems of events that go to the deployment's own resources: a function that publishes to itself would never end, and an event in a
 * queue for failures would look like a failure.
 */
function ownDestinationProblems({ events = {}, ...names }: ResolvedProps): FieldProblem[] {
  return DESTINATION_NAMES.flatMap(field => {
    const arn = events[field];
    if (arn === undefined || isReference(arn) || !isOwnDestination(field, arn, names)) return [];
    return [
      {
        field: `events.${field}`,
        expected: `a ${DESTINATIONS[field].kind} that is not this deployment's own`,
        got: arn,
        remedy: OWN_DESTINATION_REMEDY,
      },
    ];
  });
}
