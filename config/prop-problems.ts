import type { FieldProblem } from '../expiry/errors.ts';
import { fieldProblems, type ReadOptions } from '../expiry/fields.ts';
import { modelProblems } from '../expiry/model.ts';
import { adviseShards, PARTITION_UNITS } from '../expiry/partition-rule.ts';
import { isOwnTarget } from './names.ts';
import { pipeProblems, pipesOf } from './pipe-props.ts';
import {
  CORRECT,
  PROP_NAMES,
  PROPS,
  type PreciseTtlProps,
  type PropName,
  pathOf,
  type ResolvedProps,
  resolveProps,
  settingsOfProps,
  WRITTEN_KINDS,
} from './props.ts';

type Text = string | ((table: ResolvedProps) => string);

/** A rule between settings of a table that are each valid. */
interface Relation {
  /** The settings of the rule; a problem names the first. */
  readonly props: readonly [PropName, ...PropName[]];
  readonly holds: (table: ResolvedProps) => boolean;
  /** The text after "expected". */
  readonly expected: Text;
  readonly remedy: Text;
}

const bySecond = ({ indexedBy }: ResolvedProps): boolean => indexedBy === 'second';

/** The rules between the settings of a table, except those about created resources. */
export const RELATIONS: readonly Relation[] = [
  {
    // A limit must not be higher than the rate that the shards allow even without any puts. By second a limit concerns overdue items, which
    // lie under many keys.
    props: ['maxDeletesPerSecond', 'shards', 'indexedBy'],
    holds: table => bySecond(table) || table.maxDeletesPerSecond <= capacity(table),
    expected: table =>
      `at most ${capacity(table)}: DynamoDB takes ${PARTITION_UNITS} deletes a second from each shard, and there ${table.shards === 1 ? 'is' : 'are'} ${table.shards}`,
    remedy: fasterAdvice,
  },
  {
    props: ['pollSeconds', 'precision'],
    holds: ({ pollSeconds, precision }) => pollSeconds === 0 || precision === 'second',
    expected: "0 with precision: 'minute'",
    remedy: "Leave it out, or use precision: 'second': once a minute nothing runs between the ticks.",
  },
  // The tables' settings are part of the state machines' definitions, where such a text would be evaluated, or refused if it has only one
  // of the delimiters. Source: Step Functions Developer Guide, "Transforming data with JSONata".
  ...(['partitionKey', 'sortKey', 'ttlAttribute', 'windowAttribute'] as const).map(
    (name): Relation => ({
      props: [name],
      holds: table => !/^\{%|%\}$/.test(table[name] ?? ''),
      expected: 'no name that begins with {% or ends with %}, which Step Functions takes for an expression',
      remedy: 'Name another attribute.',
    }),
  ),
];

/** Deletes per second that the shards allow. */
function capacity({ shards }: ResolvedProps): number {
  return shards * PARTITION_UNITS;
}

/** Advice on how a table can delete this many items per second. */
function fasterAdvice(table: ResolvedProps): string {
  const { maxDeletesPerSecond: deletesPerSecond } = table;
  const { shards, warmUnits } = adviseShards({ ...table, putsPerSecond: deletesPerSecond, deletesPerSecond });
  if (shards === undefined) return 'Lower it: no number of shards takes that.';
  return `Lower it, or set index: { shards: ${shards} }, which takes as many puts, too, on an index that is warm for ${warmUnits} write units a second (docs/reference/configuration.md, "How many shards").`;
}

/** The problems of all rules that a table breaks. */
export function relationProblems(table: ResolvedProps): FieldProblem[] {
  const inWords = (each: Text) => (typeof each === 'string' ? each : each(table));
  return RELATIONS.filter(({ holds }) => !holds(table)).map(({ props: [field], expected, remedy }) => ({
    field,
    expected: inWords(expected),
    got: table[field],
    remedy: inWords(remedy),
  }));
}

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
  return [...relationProblems(resolved), ...pipeProblems(resolved), ...ownTargetProblems(resolved)];
}

/** Problems of events that go to the deployment's own resources: an event in the failure queue would look like a failure. */
function ownTargetProblems(table: ResolvedProps): FieldProblem[] {
  return pipesOf(table).flatMap(({ to }) => {
    if (to === undefined || !isOwnTarget(to, table.sweep)) return [];
    const expected = "the ARN of something that is not this deployment's own";
    return [{ field: 'events.to', expected, got: to, remedy: 'Name one of yours.' }];
  });
}
