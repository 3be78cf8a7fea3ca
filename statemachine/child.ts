import { CHILD_PROGRESS_CHARACTERS, LAST_STEP_SECONDS } from './contract/limits.ts';
import { POLL_TIMEOUT_SECONDS, REFUSED, TRANSIENT_ERRORS } from './contract/machines.ts';
import { CAUGHT_ERROR, type FunctionArns, invokeTask, jsonata, queryTask, route } from './states.ts';

/**
 * The child of SweepShards, for one target of one table: an iteration of the tick, or an Express execution of a replay's distributed Map.
 * QueryExpired decides everything, in `functions/query-expired/next-step.ts`; the machine does what it says and comes back to it with what
 * came of it.
 *
 * 1. PlanSweep says how a child begins: at once, or with a wait until its upcoming minute.
 * 2. QueryExpired reads a page of what is expired and cuts it into chunks (`delete`), or says until when there is nothing to do (`wait`),
 *    or that the child is done or out of time (`end`). By second, where it has just found nothing, it says which seconds are next (`poll`):
 *    each of them has one key of the index, and the machine counts what lies under it by itself. It comes back to QueryExpired when there
 *    is something, when a query fails, and when it has polled the last of them.
 * 3. DeleteChunks deletes the chunks side by side. A chunk is tried again, with backoff, with the keys that came back unprocessed and no
 *    others; while the upcoming minute is on it is tried once, so that nothing else waits for it.
 * 4. What QueryExpired said comes next takes the results along: the next page, the wait before it, or waits after each of which chunks are
 *    deleted that it planned, since it had seen what expires next. The next call adds all of them up. When keys are left in a chunk
 *    QueryExpired is called at once, to say how long these wait, and what was planned is left.
 * 5. Back to 2. QueryExpired carries its `progress` through all this; nothing here looks into it.
 *
 * An execution has 300 seconds. QueryExpired ends a child at an age of MAX_CHILD_SECONDS, says no wait beyond that, and gives every chunk a
 * deadline, so that what is under way then ends in time. When a task fails for good the child hands back the progress as it is: the page in
 * flight counts as failed.
 *
 * An iteration that fails would end the Map of a tick and with it the sweeps of all other tables. So nothing in here fails: an answer that
 * the states cannot go on with fails the task that gave it, which is caught; expressions of states without a Catch take any value; and what
 * stays in the state while a failure is caught, and what a child hands back, has a bounded size.
 *
 * @param resultBytes most bytes of what a child hands back
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
        // QueryExpired asks again, and judges what is wrong.
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
          // Waits are by this clock. DynamoDB's own says what is expired.
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
                  // A chunk waits for its turn in the Map, and for those before it that hang.
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
              // As CHECKED_STEP and CHECKED_CHUNK have read it: a Wait takes fewer ways to write a time.
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
              // Which keys were deleted before the call failed is not known. QueryExpired decides what it was worth.
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

/** How old the execution is at a moment, milliseconds. */
function millisOfAge(atMs: string): string {
  return `${atMs} - $toMillis($states.context.Execution.StartTime)`;
}

/**
 * The child's input from PlanSweep, if the states can go on with it. A Pass has no Catch, so this takes any value: a time is checked before
 * it is read, and any other value ends the child.
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
 * The answer of QueryExpired, if the states can go on with it: a Wait and a Choice have no Catch, and the task has one. A wait ends within
 * the time of the execution. A time is handed on as it was read, since a Wait takes fewer ways to write one.
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

/** As CHECKED_STEP, of DeleteChunk's answer: it hands back the chunk that it was given, with what is left of it. */
const CHECKED_CHUNK = oneLine(`(
  $chunk := $states.result.Payload;
  $assert($chunk.next in ['wait', 'delete', 'done'], 'next');
  $assert($chunk.deadline = $states.input.deadline, 'deadline');
  $assert($type($chunk.timeoutSeconds) = 'number', 'timeoutSeconds');
  $assert($chunk.next != 'wait' or ${millisOfAge('$toMillis($chunk.until)')} < ${LAST_STEP_MS}, 'until');
  $chunk
)`);

/**
 * The result of a child, with its table. A Succeed has no Catch. A character beyond ASCII takes at most three bytes, or two of them four.
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
 * Few and short, since a child's time is limited: a call that hangs takes all of its time each time, one that Lambda refuses
 * takes none. A busy DynamoDB is no error of QueryExpired, but a reason to wait.
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

/** States.ALL does not stand for States.DataLimitExceeded: an answer or results above 256 KiB. */
export const TOO_LARGE_AND_ALL: readonly string[][] = [['States.DataLimitExceeded'], ['States.ALL']];

function interrupted() {
  return TOO_LARGE_AND_ALL.map(ErrorEquals => ({
    ErrorEquals,
    Output: { result: interruptedResult(CAUGHT_ERROR) },
    Next: 'ShardSwept',
  }));
}

/** The progress says what the child has come to. */
function interruptedResult(error: string) {
  return { interruptedBy: jsonata(error), progress: jsonata('$states.input.progress') };
}
