import { childStates, TOO_LARGE_AND_ALL } from './child.ts';
import type { CarriedSettings } from './contract/inputs.ts';
import { CAUSE_BYTES, CHILD_RESULT_BYTES, MAX_AFTER_SECONDS, TICK_TARGETS } from './contract/limits.ts';
import {
  EXECUTION_TIMEOUT_SECONDS,
  type MachineName,
  SWEEP_INCOMPLETE,
  TICK_TIMEOUT_SECONDS,
} from './contract/machines.ts';
import { PATIENT_RETRY } from './patient-retry.ts';
import { CAUGHT_ERROR, type FunctionArns, invokeTask, jsonata, route, startExecutionTask } from './states.ts';

/** Options of both definitions, in addition to the functions. */
export interface DefinitionOptions {
  /** The settings of all tables of the deployment. They are part of the definition, so that they never change during an execution. */
  readonly tables: readonly CarriedSettings[];
  /** AWS's partition, or a Terraform reference to it: GovCloud and China have their own. @default 'aws' */
  readonly partition?: string;
}

export interface TickOptions extends DefinitionOptions {
  /** ARN of the replay machine. */
  readonly replayArn: string;
}

/**
 * Makes the tick's definition in Amazon States Language (a plain object, for `JSON.stringify`). The tick is an Express execution that
 * sweeps all tables in one round. The functions decide and add up; the state machine routes by `next` and passes `sweeps` on.
 *
 * 1. PlanSweep probes every table. If nothing is due, the tick ends.
 * 2. Targets beyond 40 go to further executions of the tick, which begin at 3. An execution that only waits for the upcoming minute is
 *    started shortly before it.
 * 3. SweepShards sweeps the targets, each as defined in `child.ts`.
 * 4. RecordMetrics adds up and reports, including tables that could not be planned. Targets that are left are handed over to the replay
 *    machine.
 */
