import { CHILD_PROGRESS_CHARACTERS, LAST_STEP_SECONDS } from './contract/limits.ts';
import { POLL_TIMEOUT_SECONDS, REFUSED, TRANSIENT_ERRORS } from './contract/machines.ts';
import { CAUGHT_ERROR, type FunctionArns, invokeTask, jsonata, queryTask, route } from './states.ts';

/**
 * The child of SweepShards, for one target of one table: an iteration of the tick's Map, or an Express execution of a replay's distributed
 * Map. QueryExpired decides everything, in `functions/query-expired/next-step.ts`; the state machine carries out its steps and returns
 * their results to it.
 *
 * 1. PlanSweep decides how a child begins: at once, or with a wait until its upcoming minute, whose items it deletes as they expire.
 * 2. QueryExpired reads a page of expired keys and cuts it into chunks (`delete`), or returns a time to wait for (`wait`), or ends the
 *    child, which is done or out of time (`end`). If the index is by second, after a poll that found nothing, it returns the next seconds
 *    (`poll`): each second is one key of the index, whose entries the state machine counts by itself. QueryExpired is called again when an
 *    entry is found, when a query fails, and after the last of these seconds.
 * 3. DeleteChunks deletes the chunks concurrently. A chunk is retried, with backoff, only with its unprocessed keys; during the upcoming
 *    minute it is tried once, so that no other chunk is delayed.
 * 4. The results are passed to the step that QueryExpired has chosen: the next page, the wait before it, or several waits, each followed by
 *    chunks that QueryExpired has planned. The next call adds all results up. When keys are left in a chunk, QueryExpired is called at once
 *    to decide when they are retried, and the rest of the plan is dropped.
 * 5. Back to 2. QueryExpired gets its own `progress` back each time; no state reads it.
 *
 * An execution has 300 seconds. QueryExpired ends a child at an age of MAX_CHILD_SECONDS, returns no wait beyond that, and gives every
 * chunk a deadline, so that running work ends in time. When a task fails permanently the child returns the last progress: the page in
 * flight counts as failed.
 *
 * A failed iteration would end the Map of a tick and with it the sweeps of all other tables. So nothing in here fails: a malformed answer
 * fails the task that gave it, which is caught; expressions of states without a Catch accept any value; and all data that a state keeps
 * while a failure is caught, and that a child returns, has a limited size.
 *
 * @param resultBytes most bytes of a child's result
 */
