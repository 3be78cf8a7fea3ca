import { CHILD_PROGRESS_CHARACTERS, LAST_STEP_SECONDS } from './contract/limits.ts';
import { type FunctionArns, REFUSED, TRANSIENT_ERRORS } from './contract/machines.ts';
import { CAUGHT_ERROR, catchAnything, invokeTask, jsonata, route } from './states.ts';

const CHUNKS_AT_ONCE = 40;

/** Makes the states of a child. No state may fail: in a tick, a failure would end the Map state that runs this child and others. */
export function childStates(functions: FunctionArns, { partition }: { readonly partition: string }) {
  return {
    StartAt: 'BeginShard',
    States: {
      // A Pass state has no Catch, so its expressions accept any value.
      BeginShard: {
        Type: 'Pass',
        Assign: {
          settings: jsonata('$states.input.settings'),
          table: jsonata("$type($states.input.start.table) = 'string' ? $states.input.start.table : ''"),
          sweep: jsonata('$exists($states.input.start.sweep) ? $states.input.start.sweep : null'),
        },
        Output: jsonata(CHECKED_START),
        Next: 'NextStep?',
      },
      'NextStep?': {
        Type: 'Choice',
        Choices: [
          {
            Condition: jsonata(
              `${millisOfAge('$toMillis($states.context.State.EnteredTime)')} > ${LAST_STEP_MS}`,
            ),
            Output: { result: interruptedResult("'ChildOutOfTime'") },
            Next: 'ShardSwept',
          },
          route('wait', 'WaitForNextExpiry'),
          route('query', 'QueryExpired'),
          route('delete', 'DeleteChunks'),
        ],
        Default: 'ShardSwept',
      },
      WaitForNextExpiry: {
        Type: 'Wait',
        Timestamp: jsonata('$states.input.until'),
        Output: jsonata("$merge([$states.input, {'next': 'query'}])"),
        Next: 'NextStep?',
      },
      QueryExpired: {
        ...invokeTask(functions.QueryExpired, partition, {
          sweep: jsonata('$sweep'),
          progress: jsonata('$states.input.progress'),
          results: jsonata('$states.input.results'),
          startedAt: jsonata('$states.context.Execution.StartTime'),
          now: jsonata('$states.context.State.EnteredTime'),
          settings: jsonata('$settings'),
        }),
        TimeoutSeconds: jsonata('$states.input.timeoutSeconds'),
        Retry: SHORT_RETRY,
        Output: jsonata(CHECKED_STEP),
        Catch: catchAnything({ result: interruptedResult(CAUGHT_ERROR) }, 'ShardSwept'),
        Next: 'NextStep?',
      },
      DeleteChunks: {
        Type: 'Map',
        Items: jsonata('$states.input.chunks'),
        MaxConcurrency: CHUNKS_AT_ONCE,
        ItemProcessor: {
          ProcessorConfig: { Mode: 'INLINE' },
          StartAt: 'AnyUnprocessed?',
          States: {
            'AnyUnprocessed?': {
              Type: 'Choice',
              Choices: [
                {
                  Condition: jsonata(
                    `$states.context.State.EnteredTime >= $states.input.deadline or ${millisOfAge('$toMillis($states.context.State.EnteredTime)')} > ${LAST_STEP_MS}`,
                  ),
                  Next: 'ChunkDeleted',
                },
                route('wait', 'WaitForCapacity'),
                route('delete', 'DeleteChunk'),
              ],
              Default: 'ChunkDeleted',
            },
            WaitForCapacity: {
              Type: 'Wait',
              // A Wait state accepts fewer formats of a time than `$toMillis`, so `$fromMillis` writes the time in an accepted format.
              Timestamp: jsonata('$fromMillis($toMillis($states.input.until))'),
              Next: 'DeleteChunk',
            },
            DeleteChunk: {
              ...invokeTask(functions.DeleteChunk, partition, {
                chunk: jsonata('$states.input'),
                now: jsonata('$states.context.State.EnteredTime'),
                settings: jsonata('$settings'),
              }),
              TimeoutSeconds: jsonata('$states.input.timeoutSeconds'),
              // Only a call that Lambda refused is repeated here. After another transient error, QueryExpired queries the keys again.
              Retry: [{ ErrorEquals: [REFUSED], MaxAttempts: 3, ...SHORT_BACKOFF }],
              Output: jsonata(CHECKED_CHUNK),
              Catch: catchAnything(
                jsonata(`$merge([$states.input, {'error': ${CAUGHT_ERROR}}])`),
                'ChunkDeleted',
              ),
              Next: 'AnyUnprocessed?',
            },
            ChunkDeleted: { Type: 'Pass', End: true },
          },
        },
        Output: {
          next: 'query',
          timeoutSeconds: jsonata('$states.input.timeoutSeconds'),
          results: jsonata('[$states.result]'),
          progress: jsonata('$states.input.progress'),
        },
        Catch: catchAnything({ result: interruptedResult(CAUGHT_ERROR) }, 'ShardSwept'),
        Next: 'NextStep?',
      },
      ShardSwept: { Type: 'Succeed', Output: jsonata(BOUNDED_RESULT) },
    },
  };
}

