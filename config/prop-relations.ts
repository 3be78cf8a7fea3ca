import type { FieldProblem } from '../expiry/errors.ts';
import { adviseShards, PARTITION_UNITS } from '../expiry/partition-rule.ts';
import { MAX_PAIRS } from '../statemachine/contract.ts';
import { PLAIN_MODE_SECONDS, type PropName, type ResolvedProps } from './props.ts';
import {
  anyOf,
  both,
  ceil,
  endsWith,
  equal,
  given,
  isOpen,
  less,
  not,
  or,
  product,
  quotient,
  startsWith,
  sum,
  when,
} from './values.ts';

/**
 * A rule between props of a table that are each fine. Its values may be expressions, so that one list checks a configuration and writes the
 * conditions of the Terraform module.
 */
export interface Relation {
  readonly field: PropName;
  readonly isBroken: (table: ResolvedProps) => boolean;
  /** Behind "expected". */
  readonly expected: (table: ResolvedProps) => string;
  /** @default the value of the field */
  readonly got?: (table: ResolvedProps) => unknown;
  readonly remedy: (table: ResolvedProps) => string;
}

const bySecond = ({ indexedBy }: ResolvedProps): boolean => equal(indexedBy, 'second');

/** Windows and shards that a tick looks back into: one window more than fits into the time, since the first is entered in its middle. */
function pairs({ lookbackMinutes, granularityMinutes, shards }: ResolvedProps): number {
  return product(sum(ceil(quotient(lookbackMinutes, granularityMinutes)), 1), shards);
}

/** An attribute that every item has holds all of them. */
function heldByAll(
  same: 'partitionKey' | 'sortKey' | 'ttlAttribute' | 'windowAttribute',
  applies: (table: ResolvedProps) => boolean = () => true,
): Relation {
  return {
    field: 'holdAttribute',
    isBroken: table =>
      both(both(given(table.holdAttribute), equal(table.holdAttribute, table[same])), applies(table)),
    expected: () => `an attribute of its own, not the ${same}`,
    remedy: () => 'Name an attribute that only held items have: every item that has it is held.',
  };
}

/**
 * The settings of tables stand in the definitions of the state machines, where such a text would be evaluated, or refused when it has only one
 * of both. Source: Step Functions Developer Guide, "Transforming data with JSONata".
 */
function readAsExpression<Field extends PropName>(
  field: Field,
  nameIn: (table: Pick<ResolvedProps, Field>) => string,
): Relation {
  return {
    field,
    isBroken: table => anyOf(startsWith(nameIn(table), '{%'), endsWith(nameIn(table), '%}')),
    expected: () =>
      'no name that begins with {% or ends with %}, which Step Functions takes for an expression',
    remedy: () => 'Name another attribute.',
  };
}