export function tickDefinition(
  functions: FunctionArns,
  { tables, replayArn, partition = 'aws' }: TickOptions,
) {
  const states = sweepStates(functions, { machine: 'tick', tables, partition });
  const swept = (results: unknown) => ({
    sweeps: jsonata('$states.input.sweeps'),
    results,
    failedParts: jsonata('[$states.input.failedParts]'),
    retries: 0,
  });
  return {
    Comment: 'Deletes expired DynamoDB items of all tables, once a minute: plan, query, delete, record.',
    QueryLanguage: 'JSONata',
    TimeoutSeconds: TICK_TIMEOUT_SECONDS,
    StartAt: 'Part?',
    States: {
      'Part?': {
        Type: 'Choice',
        Choices: [{ Condition: jsonata('$exists($states.input.due)'), Next: 'SweepShards' }],
        Default: 'PlanSweep',
      },
      PlanSweep: { ...states.planSweep, Retry: SHORT_PATIENCE, Next: 'AnythingDue?' },
      'AnythingDue?': {
        Type: 'Choice',
        Choices: [
          {
            Condition: jsonata("$states.input.next = 'sweep' and $count($states.input.parts) > 0"),
            Next: 'StartParts',
          },
          route('sweep', 'SweepShards'),
          route('record', 'RecordMetrics'),
        ],
        Default: 'SweepCompleted',
      },
      StartParts: {
        Type: 'Map',
        Items: jsonata("[$states.input.parts[$type($) = 'object']]"),
        MaxConcurrency: TICK_TARGETS,
        ItemProcessor: {
          ProcessorConfig: { Mode: 'INLINE' },
          StartAt: 'WaitForStart',
          States: {
            WaitForStart: {
              Type: 'Wait',
              // A Wait has no Catch, so this accepts any value.
              Seconds: jsonata(
                `$states.input.afterSeconds in [0..${MAX_AFTER_SECONDS}] ? $states.input.afterSeconds : 0`,
              ),
              Next: 'StartPart',
            },
            StartPart: {
              ...startExecutionTask(partition, {
                StateMachineArn: jsonata('$states.context.StateMachine.Id'),
                Input: jsonata('$states.input'),
              }),
              Retry: SHORT_PATIENCE,
              Output: { started: true },
              // The part's targets are not swept now, which RecordMetrics reports.
              Catch: [
                { ErrorEquals: ['States.ALL'], Output: jsonata('$states.input'), Next: 'PartNotStarted' },
              ],
              End: true,
            },
            PartNotStarted: { Type: 'Pass', End: true },
          },
        },
        Output: {
          due: jsonata('$states.input.due'),
          sweeps: jsonata('$states.input.sweeps'),
          failedParts: jsonata('[$states.result[$exists(sweeps)]]'),
        },
        Next: 'SweepShards',
      },
      SweepShards: {
        ...states.sweepShards,
        MaxConcurrency: TICK_TARGETS,
        ItemProcessor: { ProcessorConfig: { Mode: 'INLINE' }, ...states.child },
        Output: swept(jsonata('$states.result')),
        // No results are known: without them all targets count as failed.
        Catch: TOO_LARGE_AND_ALL.map(ErrorEquals => ({
          ErrorEquals,
          Output: swept([]),
          Next: 'RecordMetrics',
        })),
        Next: 'RecordMetrics',
      },
      RecordMetrics: {
        ...states.recordMetrics,
        Retry: SHORT_PATIENCE,
        Output: jsonata(CHECKED_RECORD),
        // The next tick finds the work that was to be handed over. Only this state reports that nothing was recorded.
        Catch: [
          {
            ErrorEquals: ['States.ALL'],
            Output: { tables: {}, notRecorded: jsonata(CAUGHT_ERROR) },
            Next: 'SweepIncomplete',
          },
        ],
        Next: 'AnythingLeft?',
      },
      'AnythingLeft?': {
        Type: 'Choice',
        Choices: [
          { Condition: jsonata('$count($states.input.handOvers) > 0'), Next: 'HandOver' },
          { Condition: jsonata('$states.input.complete'), Next: 'SweepCompleted' },
        ],
        Default: 'SweepIncomplete',
      },
      HandOver: {
        Type: 'Map',
        Items: jsonata('$states.input.handOvers'),
        MaxConcurrency: TICK_TARGETS,
        ItemProcessor: {
          ProcessorConfig: { Mode: 'INLINE' },
          StartAt: 'StartReplay',
          States: {
            StartReplay: {
              ...startExecutionTask(partition, {
                StateMachineArn: replayArn,
                Name: jsonata('$states.input.name'),
                Input: jsonata('$states.input.input'),
              }),
              Retry: SHORT_PATIENCE,
              Output: { started: true },
              Catch: [
                {
                  ErrorEquals: ['States.ALL'],
                  Output: { notStarted: jsonata(CAUGHT_ERROR) },
                  Next: 'ReplayNotStarted',
                },
              ],
              End: true,
            },
            ReplayNotStarted: { Type: 'Pass', End: true },
          },
        },
        Output: jsonata(
          "$merge([$states.input, {'handOvers': [], 'complete': $states.input.complete and $count($states.result[$exists(notStarted)]) = 0}])",
        ),
        Next: 'AnythingLeft?',
      },
      SweepCompleted: {
        Type: 'Succeed',
        Output: jsonata(
          "$exists($states.input.tables) ? {'tables': $states.input.tables, 'moreTables': $states.input.moreTables} : {'tables': {}}",
        ),
      },
      SweepIncomplete: {
        Type: 'Fail',
        Error: SWEEP_INCOMPLETE,
        // CHECKED_RECORD has limited its length.
        Cause: jsonata('$string($states.input)'),
      },
    },
  };
}

/**
 * Makes the replay machine's definition. It is a Standard execution that sweeps a span of one table, for a person or for a tick that could
 * not finish it.
 *
 * 1. PlanSweep returns the children to start (`sweep`), or that nothing is due (`end`).
 * 2. SweepShards runs them. If they were the last and all are complete, RecordMetrics adds them up and reports.
 * 3. Otherwise PlanFurther adds them up and decides the next step: a further round for the remaining targets (`sweep`), or the report of
 *    an incomplete sweep (`recordFailure`).
 */
