import { chunkDeletion } from './chunk-deletion.ts';
import { LISTED_KEYS } from './contract.ts';
import { failedThatFit, firstThatFit, jsonata, list, orNull, sumBuckets, sumOf } from './jsonata.ts';
import {
  backoffMillis,
  backoffTimestamp,
  CHUNK_COUNTS,
  type DefinitionOptions,
  ERRORS_TO_TRY_AGAIN,
  type FunctionArns,
  invokeTask,
} from './states.ts';

/**
 * A child starts nothing more at this age and leaves the rest to a further child. An Express execution ends at 300
 * seconds; one more wait (30 at most) and one more call (15) fit in before that.
 */
const CHILD_SECONDS = 240;

/** The age of the child execution in milliseconds. */
const CHILD_AGE_MS = '($millis() - $toMillis($states.context.Execution.StartTime))';

const OUT_OF_TIME = `${CHILD_AGE_MS} >= ${CHILD_SECONDS * 1000}`;

const NOT_DONE = '($position != null or $lookAt != null or $leftBehind > 0)';

const CAN_GO_ON = `$count($unprocessed) = 0 and $not(${OUT_OF_TIME})`;

/** A child that got nowhere would hand its target on for ever. A dry run gets on by its position. */
const GOT_ON = '($dryRun ? $found > 0 and $position != null : $deleted > 0)';

/**
 * A span ahead has not come to its end. Until then a chunk is tried once in a look, since waiting for capacity would keep
 * the next second's items waiting too; what it leaves behind is looked for again, from the start of the windows, at
 * growing intervals.
 */
const SPAN_IS_ON = '($target.lookAt != null and $cutoff < $target.before)';

const LEFT_BEHIND = sumOf('$states.result', 'leftBehind');

const UNPROCESSED_AS_FAILED = `$map($unprocessed, function($each) { {'key': $each.key, 'reason': 'Unprocessed'} })`;

/**
 * The child of SweepShards: pages through the windows of one target and deletes what it finds; for a span ahead it
 * waits for the span, and then from expiry to expiry, or until it is time to look again for what was left behind. Its
 * input is `{target, dryRun, listedKeysBytes}`, its output a ShardResult.
 *
 * It keeps its state in variables; `found` counts what QueryExpired gave, everything else what DeleteChunks did.
 */