/** The rules between the props of a table, but for those about what a deployment makes. */
export const RELATIONS: readonly Relation[] = [
  {
    field: 'lookbackMinutes',
    isBroken: table => less(MAX_PAIRS, pairs(table)),
    expected: () => `at most ${MAX_PAIRS} windows and shards to look back into in a tick`,
    got: table =>
      `${pairs(table)} (${table.shards} shards, back ${table.lookbackMinutes} minutes in windows of ${table.granularityMinutes})`,
    remedy: () =>
      'Lower it: the daily scan finds what lies further back. Or lower shards, or raise granularityMinutes.',
  },
  {
    // What may be deleted in a second must be something that the shards can take, even without any put. By second a limit is for what has
    // been left, and that lies under many keys.
    field: 'maxDeletesPerSecond',
    isBroken: table =>
      both(not(bySecond(table)), less(product(table.shards, PARTITION_UNITS), table.maxDeletesPerSecond)),
    expected: ({ shards }) =>
      `at most ${product(shards, PARTITION_UNITS)}: DynamoDB takes ${PARTITION_UNITS} deletes a second from each shard, and there ${when(equal(shards, 1), 'is', 'are')} ${shards}`,
    remedy: fasterAdvice,
  },
  {
    field: 'backoffCapSeconds',
    isBroken: ({ backoffCapSeconds, backoffBaseSeconds }) => less(backoffCapSeconds, backoffBaseSeconds),
    expected: ({ backoffBaseSeconds }) => `at least backoffBaseSeconds (${backoffBaseSeconds})`,
    remedy: () => 'Raise the cap or lower the base.',
  },
  {
    field: 'pollSeconds',
    isBroken: ({ pollSeconds, precisionSeconds }) =>
      both(less(0, pollSeconds), less(pollSeconds, precisionSeconds)),
    expected: ({ precisionSeconds }) => `0, or at least precisionSeconds (${precisionSeconds})`,
    remedy: () => 'Raise it, or lower precisionSeconds: polls are never closer than that.',
  },
  {
    field: 'pollSeconds',
    isBroken: table =>
      both(
        both(bySecond(table), less(table.precisionSeconds, table.pollSeconds)),
        less(table.precisionSeconds, PLAIN_MODE_SECONDS),
      ),
    expected: ({ precisionSeconds }) =>
      `0 or precisionSeconds (${precisionSeconds}) with indexedBy: 'second'`,
    remedy: () =>
      'Leave it out: a child asks for each second when it comes. To poll less often, raise precisionSeconds.',
  },
  {
    field: 'pollSeconds',
    isBroken: ({ pollSeconds, precisionSeconds }) =>
      both(less(0, pollSeconds), equal(precisionSeconds, PLAIN_MODE_SECONDS)),
    expected: () => '0 in the plain mode (precisionSeconds: 60)',
    remedy: () =>
      'The plain mode does not poll between its ticks: lower precisionSeconds or leave pollSeconds out.',
  },
  {
    field: 'backfill',
    isBroken: table => both(table.backfill, bySecond(table)),
    expected: () => "false with indexedBy: 'second'",
    remedy: () => 'Leave it out: DynamoDB puts the items that are there into the index by itself.',
  },
  {
    field: 'archiveFirst',
    isBroken: ({ archiveFirst, archive }) => both(archiveFirst, not(given(archive))),
    expected: () => 'archive beside it',
    remedy: () => 'Add archive too, or leave archiveFirst out.',
  },
  {
    field: 'archiveFirst',
    isBroken: ({ archiveFirst, deleteMode }) => both(archiveFirst, equal(deleteMode, 'batch')),
    expected: () => "false with deleteMode: 'batch'",
    remedy: () =>
      "Set deleteMode: 'guarded', or leave archiveFirst out: without the guard a renewed item would be deleted whose image is not archived.",
  },
  {
    // What is held must be known to the delete.
    field: 'holdAttribute',
    isBroken: ({ holdAttribute, deleteMode }) => both(given(holdAttribute), equal(deleteMode, 'batch')),
    expected: () => "none with deleteMode: 'batch', which deletes without looking at the item",
    remedy: () => "Set deleteMode: 'guarded', or leave holdAttribute out.",
  },
  heldByAll('partitionKey'),
  heldByAll('sortKey'),
  heldByAll('ttlAttribute'),
  heldByAll('windowAttribute', table => not(bySecond(table))),
  readAsExpression('partitionKey', ({ partitionKey }) => partitionKey),
  readAsExpression('sortKey', ({ sortKey }) => or(sortKey, '')),
  readAsExpression('ttlAttribute', ({ ttlAttribute }) => ttlAttribute),
  readAsExpression('windowAttribute', ({ windowAttribute }) => windowAttribute),
  readAsExpression('holdAttribute', ({ holdAttribute }) => or(holdAttribute, '')),
];

/** How a table can delete as much in a second. */
function fasterAdvice(table: ResolvedProps): string {
  const { maxDeletesPerSecond: deletesPerSecond } = table;
  if (isOpen(deletesPerSecond)) return 'Lower it, or raise shards.';
  const { shards, warmUnits } = adviseShards({ ...table, putsPerSecond: deletesPerSecond, deletesPerSecond });
  if (shards === undefined) return 'Lower it: no number of shards takes that.';
  return `Lower it, or set shards: ${shards}, which takes as many puts, too, on an index that is warm for ${warmUnits} write units a second (docs/configuration.md, "How many shards").`;
}

/** The rules that a table breaks. */
export function relationProblems(table: ResolvedProps): FieldProblem[] {
  return RELATIONS.filter(({ isBroken }) => isBroken(table)).map(
    ({ field, expected, got = () => table[field], remedy }) => ({
      field,
      expected: expected(table),
      got: got(table),
      remedy: remedy(table),
    }),
  );
}
