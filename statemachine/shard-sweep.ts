import { chunkDeletion } from './chunk-deletion.ts';
import { LISTED_KEYS } from './contract.ts';
import { firstThatFit, jsonata, list, sumOf } from './jsonata.ts';
import { CHUNK_COUNTS, type FunctionArns, invokeTask, type SweepOptions } from './states.ts';

/**
 * A child stops asking for more at this age and leaves the rest to a further child. An Express execution ends at 300
 * seconds, and one more wait and one more call must fit in before that.
 */
export const CHILD_SECONDS = 240;

/** The age of the child execution in milliseconds. */
export const CHILD_AGE_MS = '($millis() - $toMillis($states.context.Execution.StartTime))';

const OUT_OF_TIME = `${CHILD_AGE_MS} >= ${CHILD_SECONDS * 1000}`;

const UNPROCESSED_AS_FAILED = `$map($unprocessed, function($key) { {'key': $key, 'reason': 'Unprocessed'} })`;

/**
 * The child of SweepShards: pages through one (window, shard) and deletes what it finds. Its input is
 * `{target, dryRun, listedKeysCharacters}`, its output a ShardResult.
 *
 * It keeps its state in variables; `found` counts what QueryExpired gave, everything else what DeleteChunks did.
 */
export function shardSweep(functions: FunctionArns, options: SweepOptions) {
  return {
    ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'EXPRESS' },
    StartAt: 'StartShard',
    States: {
      StartShard: {
        Type: 'Pass',
        Assign: {
          target: jsonata('$states.input.target'),
          dryRun: jsonata('$states.input.dryRun'),
          listedKeysCharacters: jsonata('$states.input.listedKeysCharacters'),
          startKey: null,
          found: 0,
          ...Object.fromEntries(CHUNK_COUNTS.map(name => [name, 0])),
          failed: 0,
          failedKeys: [],
          unprocessed: [],
          interrupted: false,
        },
        Next: 'QueryExpired',
      },
      QueryExpired: {
        ...invokeTask(functions.QueryExpired, {
          target: jsonata('$target'),
          dryRun: jsonata('$dryRun'),
          startKey: jsonata('$startKey'),
        }),
        Assign: {
          startKey: jsonata('$states.result.Payload.startKey'),
          found: jsonata('$found + $states.result.Payload.found'),
        },
        Output: { chunks: jsonata('$states.result.Payload.chunks') },
        Catch: [{ ErrorEquals: ['States.ALL'], Assign: { interrupted: true }, Next: 'ShardSwept' }],
        Next: 'DeleteChunks',
      },
      DeleteChunks: {
        Type: 'Map',
        Items: jsonata('$states.input.chunks'),
        MaxConcurrency: options.chunkConcurrency,
        ItemProcessor: chunkDeletion(functions, options, OUT_OF_TIME),
        Assign: {
          ...Object.fromEntries(
            CHUNK_COUNTS.map(name => [name, jsonata(`$${name} + ${sumOf('$states.result', name)}`)]),
          ),
          failed: jsonata(`$failed + $count(${list('$states.result.failed')})`),
          failedKeys: jsonata(
            firstThatFit('$append($failedKeys, $states.result.failed)', LISTED_KEYS, '$listedKeysCharacters'),
          ),
          unprocessed: jsonata(list('$states.result.unprocessed')),
        },
        // Some chunks may have been deleted: which is not known, so the whole page counts as failed.
        Catch: [
          {
            ErrorEquals: ['States.ALL'],
            Assign: {
              failed: jsonata('$failed + $count([$states.input.chunks.keys])'),
              interrupted: true,
            },
            Next: 'ShardSwept',
          },
        ],
        Next: 'MorePages?',
      },
      'MorePages?': {
        Type: 'Choice',
        Choices: [
          {
            // Time or attempts ran out. What could be done in this child can be done in the next one too, unless
            // this one did nothing at all.
            Condition: jsonata(
              `$deleted > 0 and ($count($unprocessed) > 0 or ($startKey != null and ${OUT_OF_TIME}))`,
            ),
            Next: 'ResumeShard',
          },
          {
            Condition: jsonata(`$startKey != null and $count($unprocessed) = 0 and $not(${OUT_OF_TIME})`),
            Next: 'QueryExpired',
          },
        ],
        Default: 'ShardSwept',
      },
      // The next child finds again what failed or was left unprocessed here, and counts it then.
      ResumeShard: {
        Type: 'Pass',
        Output: shardResult({
          found: '$deleted + $renewed + $alreadyGone',
          failed: '0',
          failedKeys: '[]',
          resume: '$target',
        }),
        End: true,
      },
      ShardSwept: {
        Type: 'Pass',
        Output: shardResult({
          found: '$found',
          failed: '$failed + $count($unprocessed)',
          failedKeys: firstThatFit(
            `$append($failedKeys, ${UNPROCESSED_AS_FAILED})`,
            LISTED_KEYS,
            '$listedKeysCharacters',
          ),
        }),
        End: true,
      },
    },
  };
}

function shardResult(fields: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...Object.fromEntries(Object.entries(fields).map(([name, expression]) => [name, jsonata(expression)])),
    ...Object.fromEntries(CHUNK_COUNTS.map(name => [name, jsonata(`$${name}`)])),
    interrupted: jsonata('$interrupted'),
  };
}