export function shardSweep(functions: FunctionArns, options: DefinitionOptions) {
  return {
    ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'EXPRESS' },
    StartAt: 'StartShard',
    States: {
      StartShard: {
        Type: 'Pass',
        Assign: {
          target: jsonata('$states.input.target'),
          dryRun: jsonata('$states.input.dryRun'),
          listedKeysBytes: jsonata('$states.input.listedKeysBytes'),
          lookAt: jsonata('$states.input.target.lookAt'),
          position: jsonata(orNull('$states.input.target.position')),
          seen: null,
          leftBehind: 0,
          againAt: 0,
          looksAgain: 0,
          queryAttempts: 0,
          found: 0,
          ...Object.fromEntries(CHUNK_COUNTS.map(name => [name, 0])),
          failed: 0,
          failedKeys: [],
          sampleKeys: [],
          unprocessed: [],
          lagCounts: {},
          lagMaxMs: 0,
          interrupted: false,
        },
        Next: 'SpanAhead?',
      },
      'SpanAhead?': {
        Type: 'Choice',
        Choices: [{ Condition: jsonata('$lookAt != null'), Next: 'WaitForNextExpiry' }],
        Default: 'QueryExpired',
      },
      WaitForNextExpiry: {
        Type: 'Wait',
        Timestamp: jsonata('$fromMillis($lookAt * 1000)'),
        Next: 'QueryExpired',
      },
      // The look after it begins at the start of the windows. It finds again what was left behind, and what failed, which
      // is still there, and counts it then.
      WaitToLookAgain: {
        Type: 'Wait',
        Timestamp: jsonata('$fromMillis($againAt)'),
        Assign: {
          seen: null,
          leftBehind: 0,
          looksAgain: jsonata('$looksAgain + 1'),
          found: jsonata('$found - $failed'),
          failed: 0,
          failedKeys: [],
        },
        Next: 'QueryExpired',
      },
      QueryExpired: {
        ...invokeTask(functions.QueryExpired, options, {
          target: jsonata('$target'),
          dryRun: jsonata('$dryRun'),
          // What is expired is what is expired now, when the look begins: the function has no clock of its own.
          now: jsonata('$states.context.State.EnteredTime'),
          position: jsonata('$position'),
          seen: jsonata('$seen'),
        }),
        Assign: {
          queryAttempts: 0,
          interrupted: false,
          cutoff: jsonata('$states.result.Payload.cutoff'),
          position: jsonata('$states.result.Payload.position'),
          lookAt: jsonata('$states.result.Payload.lookAt'),
          seen: jsonata('$states.result.Payload.position = null ? $states.result.Payload.cutoff : $seen'),
          found: jsonata('$found + $states.result.Payload.found'),
          sampleKeys: jsonata(
            firstThatFit(
              '$append($sampleKeys, $states.result.Payload.sampleKeys)',
              LISTED_KEYS,
              '$listedKeysBytes',
            ),
          ),
        },
        Output: { chunks: jsonata('$states.result.Payload.chunks') },
        Catch: [
          {
            ErrorEquals: ERRORS_TO_TRY_AGAIN,
            Assign: { queryAttempts: jsonata('$queryAttempts + 1'), interrupted: true },
            Next: 'TimeToTryAgain?',
          },
          { ErrorEquals: ['States.ALL'], Assign: { interrupted: true }, Next: 'ShardSwept' },
        ],
        Next: 'DeleteChunks',
      },
      'TimeToTryAgain?': {
        Type: 'Choice',
        Choices: [
          { Condition: jsonata(`$not(${OUT_OF_TIME})`), Next: 'WaitForIndex' },
          { Condition: jsonata(GOT_ON), Next: 'ResumeShard' },
        ],
        Default: 'ShardSwept',
      },
      WaitForIndex: {
        Type: 'Wait',
        Timestamp: backoffTimestamp('$queryAttempts', options),
        Next: 'QueryExpired',
      },
      DeleteChunks: {
        Type: 'Map',
        Items: jsonata('$states.input.chunks'),
        MaxConcurrency: options.chunkConcurrency,
        ItemProcessor: chunkDeletion(functions, options, { outOfTime: OUT_OF_TIME, onlyOnce: SPAN_IS_ON }),
        Assign: {
          ...Object.fromEntries(
            CHUNK_COUNTS.map(name => [name, jsonata(`$${name} + ${sumOf('$states.result', name)}`)]),
          ),
          found: jsonata(`$found - ${LEFT_BEHIND}`),
          leftBehind: jsonata(`$leftBehind + ${LEFT_BEHIND}`),
          againAt: jsonata(`$leftBehind > 0 ? $againAt : ${backoffMillis('($looksAgain + 1)', options)}`),
          failed: jsonata(`$failed + $count(${list('$states.result.failed')})`),
          failedKeys: jsonata(
            failedThatFit('$append($failedKeys, $states.result.failed)', LISTED_KEYS, '$listedKeysBytes'),
          ),
          unprocessed: jsonata(list('$states.result.unprocessed')),
          lagCounts: jsonata(sumBuckets(`{'lagCounts': $lagCounts}, $states.result`, 'lagCounts')),
          lagMaxMs: jsonata('$max([$lagMaxMs, $states.result.lagMaxMs])'),
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
              `${GOT_ON} and ($count($unprocessed) > 0 or (${NOT_DONE} and ${OUT_OF_TIME}))`,
            ),
            Next: 'ResumeShard',
          },
          { Condition: jsonata(`$position != null and ${CAN_GO_ON}`), Next: 'QueryExpired' },
          {
            Condition: jsonata(
              `$leftBehind > 0 and ($lookAt = null or $againAt <= $lookAt * 1000) and ${CAN_GO_ON}`,
            ),
            Next: 'WaitToLookAgain',
          },
          { Condition: jsonata(`$lookAt != null and ${CAN_GO_ON}`), Next: 'WaitForNextExpiry' },
        ],
        Default: 'ShardSwept',
      },
      // The next child finds again what failed or was left unprocessed here, and counts it then.
      ResumeShard: {
        Type: 'Pass',
        Output: shardResult({
          found: '$dryRun ? $found : $deleted + $renewed + $alreadyGone',
          failed: '0',
          failedKeys: '[]',
          resume: "$dryRun ? $merge([$target, {'position': $position}]) : $target",
          interrupted: 'false',
        }),
        End: true,
      },
      ShardSwept: {
        Type: 'Pass',
        Output: shardResult({
          found: '$found',
          failed: '$failed + $count($unprocessed)',
          // Left early, whatever the reason: the sweep must not pass for complete.
          interrupted: `$interrupted or ${NOT_DONE}`,
          failedKeys: failedThatFit(
            `$append($failedKeys, ${UNPROCESSED_AS_FAILED})`,
            LISTED_KEYS,
            '$listedKeysBytes',
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
    lagCounts: jsonata('$lagCounts'),
    lagMaxMs: jsonata('$lagMaxMs'),
    sampleKeys: jsonata('$sampleKeys'),
  };
}
