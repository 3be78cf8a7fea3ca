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
  readsStream,
  resolveProps,
  settingsOfProps,
  WRITTEN_KINDS,
} from './props.ts';
import { isReference } from './references.ts';
import { OWN_DESTINATION_REMEDY } from './stream-props.ts';
import { hasOldImages } from './table-settings.ts';

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
  if (resolved.existingTable && props.newTable !== undefined) {
    problems.push({
      field: 'newTable',
      expected: 'none with existingTable: true',
      got: props.newTable,
      remedy:
        'Leave it out: a deployment changes nothing about an existing table. Set it where the table is made.',
    });
  }
  if (resolved.provisionedCapacity !== undefined && resolved.warmThroughput !== undefined) {
    problems.push({
      field: 'warmThroughput',
      expected: 'none with newTable.provisionedCapacity',
      got: resolved.warmThroughput,
      remedy: 'Leave out one of them: what is provisioned is warm, too.',
    });
  }
  problems.push(...streamProblems(resolved));
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

/** Problems of `archive` and `events` with the other props. */
function streamProblems(props: ResolvedProps): FieldProblem[] {
  const { archive, stream } = props;
  const problems: FieldProblem[] = [...ownDestinationProblems(props)];
  if (readsStream(props) && stream !== undefined && !hasOldImages(stream)) {
    problems.push({
      field: 'stream',
      expected: `'OLD_IMAGE' or 'NEW_AND_OLD_IMAGES' with ${archive === undefined ? 'events' : 'archive'}`,
      got: stream,
      remedy:
        'Leave it out for its default: without the old image nobody can tell whether an item had expired.',
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
