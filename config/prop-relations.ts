import type { FieldProblem } from '../expiry/errors.ts';
import { adviseShards, PARTITION_UNITS } from '../expiry/partition-rule.ts';
import { PLAIN_MODE_SECONDS, type PropName, type ResolvedProps } from './props.ts';

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
const isPlain = ({ precisionSeconds }: ResolvedProps): boolean => precisionSeconds === PLAIN_MODE_SECONDS;
const polls = ({ pollSeconds }: ResolvedProps): boolean => pollSeconds > 0;

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
    props: ['pollSeconds', 'precisionSeconds'],
    holds: table => !polls(table) || table.pollSeconds >= table.precisionSeconds,
    expected: ({ precisionSeconds }) => `0, or at least precisionSeconds (${precisionSeconds})`,
    remedy: 'Raise it, or lower precisionSeconds: polls are never closer than that.',
  },
  {
    props: ['pollSeconds', 'precisionSeconds', 'indexedBy'],
    holds: table => !bySecond(table) || isPlain(table) || table.pollSeconds <= table.precisionSeconds,
    expected: ({ precisionSeconds }) =>
      `0 or precisionSeconds (${precisionSeconds}) with index: { by: 'second' }`,
    remedy:
      'Leave it out: a child asks for each second when it comes. To poll less often, raise precisionSeconds.',
  },
  {
    props: ['pollSeconds', 'precisionSeconds'],
    holds: table => !(polls(table) && isPlain(table)),
    expected: '0 in the plain mode (precisionSeconds: 60)',
    remedy:
      'The plain mode does not poll between its ticks: lower precisionSeconds or leave pollSeconds out.',
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

/** The problem of a rule that a table breaks. */
function problemOf({ props: [field], expected, remedy }: Relation, table: ResolvedProps): FieldProblem {
  const text = (each: Text) => (typeof each === 'string' ? each : each(table));
  return { field, expected: text(expected), got: table[field], remedy: text(remedy) };
}

/** The problems of all rules that a table breaks. */
export function relationProblems(table: ResolvedProps): FieldProblem[] {
  return RELATIONS.filter(({ holds }) => !holds(table)).map(relation => problemOf(relation, table));
}
