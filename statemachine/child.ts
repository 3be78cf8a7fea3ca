import { REFUSED, TRANSIENT_ERRORS } from './contract.ts';
import { type FunctionArns, invokeTask, jsonata, route } from './states.ts';

/**
 * The child of SweepShards, an Express execution for one target. QueryExpired decides everything, in
 * `functions/query-expired/next-step.ts`; the machine does what it says and comes back to it with what came of it.
 *
 * 1. PlanSweep says how a child begins: at once, or with a wait until its upcoming minute.
 * 2. QueryExpired reads a page of what is expired and cuts it into chunks (`delete`), or says until when there is nothing
 *    to do (`wait`), or that the child is done or out of time (`end`).
 * 3. DeleteChunks deletes the chunks side by side. A chunk is tried again, with backoff, with the keys that came back
 *    unprocessed and no others; while the upcoming minute is on it is tried once, so that nothing else waits for it.
 * 4. What QueryExpired said comes next, a wait or the next page, takes the results along: the next call adds them up.
 *    When keys are left in a chunk QueryExpired is called at once, to say how long these wait.
 * 5. Back to 2. QueryExpired carries its `progress` through all this; nothing here looks into it.
 *
 * A child has 300 seconds. QueryExpired ends it at an age of MAX_CHILD_SECONDS, says no wait beyond that, and gives every
 * chunk a deadline, so that what is under way then ends in time. When a task fails for good the child hands back the
 * progress as it is: the page in flight counts as failed.
 *
 * @param chunkConcurrency chunks at once, 1 to 40
 */
export function childDefinition(
  functions: FunctionArns,
  { chunkConcurrency, partition }: { readonly chunkConcurrency: number; readonly partition: string },
) {
  return {
    ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'EXPRESS' },
    StartAt: 'NextStep?',
    States: {
      'NextStep?': {
        Type: 'Choice',
        Choices: [
          route('wait', 'WaitForNextExpiry'),
          route('query', 'QueryExpired'),
          route('delete', 'DeleteChunks'),
        ],
        Default: 'ShardSwept',
      },
      WaitForNextExpiry: {
        Type: 'Wait',
        Timestamp: jsonata('$states.input.until'),
        Next: 'QueryExpired',
      },
      QueryExpired: {
        ...invokeTask(functions.QueryExpired, partition, {
          progress: jsonata('$states.input.progress'),
          results: jsonata('$states.input.results'),
          startedAt: jsonata('$states.context.Execution.StartTime'),
          // Waits are by this clock. DynamoDB's own says what is expired.
          now: jsonata('$states.context.State.EnteredTime'),
        }),
        TimeoutSeconds: jsonata('$states.input.timeoutSeconds'),
        Retry: SHORT_RETRY,
        Output: jsonata('$states.result.Payload'),
        Catch: interrupted(),
        Next: 'NextStep?',
      },
      DeleteChunks: {
        Type: 'Map',
        Items: jsonata('$states.input.chunks'),
        MaxConcurrency: chunkConcurrency,
        ItemProcessor: {
          ProcessorConfig: { Mode: 'INLINE' },
          StartAt: 'AnyUnprocessed?',
          States: {
            'AnyUnprocessed?': {
              Type: 'Choice',
              Choices: [
                {
                  // A chunk waits for its turn in the Map, and for those before it that hang.
                  Condition: jsonata('$states.context.State.EnteredTime >= $states.input.deadline'),
                  Next: 'ChunkDeleted',
                },
                route('wait', 'WaitForCapacity'),
                route('delete', 'DeleteChunk'),
              ],
              Default: 'ChunkDeleted',
            },
            WaitForCapacity: {
              Type: 'Wait',
              Timestamp: jsonata('$states.input.until'),
              Next: 'DeleteChunk',
            },
            DeleteChunk: {
              ...invokeTask(functions.DeleteChunk, partition, {
                chunk: jsonata('$states.input'),
                now: jsonata('$states.context.State.EnteredTime'),
              }),
              TimeoutSeconds: jsonata('$states.input.timeoutSeconds'),
              Output: jsonata('$states.result.Payload'),
              // Which keys were deleted before the call failed is not known. QueryExpired decides what it was worth.
              Catch: [
                {
                  ErrorEquals: ['States.ALL'],
                  Output: jsonata("$merge([$states.input, {'error': $states.errorOutput.Error}])"),
                  Next: 'ChunkDeleted',
                },
              ],
              Next: 'AnyUnprocessed?',
            },
            ChunkDeleted: { Type: 'Pass', End: true },
          },
        },
        Output: {
          next: jsonata("$count($states.result.keys) > 0 ? 'query' : $states.input.afterwards"),
          until: jsonata('$states.input.until'),
          timeoutSeconds: jsonata('$states.input.timeoutSeconds'),
          results: jsonata('$states.result'),
          progress: jsonata('$states.input.progress'),
        },
        Catch: interrupted(),
        Next: 'NextStep?',
      },
      ShardSwept: { Type: 'Succeed', Output: jsonata('$states.input.result') },
    },
  };
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
function interrupted() {
  return [['States.DataLimitExceeded'], ['States.ALL']].map(ErrorEquals => ({
    ErrorEquals,
    Output: {
      result: {
        interruptedBy: jsonata('$states.errorOutput.Error'),
        progress: jsonata('$states.input.progress'),
      },
    },
    Next: 'ShardSwept',
  }));
}