const LAST_STEP_MS = LAST_STEP_SECONDS * 1000;

function millisOfAge(atMs: string): string {
  return `${atMs} - $toMillis($states.context.Execution.StartTime)`;
}

const CHECKED_START = oneLine(`(
  $start := $states.input.start;
  $isTime := $type($start.until) = 'string' ? $contains($start.until,
    /^20[0-9][0-9]-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/) : false;
  $until := $isTime ? $toMillis($start.until) : 0;
  $waits := $start.next = 'wait' and $isTime and ${millisOfAge('$until')} < ${LAST_STEP_MS};
  $type($start.sweep) = 'object' and $type($start.timeoutSeconds) = 'number' and ($waits or $start.next = 'query')
    ? {'next': $start.next, 'until': $waits ? $fromMillis($until) : null, 'timeoutSeconds': $start.timeoutSeconds,
        'results': [], 'progress': null}
    : {'next': 'end', 'progress': null, 'result': {'interruptedBy': 'InvalidStart', 'progress': null}}
)`);

const CHECKED_STEP = oneLine(`(
  $step := $states.result.Payload;
  $assert($step.next in ['wait', 'query', 'delete', 'end'], 'next');
  $assert($type($step.progress) = 'object' and $length($string($step.progress)) <= ${CHILD_PROGRESS_CHARACTERS}, 'progress');
  $assert($step.next != 'end' or $type($step.result.found) = 'number', 'result');
  $assert($type($step.timeoutSeconds) = 'number', 'timeoutSeconds');
  $assert($type($step.chunks) = 'array', 'chunks');
  $assert($count($step.chunks[next = 'wait'][${millisOfAge('$toMillis(until)')} >= ${LAST_STEP_MS}]) = 0, 'chunks');
  $waits := $step.next = 'wait';
  $until := $waits ? $toMillis($step.until) : 0;
  $assert($not($waits) or ${millisOfAge('$until')} < ${LAST_STEP_MS}, 'until');
  $merge([$step, {'until': $waits ? $fromMillis($until) : null, 'results': []}])
)`);

const CHECKED_CHUNK = oneLine(`(
  $chunk := $states.result.Payload;
  $assert($chunk.next in ['wait', 'delete', 'done'], 'next');
  $assert($chunk.deadline <= $states.input.deadline, 'deadline');
  $assert($type($chunk.timeoutSeconds) = 'number', 'timeoutSeconds');
  $assert($chunk.next != 'wait' or ${millisOfAge('$toMillis($chunk.until)')} < ${LAST_STEP_MS}, 'until');
  $chunk
)`);

/** The child's result, or `ResultTooLarge` if it may exceed `resultBytes`: a UTF-16 unit outside ASCII counts as its maximum, 3 bytes. */
const BOUNDED_RESULT = oneLine(`(
  $result := $states.input.result;
  $most := $type($sweep.resultBytes) = 'number' ? $sweep.resultBytes : 400;
  $text := $type($result) = 'object' ? $string($result) : 'null';
  $isLong := $length($text) > $most ? true : $length($replace($text, /[^ -~]/, '---')) > $most;
  $merge([
    $text = 'null' or $isLong ? {'interruptedBy': 'ResultTooLarge', 'progress': null} : $result,
    {'table': $table}
  ])
)`);

function oneLine(expression: string): string {
  return expression.replaceAll(/\s+/g, ' ');
}

const SHORT_BACKOFF = { IntervalSeconds: 1, BackoffRate: 2, MaxDelaySeconds: 2, JitterStrategy: 'FULL' };

/** Retries of QueryExpired. The retries are few, because the child's time is limited, and a call that hangs takes its whole timeout. */
const SHORT_RETRY = [
  { ErrorEquals: [REFUSED], MaxAttempts: 6 },
  { ErrorEquals: TRANSIENT_ERRORS.filter(error => error !== REFUSED), MaxAttempts: 2 },
].map(retry => ({ ...retry, ...SHORT_BACKOFF }));

function interruptedResult(error: string) {
  return { interruptedBy: jsonata(error), progress: jsonata('$states.input.progress') };
}
