import type { FieldProblem } from '../expiry/errors.ts';
import { fieldProblems, type ReadOptions } from '../expiry/fields.ts';
import { modelProblems } from '../expiry/model.ts';
import { DESTINATION_NAMES, DESTINATIONS } from '../functions/publish-expiries/destinations.ts';
import { ALARM_NAMES, isRecorded } from './alarms.ts';
import { isOwnDestination } from './names.ts';
import { relationProblems } from './prop-relations.ts';
import {
  CORRECT,
  MAX_NAME_LENGTH,
  OF_CREATED_TABLES,
  PROP_KINDS,
  PROP_NAMES,
  PROPS,
  type PreciseTtlProps,
  type ResolvedProps,
  readsStream,
  resolveProps,
} from './props.ts';
import { isReference } from './references.ts';
import { OWN_DESTINATION_REMEDY } from './stream-props.ts';
import { hasOldImages } from './table-settings.ts';

const OPTIONS: ReadOptions = {
  required: PROP_NAMES.filter(name => PROPS[name].isRequired),
  remedy: CORRECT,
};

/** Everything that is wrong with the props; empty when they are good. */
export function propProblems(props: PreciseTtlProps): FieldProblem[] {
  const ofFields = fieldProblems(PROP_KINDS, props, OPTIONS);
  if (ofFields.length > 0) return ofFields;
  const ofModel = modelProblems(props);
  return ofModel.length > 0 ? ofModel : problemsBetween(props);
}

/** What is wrong between fields that are each fine. */
function problemsBetween(props: PreciseTtlProps): FieldProblem[] {
  const resolved = resolveProps(props);
  const problems: FieldProblem[] = relationProblems(resolved);
  if (resolved.existingTable) {
    problems.push(
      ...OF_CREATED_TABLES.filter(field => props[field] !== undefined).map(field => ({
        field,
        expected: 'none with existingTable: true',
        got: props[field],
        remedy:
          'Leave it out: a deployment changes nothing about an existing table. Set it where the table is made.',
      })),
    );
  }
  if (resolved.provisionedCapacity !== undefined && resolved.warmThroughput !== undefined) {
    problems.push({
      field: 'warmThroughput',
      expected: 'none with provisionedCapacity',
      got: resolved.warmThroughput,
      remedy: 'Leave out one of them: what is provisioned is warm, too.',
    });
  }
  problems.push(...streamProblems(resolved), ...alarmProblems(resolved));
  if (props.sortKeyType !== undefined && props.sortKey === undefined) {
    problems.push({
      field: 'sortKeyType',
      expected: 'sortKeyType together with sortKey',
      got: props.sortKeyType,
      remedy: 'Name the sort key too, or leave out its type.',
    });
  }
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

/** What `archive` and `events` need of the other props. */
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

/** A function that publishes to itself would never end, and an event in a queue for failures would look like one. */
function ownDestinationProblems({ events = {}, ...names }: ResolvedProps): FieldProblem[] {
  return DESTINATION_NAMES.flatMap(field => {
    const arn = events[field];
    if (arn === undefined || isReference(arn) || !isOwnDestination(arn, names)) return [];
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

/** Whoever tunes an alarm expects it to sound. */
function alarmProblems({ alarms, metrics }: ResolvedProps): FieldProblem[] {
  if (alarms === false) return [];
  return ALARM_NAMES.filter(alarm => alarms[alarm] && !isRecorded(alarm, metrics)).map(alarm => ({
    field: `alarms.${alarm}`,
    expected: `false or nothing with metrics: '${metrics}', which does not record what this alarm looks at`,
    got: alarms[alarm],
    remedy: "Leave it out: executionsFailed says when something could not be deleted. Or set metrics: 'all'.",
  }));
}