export function childStates(
  functions: FunctionArns,
  { partition, resultBytes }: { readonly partition: string; readonly resultBytes: number },
) {
  return {
    StartAt: 'BeginShard',
    States: {
      BeginShard: {
        Type: 'Pass',
        Assign: {
          settings: jsonata('$states.input.settings'),
          table: jsonata("$type($states.input.start.table) = 'string' ? $states.input.start.table : ''"),
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
          route('poll', 'WaitForSecond'),
          route('delete', 'DeleteChunks'),
        ],
        Default: 'ShardSwept',
      },
      WaitForNextExpiry: {
        Type: 'Wait',
        Timestamp: jsonata('$states.input.until'),
        Output: jsonata(
          "$merge([$states.input, {'next': $count($states.input.chunks) > 0 ? 'delete' : 'query'}])",
        ),
        Next: 'NextStep?',
      },
      WaitForSecond: {
        Type: 'Wait',
        Timestamp: jsonata('$states.input.until'),
        Next: 'PollSecond',
      },
      PollSecond: {
        ...queryTask(partition, {
          TableName: jsonata('$settings.tableName'),
          IndexName: jsonata('$settings.indexName'),
          KeyConditionExpression: '#ttl = :second',
          ExpressionAttributeNames: { '#ttl': jsonata('$settings.ttlAttribute') },
          ExpressionAttributeValues: { ':second': { N: jsonata('$string($states.input.poll.second)') } },
          Select: 'COUNT',
          Limit: 1,
        }),
        TimeoutSeconds: POLL_TIMEOUT_SECONDS,
        Output: jsonata(POLLED),
        // QueryExpired repeats the query, and judges the error.
        Catch: TOO_LARGE_AND_ALL.map(ErrorEquals => ({
          ErrorEquals,
          Output: jsonata("$merge([$states.input, {'next': 'query'}])"),
          Next: 'NextStep?',
        })),
        Next: 'NextStep?',
      },
      QueryExpired: {
        ...invokeTask(functions.QueryExpired, partition, {
          progress: jsonata('$states.input.progress'),
          results: jsonata('$states.input.results'),
          startedAt: jsonata('$states.context.Execution.StartTime'),
          // Waits use this clock. Expiry is judged by DynamoDB's.
          now: jsonata('$states.context.State.EnteredTime'),
          polledUpTo: jsonata('$exists($states.input.polledUpTo) ? $states.input.polledUpTo : null'),
          settings: jsonata('$settings'),
        }),
        TimeoutSeconds: jsonata('$states.input.timeoutSeconds'),
        Retry: SHORT_RETRY,
        Output: jsonata(CHECKED_STEP),
        Catch: interrupted(),
        Next: 'NextStep?',
      },
      DeleteChunks: {
        Type: 'Map',
        Items: jsonata('$states.input.chunks'),
        MaxConcurrency: jsonata('$settings.chunkConcurrency'),
        ItemProcessor: {
          ProcessorConfig: { Mode: 'INLINE' },
          StartAt: 'AnyUnprocessed?',
          States: {
            'AnyUnprocessed?': {
              Type: 'Choice',
              Choices: [
                {
                  // A chunk waits for its turn in the Map, and for earlier ones that hang.
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
              // The time as CHECKED_STEP and CHECKED_CHUNK have converted it: a Wait accepts fewer formats.
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
              Output: jsonata(CHECKED_CHUNK),
              // It is unknown which keys were deleted before the call failed. QueryExpired decides how they count.
              Catch: TOO_LARGE_AND_ALL.map(ErrorEquals => ({
                ErrorEquals,
                Output: jsonata(`$merge([$states.input, {'error': ${CAUGHT_ERROR}}])`),
                Next: 'ChunkDeleted',
              })),
              Next: 'AnyUnprocessed?',
            },
            ChunkDeleted: { Type: 'Pass', End: true },
          },
        },
        Output: {
          next: jsonata(
            "$count($states.result.keys) > 0 or $count($states.input.upcoming) = 0 ? 'query' : 'wait'",
          ),
          until: jsonata(
            '$count($states.input.upcoming) = 0 ? null : $fromMillis($toMillis($states.input.upcoming[0].until))',
          ),
          chunks: jsonata('[$states.input.upcoming[0].chunks]'),
          upcoming: jsonata('[$filter($states.input.upcoming, function($step, $index) { $index > 0 })]'),
          timeoutSeconds: jsonata('$states.input.timeoutSeconds'),
          results: jsonata('[$states.input.results, $states.result]'),
          progress: jsonata('$states.input.progress'),
        },
        Catch: interrupted(),
        Next: 'NextStep?',
      },
      ShardSwept: { Type: 'Succeed', Output: jsonata(boundedResult(resultBytes)) },
    },
  };
}

const LAST_STEP_MS = LAST_STEP_SECONDS * 1000;

/** The age of the execution at a moment, in milliseconds. */
function millisOfAge(atMs: string): string {
  return `${atMs} - $toMillis($states.context.Execution.StartTime)`;
}

/**
 * The child's input from PlanSweep, if it is well-formed. A Pass has no Catch, so this accepts any value: a time is checked before it is
 * converted, and any other value ends the child.
 */
const CHECKED_START = oneLine(`(
  $start := $states.input.start;
  $isTime := $type($start.until) = 'string' ? $contains($start.until,
    /^20[0-9][0-9]-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/) : false;
  $until := $isTime ? $toMillis($start.until) : 0;
  $waits := $start.next = 'wait' and $isTime and ${millisOfAge('$until')} < ${LAST_STEP_MS};
  $type($start.progress) = 'object' and $type($start.timeoutSeconds) = 'number' and ($waits or $start.next = 'query')
    ? {'next': $start.next, 'until': $waits ? $fromMillis($until) : null, 'timeoutSeconds': $start.timeoutSeconds,
        'results': [], 'progress': $start.progress}
    : {'next': 'end', 'progress': null, 'result': {'interruptedBy': 'InvalidStart', 'progress': null}}
)`);

/**
 * The answer of QueryExpired, if it is well-formed: a Wait and a Choice have no Catch, but the task has one. A wait ends within the time
 * of the execution. Times are passed on in converted form, since a Wait accepts fewer formats.
 */
const CHECKED_STEP = oneLine(`(
  $step := $states.result.Payload;
  $assert($step.next in ['wait', 'query', 'poll', 'delete', 'end'], 'next');
  $assert($type($step.progress) = 'object' and $length($string($step.progress)) <= ${CHILD_PROGRESS_CHARACTERS}, 'progress');
  $assert($step.next != 'end' or $type($step.result.found) = 'number', 'result');
  $assert($type($step.timeoutSeconds) = 'number', 'timeoutSeconds');
  $assert($type($step.chunks) = 'array' and $type($step.upcoming) = 'array', 'chunks');
  $assert($count($step.chunks[next = 'wait'][${millisOfAge('$toMillis(until)')} >= ${LAST_STEP_MS}]) = 0, 'chunks');
  $assert($count($step.upcoming[${millisOfAge('$toMillis(until)')} < ${LAST_STEP_MS}]) = $count($step.upcoming), 'upcoming');
  $polls := $step.next = 'poll';
  $seconds := $polls ? [$step.poll.second, $step.poll.last] : [0, 0];
  $assert($count($seconds[$type($) = 'number' and $ = $floor($)]) = 2 and $seconds[1] - $seconds[0] in [0..${LAST_STEP_SECONDS}], 'poll');
  $waits := $step.next = 'wait' or $polls;
  $until := $waits ? $toMillis($step.until) : 0;
  $assert($not($waits) or ${millisOfAge('$until')} < ${LAST_STEP_MS}, 'until');
  $merge([$step, {'until': $waits ? $fromMillis($until) : null, 'polledUpTo': null}])
)`);

/** The result of a query of one second, for which DynamoDB counts at most one item. */
const POLLED = oneLine(`(
  $isEmpty := $states.result.Count = 0;
  $poll := $states.input.poll;
  $merge([$states.input, $isEmpty ? {
    'next': $poll.second < $poll.last ? 'poll' : 'query',
    'until': $fromMillis($toMillis($states.input.until) + 1000),
    'poll': {'second': $poll.second + 1, 'last': $poll.last},
    'polledUpTo': $poll.second
  } : {'next': 'query'}])
)`);

/** The answer of DeleteChunk, if it is well-formed, like CHECKED_STEP: it returns its chunk with the keys that are left. */
const CHECKED_CHUNK = oneLine(`(
  $chunk := $states.result.Payload;
  $assert($chunk.next in ['wait', 'delete', 'done'], 'next');
  $assert($chunk.deadline = $states.input.deadline, 'deadline');
  $assert($type($chunk.timeoutSeconds) = 'number', 'timeoutSeconds');
  $assert($chunk.next != 'wait' or ${millisOfAge('$toMillis($chunk.until)')} < ${LAST_STEP_MS}, 'until');
  $chunk
)`);

/**
 * The result of a child, with its table, limited in size. A Succeed has no Catch, so this accepts any value. A character beyond ASCII takes
 * at most three bytes, and a surrogate pair takes four.
 */
function boundedResult(mostBytes: number): string {
  return oneLine(`(
    $result := $states.input.result;
    $text := $type($result) = 'object' ? $string($result) : 'null';
    $isLong := $length($text) > ${mostBytes} ? true : $length($replace($text, /[^ -~]/, '---')) > ${mostBytes};
    $merge([
      $text = 'null' or $isLong ? {'interruptedBy': 'ResultTooLarge', 'progress': null} : $result,
      {'table': $table}
    ])
  )`);
}

function oneLine(expression: string): string {
  return expression.replaceAll(/\s+/g, ' ');
}

/**
 * Few and short retries, since a child's time is limited: a call that hangs uses its whole timeout each time, one that Lambda refuses
 * takes no time. A busy DynamoDB is no error of QueryExpired, but a reason to wait.
 */
const SHORT_RETRY = [
  { ErrorEquals: [REFUSED], MaxAttempts: 6 },
  { ErrorEquals: TRANSIENT_ERRORS.filter(error => error !== REFUSED), MaxAttempts: 2 },
].map(retry => ({
  ...retry,
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxDelaySeconds: 2,
  JitterStrategy: 'FULL',
}));

/** The errors of a Catch: States.ALL does not include States.DataLimitExceeded, which is an answer or result above 256 KiB. */
export const TOO_LARGE_AND_ALL: readonly string[][] = [['States.DataLimitExceeded'], ['States.ALL']];

function interrupted() {
  return TOO_LARGE_AND_ALL.map(ErrorEquals => ({
    ErrorEquals,
    Output: { result: interruptedResult(CAUGHT_ERROR) },
    Next: 'ShardSwept',
  }));
}

/** The result of an interrupted child: its progress has the counts. */
function interruptedResult(error: string) {
  return { interruptedBy: jsonata(error), progress: jsonata('$states.input.progress') };
}
