import { jsonata, list, sumBuckets } from './jsonata.ts';
import {
  backoffTimestamp,
  type DefinitionOptions,
  ERRORS_TO_TRY_AGAIN,
  type FunctionArns,
  invokeTask,
} from './states.ts';

/** Counts that DeleteChunk answers with, and the chunk's variable for each. */
const ANSWERS = { deleted: 'chunkDeleted', renewed: 'chunkRenewed', alreadyGone: 'chunkGone' } as const;

/**
 * What DeleteChunks does with each chunk: delete, and as long as keys come back unprocessed, wait and try these
 * again. Its input is a Chunk, its output the counts, the keys that failed, those that are still unprocessed,
 * and how many were left behind.
 *
 * @param conditions JSONata: the child has no time for another attempt; it does not wait for a second one
 */
export function chunkDeletion(
  functions: FunctionArns,
  options: DefinitionOptions,
  { outOfTime, onlyOnce }: { readonly outOfTime: string; readonly onlyOnce: string },
) {
  return {
    ProcessorConfig: { Mode: 'INLINE' },
    StartAt: 'StartChunk',
    States: {
      StartChunk: {
        Type: 'Pass',
        Assign: {
          chunkKeys: jsonata('$states.input.keys'),
          chunkAttempts: 0,
          chunkFailed: [],
          chunkLeftBehind: 0,
          chunkLagCounts: {},
          chunkLagMaxMs: 0,
          ...Object.fromEntries(Object.values(ANSWERS).map(variable => [variable, 0])),
        },
        Next: 'AnyUnprocessed?',
      },
      DeleteChunk: {
        ...invokeTask(functions.DeleteChunk, options, {
          keys: jsonata('$chunkKeys'),
          cutoff: jsonata('$cutoff'),
        }),
        Assign: {
          chunkKeys: jsonata(list('$states.result.Payload.unprocessed')),
          chunkAttempts: jsonata('$chunkAttempts + 1'),
          chunkFailed: jsonata(list('$append($chunkFailed, $states.result.Payload.failed)')),
          chunkLagCounts: jsonata(
            sumBuckets(`{'lagCounts': $chunkLagCounts}, $states.result.Payload`, 'lagCounts'),
          ),
          chunkLagMaxMs: jsonata('$max([$chunkLagMaxMs, $states.result.Payload.lagMaxMs])'),
          ...Object.fromEntries(
            Object.entries(ANSWERS).map(([answer, variable]) => [
              variable,
              jsonata(`$${variable} + $states.result.Payload.${answer}`),
            ]),
          ),
        },
        Catch: [
          {
            // Which keys were deleted before the function failed is not known: all are tried again.
            ErrorEquals: ERRORS_TO_TRY_AGAIN,
            Assign: { chunkAttempts: jsonata('$chunkAttempts + 1') },
            Next: 'AnyUnprocessed?',
          },
          // No retry helps (no access, no such table, a bug): these keys are reported, the other chunks go on.
          {
            ErrorEquals: ['States.ALL'],
            Assign: {
              chunkKeys: [],
              chunkAttempts: jsonata('$chunkAttempts + 1'),
              chunkFailed: jsonata(`(
                $reason := $states.errorOutput.Error;
                [$append($chunkFailed, $map($chunkKeys, function($each) { {'key': $each.key, 'reason': $reason} }))]
              )`),
            },
            Next: 'ChunkDeleted',
          },
        ],
        Next: 'AnyUnprocessed?',
      },
      'AnyUnprocessed?': {
        Type: 'Choice',
        Choices: [
          // A chunk waits for its turn in the Map: by then the child may have no time for it.
          { Condition: jsonata(`$chunkAttempts = 0 and $not(${outOfTime})`), Next: 'DeleteChunk' },
          { Condition: jsonata(`$count($chunkKeys) > 0 and ${onlyOnce}`), Next: 'LeaveBehind' },
          {
            Condition: jsonata(
              `$count($chunkKeys) > 0 and $chunkAttempts < ${options.deleteAttempts} and $not(${outOfTime})`,
            ),
            Next: 'WaitForCapacity',
          },
        ],
        Default: 'ChunkDeleted',
      },
      LeaveBehind: {
        Type: 'Pass',
        Assign: {
          chunkLeftBehind: jsonata('$count($chunkKeys)'),
          chunkKeys: [],
          // The attempt that a later look makes, as a chunk of its own.
          chunkAttempts: jsonata('$chunkAttempts + 1'),
        },
        Next: 'ChunkDeleted',
      },
      WaitForCapacity: {
        Type: 'Wait',
        Timestamp: backoffTimestamp('$chunkAttempts', options),
        Next: 'DeleteChunk',
      },
      ChunkDeleted: {
        Type: 'Pass',
        Output: {
          ...Object.fromEntries(
            Object.entries(ANSWERS).map(([answer, variable]) => [answer, jsonata(`$${variable}`)]),
          ),
          retries: jsonata('$max([0, $chunkAttempts - 1])'),
          leftBehind: jsonata('$chunkLeftBehind'),
          failed: jsonata('$chunkFailed'),
          unprocessed: jsonata('$chunkKeys'),
          lagCounts: jsonata('$chunkLagCounts'),
          lagMaxMs: jsonata('$chunkLagMaxMs'),
        },
        End: true,
      },
    },
  };
}
