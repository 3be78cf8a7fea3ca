import { BACKFILL_INCOMPLETE, type BackfillTaskName, SEGMENTS_AT_ONCE } from './backfill-contract.ts';
import { BACKFILL_FATE_NAMES, REFUSAL_NAMES } from './backfill-counts.ts';
import { PATIENT_RETRY } from './patient-retry.ts';
import { invokeTask, jsonata, route } from './states.ts';

/** ARNs of the backfill's functions, or Terraform references to them. */
export type BackfillFunctionArns = Readonly<Record<BackfillTaskName, string>>;

/**
 * Makes the backfill's definition in Amazon States Language. The backfill gives every item of the table the window of its TTL.
 *
 * 1. PlanBackfill checks the input and cuts the table into segments.
 * 2. BackfillSegments runs a child for each segment, several at once. BackfillSegment reads a page, writes the missing windows, and
 *    returns its position, from which the child calls it again. A failed call is repeated from its start, and skips the windows that it
 *    has written already.
 * 3. The children's counts are added up. If nothing is left, it ends in BackfillCompleted; otherwise in BackfillIncomplete, and the next
 *    execution does the rest.
 *
 * The children are Standard executions: a call takes up to a minute, so transitions cost little, and a segment may take longer than the
 * five minutes of an Express one.
 *
 * @param partition AWS's partition, or a Terraform reference to it
 */
export function backfillDefinition(functions: BackfillFunctionArns, partition = 'aws') {
  return {
    Comment:
      'Writes the window of its TTL into every item of a DynamoDB table: plan, scan and stamp, add up.',
    QueryLanguage: 'JSONata',
    StartAt: 'PlanBackfill',
    States: {
      PlanBackfill: {
        ...invokeTask(functions.PlanBackfill, partition, {
          executionInput: jsonata('$states.context.Execution.Input'),
        }),
        Retry: PATIENT_RETRY,
        Output: jsonata('$states.result.Payload'),
        Next: 'BackfillSegments',
      },
      BackfillSegments: {
        Type: 'Map',
        Items: jsonata('$states.input.segments'),
        MaxConcurrency: SEGMENTS_AT_ONCE,
        // A failed segment must not stop the others; it fails the execution at its end.
        ToleratedFailurePercentage: 100,
        ItemProcessor: segmentDefinition(functions, partition),
        Output: {
          dryRun: jsonata('$states.input.dryRun'),
          segments: jsonata('$count($states.input.segments)'),
          // Counts all children that were started: a crashed one may have no result.
          segmentsIncomplete: jsonata('$count($states.input.segments) - $count($states.result[complete])'),
          scanned: sum('scanned'),
          ...sums(BACKFILL_FATE_NAMES, ''),
          refused: sums(REFUSAL_NAMES, 'refused.'),
        },
        Next: 'AllBackfilled?',
      },
      'AllBackfilled?': {
        Type: 'Choice',
        Choices: [
          {
            Condition: jsonata('$states.input.segmentsIncomplete = 0 and $states.input.failed = 0'),
            Next: 'BackfillCompleted',
          },
        ],
        Default: 'BackfillIncomplete',
      },
      BackfillCompleted: { Type: 'Succeed' },
      BackfillIncomplete: {
        Type: 'Fail',
        Error: BACKFILL_INCOMPLETE,
        Cause: jsonata('$string($states.input)'),
      },
    },
  };
}

/** The child of BackfillSegments, for one segment. */
function segmentDefinition(functions: BackfillFunctionArns, partition: string) {
  return {
    ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
    StartAt: 'BackfillSegment',
    States: {
      BackfillSegment: {
        ...invokeTask(functions.BackfillSegment, partition, {
          progress: jsonata('$states.input.progress'),
          retries: jsonata('$states.input.retries'),
        }),
        Retry: PATIENT_RETRY,
        Output: jsonata("$merge([$states.result.Payload, {'retries': $states.context.State.RetryCount}])"),
        // The counts so far must survive the failure.
        Catch: [
          {
            ErrorEquals: ['States.ALL'],
            Output: {
              result: {
                complete: false,
                counts: jsonata('$states.input.progress.counts'),
                interruptedBy: jsonata('$states.errorOutput.Error'),
              },
            },
            Next: 'SegmentEnded',
          },
        ],
        Next: 'SegmentLeft?',
      },
      'SegmentLeft?': {
        Type: 'Choice',
        Choices: [route('scan', 'BackfillSegment')],
        Default: 'SegmentEnded',
      },
      SegmentEnded: { Type: 'Succeed', Output: jsonata('$states.input.result') },
    },
  };
}

/**
 * A sum in JSONata. The outer array makes it work for one result or none: JSONata turns a sequence of one into its element, and an empty
 * one into undefined.
 */
function sum(path: string): string {
  return jsonata(`$sum([$states.result.counts.${path}])`);
}

function sums(names: readonly string[], path: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map(name => [name, sum(`${path}${name}`)]));
}
