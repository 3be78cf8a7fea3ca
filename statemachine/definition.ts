import { childDefinition } from './child.ts';
import { EXECUTION_TIMEOUT_SECONDS, SWEEP_INCOMPLETE } from './contract.ts';
import { PATIENT_RETRY } from './patient-retry.ts';
import { type FunctionArns, invokeTask, jsonata, route } from './states.ts';

/** How much the sweep does at once. Every value has its default in the construct's props. */
export interface ConcurrencyOptions {
  /** Children that look back (one per window and shard) at once; 0 = as many as Step Functions runs. */
  readonly shardConcurrency: number;
  /** Chunks of 25 keys at once within a child. */
  readonly chunkConcurrency: number;
}

/** What the definition is made from, besides the functions. */
export interface DefinitionOptions extends ConcurrencyOptions {
  /** AWS's partition, or a Terraform reference to it: GovCloud and China have their own. @default 'aws' */
  readonly partition?: string;
}

/**
 * The state machine as Amazon States Language (a plain object; `JSON.stringify` makes the definition). The functions
 * decide and add up; the machine routes by `next` and carries `progress` round.
 *
 * 1. PlanSweep says which children there are to start (`sweep`), or that nothing is due (`end`).
 * 2. SweepShards runs them. When they were the last and all are complete, RecordMetrics adds them up and reports.
 * 3. Else PlanFurther adds them up and says what comes next: a further round of what is left (`sweep`), or the report of a
 *    sweep that left something (`recordFailure`).
 *
 * A transition costs money every minute of every month: a tick with nothing to do takes three, and a sweep that left
 * nothing ends with RecordMetrics itself.
 */
export function sweepDefinition(
  functions: FunctionArns,
  { shardConcurrency, chunkConcurrency, partition = 'aws' }: DefinitionOptions,
) {
  const execution = {
    executionInput: jsonata('$states.context.Execution.Input'),
    startedAt: jsonata('$states.context.Execution.StartTime'),
  };
  const planned = {
    Retry: PATIENT_RETRY,
    Output: jsonata("$merge([$states.result.Payload, {'retries': $states.context.State.RetryCount}])"),
  };
  const recordMetrics = {
    ...invokeTask(functions.RecordMetrics, partition, {
      soFar: jsonata('$states.input'),
      startedAt: execution.startedAt,
      endedAt: jsonata('$states.context.State.EnteredTime'),
    }),
    Retry: PATIENT_RETRY,
  };
  /** The round as a whole came to nothing that is known of: without results its children count as failed. */
  const roundFailed = {
    Output: {
      progress: jsonata('$states.input.progress'),
      results: [],
      retries: jsonata('$states.input.retries'),
    },
    Next: 'PlanFurther',
  };
  return {
    Comment: 'Deletes expired DynamoDB items: plan, query, delete, record.',
    QueryLanguage: 'JSONata',
    TimeoutSeconds: EXECUTION_TIMEOUT_SECONDS,
    StartAt: 'PlanSweep',
    States: {
      // A wrong input, or a table that cannot be asked, fails the execution in this state: nothing was swept.
      PlanSweep: {
        ...invokeTask(functions.PlanSweep, partition, { ...execution, soFar: null }),
        ...planned,
        Next: 'AnythingDue?',
      },
      'AnythingDue?': {
        Type: 'Choice',
        Choices: [
          route('sweep', 'SweepShards'),
          route('plan', 'PlanFurther'),
          route('record', 'RecordMetrics'),
          route('recordFailure', 'RecordFailure'),
        ],
        // Nothing was due at all: three transitions, which is what an idle table costs a minute.
        Default: 'SweepCompleted',
      },
      SweepShards: {
        Type: 'Map',
        Items: jsonata('$states.input.due'),
        MaxConcurrency: shardConcurrency,
        // One shard's trouble must not stop the others; a child that fails is counted and fails the sweep at its end.
        ToleratedFailurePercentage: 100,
        ItemProcessor: childDefinition(functions, { chunkConcurrency, partition }),
        Output: {
          // Of all that were started: a child that crashed may leave nothing in the result, AWS is not clear about that.
          next: jsonata(
            "$states.input.last and $count($states.result[complete]) = $count($states.input.due) ? 'record' : 'plan'",
          ),
          progress: jsonata('$states.input.progress'),
          results: jsonata('$states.result'),
          retries: jsonata('$states.input.retries'),
        },
        Catch: [
          // States.ALL does not stand for this one: the results of too many crashed children.
          { ErrorEquals: ['States.DataLimitExceeded'], ...roundFailed },
          { ErrorEquals: ['States.ALL'], ...roundFailed },
        ],
        Next: 'AnythingDue?',
      },
      PlanFurther: {
        ...invokeTask(functions.PlanSweep, partition, { ...execution, soFar: jsonata('$states.input') }),
        ...planned,
        // What was swept before must not be lost with it.
        Catch: [
          {
            ErrorEquals: ['States.ALL'],
            Output: jsonata("$merge([$states.input, {'planFailed': true}])"),
            Next: 'RecordFailure',
          },
        ],
        Next: 'AnythingDue?',
      },
      RecordMetrics: {
        ...recordMetrics,
        Output: jsonata('$states.result.Payload'),
        // The items are deleted: a metric that cannot be recorded must not turn that into a failed sweep.
        Catch: [
          {
            ErrorEquals: ['States.ALL'],
            Output: jsonata("$merge([$states.input, {'recordingFailed': $states.errorOutput.Error}])"),
            Next: 'PlanFurther',
          },
        ],
        End: true,
      },
      RecordFailure: {
        ...recordMetrics,
        Output: { report: jsonata('$states.result.Payload') },
        Catch: [
          {
            ErrorEquals: ['States.ALL'],
            Output: {
              report: jsonata("$merge([$states.input.report, {'notRecorded': $states.errorOutput.Error}])"),
            },
            Next: 'SweepIncomplete',
          },
        ],
        Next: 'SweepIncomplete',
      },
      SweepCompleted: { Type: 'Succeed', Output: jsonata('$states.input.report') },
      SweepIncomplete: {
        Type: 'Fail',
        Error: SWEEP_INCOMPLETE,
        Cause: jsonata('$string($states.input.report)'),
      },
    },
  };
}
