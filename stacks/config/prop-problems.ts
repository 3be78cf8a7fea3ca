import type { FieldProblem } from '../../expiry/errors.ts';
import { fieldProblems, type ReadOptions } from '../../expiry/fields.ts';
import { modelProblems } from '../../expiry/model.ts';
import { PARTITION_UNITS } from '../../expiry/window.ts';
import { isOwnTarget } from './names.ts';
import { pipeProblems, pipesOf } from './pipe-props.ts';
import {
  CORRECT,
  PROP_NAMES,
  PROPS,
  type PreciseTtlProps,
  pathOf,
  type ResolvedProps,
  resolveProps,
  settingsOfProps,
  WRITTEN_KINDS,
} from './props.ts';

const OPTIONS: ReadOptions = {
  required: PROP_NAMES.filter(name => PROPS[name].isRequired),
  remedy: CORRECT,
};

export function propProblems(props: PreciseTtlProps): FieldProblem[] {
  const ofFields = fieldProblems(WRITTEN_KINDS, props, OPTIONS);
  if (ofFields.length > 0) return ofFields;
  const ofModel = modelProblems(settingsOfProps(props));
  if (ofModel.length > 0) return ofModel.map(asWritten);
  const table = resolveProps(props);
  return [
    ...limitProblems(table),
    ...pollProblems(table),
    ...pipeProblems(table),
    ...ownTargetProblems(table),
  ];
}

function asWritten({ field, expected, remedy, ...problem }: FieldProblem): FieldProblem {
  const written = (text: string) => text.replaceAll(/\bindexedBy: ('\w+')/g, 'index: { by: $1 }');
  return { ...problem, field: pathOf(field), expected: written(expected), remedy: written(remedy) };
}

/**
 * Refuses a `maxDeletesPerSecond` above what the shards can do: DynamoDB takes at most PARTITION_UNITS deletes a second from a shard.
 * In an index by second there is no such maximum, because overdue items are in many partitions: each TTL is a partition key.
 */
function limitProblems(table: ResolvedProps): FieldProblem[] {
  const { indexedBy, maxDeletesPerSecond, shards } = table;
  const capacity = shards * PARTITION_UNITS;
  if (indexedBy === 'second' || maxDeletesPerSecond <= capacity) return [];
  return [
    {
      field: 'maxDeletesPerSecond',
      expected: `at most ${capacity}: DynamoDB takes ${PARTITION_UNITS} deletes a second from each shard, and there ${shards === 1 ? 'is' : 'are'} ${shards}`,
      got: maxDeletesPerSecond,
      remedy: 'Lower it, or raise index.shards (docs/reference/configuration.md, "How many shards").',
    },
  ];
}

function pollProblems({ pollSeconds: got, precision }: ResolvedProps): FieldProblem[] {
  if (got === 0 || precision === 'second') return [];
  const remedy = "Leave it out, or use precision: 'second': once a minute nothing runs between the ticks.";
  return [{ field: 'pollSeconds', expected: "0 with precision: 'minute'", got, remedy }];
}

/** Refuses a target that belongs to the deployment. An event in the dead-letter queue, for example, would look like a failure. */
function ownTargetProblems(table: ResolvedProps): FieldProblem[] {
  return pipesOf(table).flatMap(({ to }) => {
    if (to === undefined || !isOwnTarget(to, table.deployment)) return [];
    const expected = "the ARN of something that is not this deployment's own";
    return [{ field: 'events.to', expected, got: to, remedy: 'Name one of yours.' }];
  });
}