export function replayDefinition(functions: FunctionArns, { tables, partition = 'aws' }: DefinitionOptions) {
  const states = sweepStates(functions, { machine: 'replay', tables, partition });
  /** The state after a failed round: without results its children count as failed. */
  const roundFailed = {
    Output: {
      sweeps: jsonata('$states.input.sweeps'),
      results: [],
      retries: jsonata('$states.input.retries'),
    },
    Next: 'PlanFurther',
  };
  return {
    Comment: 'Deletes expired DynamoDB items of a span of time of one table: plan, query, delete, record.',
    QueryLanguage: 'JSONata',
    TimeoutSeconds: EXECUTION_TIMEOUT_SECONDS,
    StartAt: 'PlanSweep',
    States: {
      // A wrong input, or a table that cannot be probed, fails the execution in this state: nothing was swept.
      PlanSweep: { ...states.planSweep, Retry: PATIENT_RETRY, Next: 'AnythingDue?' },
      'AnythingDue?': {
        Type: 'Choice',
        Choices: [
          route('sweep', 'SweepShards'),
          route('plan', 'PlanFurther'),
          route('record', 'RecordMetrics'),
          route('recordFailure', 'RecordFailure'),
        ],
        Default: 'SweepCompleted',
      },
      SweepShards: {
        ...states.sweepShards,
        MaxConcurrency: jsonata('$states.input.sweeps.*.settings.shardConcurrency'),
        // A failed child must not stop the others; it is counted, and fails the sweep at its end.
        ToleratedFailurePercentage: 100,
        ItemProcessor: {
          ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'EXPRESS' },
          ...states.child,
        },
        Output: {
          // Counts all children that were started: a crashed child may have no result, which AWS does not document clearly.
          next: jsonata(
            "$states.input.last and $count($states.result[complete]) = $count($states.input.due) ? 'record' : 'plan'",
          ),
          sweeps: jsonata('$states.input.sweeps'),
          results: jsonata('$states.result'),
          retries: jsonata('$states.input.retries'),
        },
        Catch: TOO_LARGE_AND_ALL.map(ErrorEquals => ({ ErrorEquals, ...roundFailed })),
        Next: 'AnythingDue?',
      },
      PlanFurther: {
        ...states.planFurther,
        Retry: PATIENT_RETRY,
        // The results so far must survive the failure.
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
        ...states.recordMetrics,
        Retry: PATIENT_RETRY,
        Output: jsonata('$states.result.Payload.tables.*'),
        // The items are deleted: if a metric cannot be recorded, the sweep must not fail for that.
        Catch: [
          {
            ErrorEquals: ['States.ALL'],
            Output: jsonata(`$merge([$states.input, {'recordingFailed': ${CAUGHT_ERROR}}])`),
            Next: 'PlanFurther',
          },
        ],
        End: true,
      },
      RecordFailure: {
        ...states.recordMetrics,
        Retry: PATIENT_RETRY,
        Output: { report: jsonata('$states.result.Payload.tables.*') },
        Catch: [
          {
            ErrorEquals: ['States.ALL'],
            Output: {
              report: jsonata(`$merge([$states.input.report, {'notRecorded': ${CAUGHT_ERROR}}])`),
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

interface StatesOptions extends Required<DefinitionOptions> {
  readonly machine: MachineName;
}

/** Makes the states that both machines share. */
function sweepStates(functions: FunctionArns, { machine, tables, partition }: StatesOptions) {
  const execution = {
    machine,
    executionInput: jsonata('$states.context.Execution.Input'),
    execution: jsonata('$states.context.Execution.Name'),
    startedAt: jsonata('$states.context.Execution.StartTime'),
  };
  const plan = (soFar: string | null) => ({
    ...invokeTask(functions.PlanSweep, partition, { ...execution, tables, soFar }),
    Output: jsonata("$merge([$states.result.Payload, {'retries': $states.context.State.RetryCount}])"),
  });
  const target = '$states.context.Map.Item.Value';
  return {
    planSweep: plan(null),
    planFurther: plan(jsonata('$states.input')),
    sweepShards: {
      Type: 'Map',
      Items: jsonata('$states.input.due'),
      // Any value must get an iteration of its own: a failure outside of the iterations would fail all of them.
      ItemSelector: {
        start: jsonata(target),
        settings: jsonata(
          `( $settings := $type(${target}.table) = 'string' ? $lookup($states.input.sweeps, ${target}.table).settings; $exists($settings) ? $settings : null )`,
        ),
      },
    },
    child: childStates(functions, { partition, resultBytes: CHILD_RESULT_BYTES[machine] }),
    recordMetrics: invokeTask(functions.RecordMetrics, partition, {
      ...execution,
      // The input of a tick's part would repeat all of the state's data.
      executionInput: machine === 'replay' ? execution.executionInput : null,
      soFar: jsonata('$states.input'),
      endedAt: jsonata('$states.context.State.EnteredTime'),
    }),
  };
}

/** RecordMetrics' answer, with only the hand-overs that can be started, so that a malformed one does not stop the others. */
const CHECKED_RECORD = [
  '( $record := $states.result.Payload;',
  "$handOvers := [$record.handOvers[$type(name) = 'string' and $type(input) = 'object']];",
  "$assert($type($record.tables) = 'object', 'tables');",
  `$assert($length($string($record.tables)) <= ${CAUSE_BYTES} and ($exists($record.moreTables) ? $type($record.moreTables) = 'number' : true), 'tables');`,
  "{'tables': $record.tables, 'moreTables': $record.moreTables, 'handOvers': $handOvers,",
  "'complete': $record.complete = true and $count($handOvers) = $count($record.handOvers)} )",
].join(' ');

/** Few and short retries for a tick: it has five minutes, and the next tick begins after one. */
const SHORT_PATIENCE = PATIENT_RETRY.map(retry => ({ ...retry, MaxAttempts: 3, MaxDelaySeconds: 2 }));
