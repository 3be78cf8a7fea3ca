import { BACKFILL_INCOMPLETE, type BackfillTaskName, SEGMENTS_AT_ONCE } from './backfill-contract.ts';
import { BACKFILL_FATE_NAMES, REFUSAL_NAMES } from './backfill-counts.ts';
import { PATIENT_RETRY } from './patient-retry.ts';
import { invokeTask, jsonata, route } from './states.ts';

/** ARNs of the backfill's functions, or Terraform references to them. */
export type BackfillFunctionArns = Readonly<Record<BackfillTaskName, string>>;

/**
 * The backfill as Amazon States Language: it gives every item that is in the table the window of its TTL.
 *
 * 1. PlanBackfill checks the input and cuts the table into segments.
 * 2. BackfillSegments runs a child for each, some at once. BackfillSegment reads a page, writes what is to be written, and says
 *    where it is; the child calls it again from there. A call that fails is repeated from where it began, and finds what it
 *    has written to be right already.
 * 3. The children's counts are added up. Nothing left: BackfillCompleted; else BackfillIncomplete, and the next execution does
 *    what is left.
 *
 * The children are Standard executions: a call takes up to a minute, so a transition is cheap, and a segment may take longer
 * than the five minutes of an Express one.
 *
 * @param partition AWS's, or a Terraform reference to it
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
        // One segment's trouble must not stop the others; it fails the execution at its end.
        ToleratedFailurePercentage: 100,
        ItemProcessor: segmentDefinition(functions, partition),
        Output: {
          dryRun: jsonata('$states.input.dryRun'),
          segments: jsonata('$count($states.input.segments)'),
          // It counts all children that were started: one that crashed may leave nothing in the result.
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
        // The counts so far must not be lost with it.
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

/** The array holds one result, or none, together: a sequence of one is its element, and one of none is undefined. */
function sum(path: string): string {
  return jsonata(`$sum([$states.result.counts.${path}])`);
}

function sums(names: readonly string[], path: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map(name => [name, sum(`${path}${name}`)]));
}
