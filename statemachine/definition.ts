import { childStates } from './child.ts';
import type { CarriedSettings } from './contract/inputs.ts';
import { CAUSE_BYTES, GROUP_CHILDREN, REPLAY_CONCURRENCY } from './contract/limits.ts';
import {
  BUSY,
  EXECUTION_TIMEOUT_SECONDS,
  type FunctionArns,
  type MachineName,
  SWEEP_INCOMPLETE,
  TICK_TIMEOUT_SECONDS,
  TRANSIENT_ERRORS,
} from './contract/machines.ts';
import { CAUGHT_ERROR, catchAnything, invokeTask, jsonata, route } from './states.ts';

export interface DefinitionOptions {
  /** The settings of all tables. They are in the definition, so they do not change during an execution, and no input can replace them. */
  readonly tables: readonly CarriedSettings[];
  readonly partition?: string;
}

export function tickDefinition(functions: FunctionArns, options: DefinitionOptions) {
  const { planSweep, sweepShards, child, ends } = sweepStates(functions, 'tick', options, SHORT_PATIENCE);
  return {
    Comment: 'Deletes expired DynamoDB items of all tables, once a minute: plan, query, delete, record.',
    QueryLanguage: 'JSONata',
    TimeoutSeconds: TICK_TIMEOUT_SECONDS,
    StartAt: 'PlanSweep',
    States: {
      PlanSweep: planSweep,
      'AnythingDue?': anythingDue('SweepGroups'),
      SweepGroups: {
        Type: 'Map',
        Items: jsonata("[$states.input.groups[$type($) = 'object']]"),
        ItemSelector: {
          due: jsonata('[$states.context.Map.Item.Value.due]'),
          sweeps: jsonata('$states.input.sweeps'),
        },
        MaxConcurrency: GROUP_CHILDREN,
        ItemProcessor: {
          ProcessorConfig: { Mode: 'INLINE' },
          StartAt: 'SweepShards',
          States: {
            SweepShards: {
              ...sweepShards,
              MaxConcurrency: GROUP_CHILDREN,
              ItemProcessor: { ProcessorConfig: { Mode: 'INLINE' }, ...child },
              Output: { results: jsonata('$states.result') },
              Catch: catchAnything({ results: [] }, 'GroupFailed'),
              End: true,
            },
            GroupFailed: { Type: 'Pass', End: true },
          },
        },
        ...sweptBy('[$states.result.results]', 'RecordMetrics'),
      },
      ...ends,
    },
  };
}

export function replayDefinition(functions: FunctionArns, options: DefinitionOptions) {
  const { planSweep, planFurther, sweepShards, child, ends } = sweepStates(
    functions,
    'replay',
    options,
    PATIENT_RETRY,
  );
  return {
    Comment: 'Deletes expired DynamoDB items of a span of time of one table: plan, query, delete, record.',
    QueryLanguage: 'JSONata',
    TimeoutSeconds: EXECUTION_TIMEOUT_SECONDS,
    StartAt: 'PlanSweep',
    States: {
      PlanSweep: planSweep,
      'AnythingDue?': anythingDue('SweepShards'),
      SweepShards: {
        ...sweepShards,
        MaxConcurrency: REPLAY_CONCURRENCY,
        ToleratedFailurePercentage: 100,
        ItemProcessor: { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'EXPRESS' }, ...child },
        ...sweptBy('$states.result', 'PlanFurther'),
      },
      PlanFurther: {
        ...planFurther,
        Catch: [
          {
            ErrorEquals: ['States.ALL'],
            Output: jsonata("$merge([$states.input, {'planFailed': true}])"),
            Next: 'RecordMetrics',
          },
        ],
      },
      ...ends,
    },
  };
}

function anythingDue(sweep: string) {
  return {
    Type: 'Choice',
    Choices: [route('sweep', sweep), route('record', 'RecordMetrics')],
    Default: 'SweepCompleted',
  };
}

function sweptBy(results: string, Next: string) {
  const output = (of: unknown) => ({ sweeps: jsonata('$states.input.sweeps'), results: of });
  return {
    Output: output(jsonata(results)),
    Catch: catchAnything(output([]), Next),
    Next,
  };
}

function sweepStates(
  functions: FunctionArns,
  machine: MachineName,
  { tables, partition = 'aws' }: DefinitionOptions,
  Retry: readonly object[],
) {
  const execution = {
    machine,
    executionInput: jsonata('$states.context.Execution.Input'),
    startedAt: jsonata('$states.context.Execution.StartTime'),
  };
  const plan = (soFar: string | null) => ({
    ...invokeTask(functions.PlanSweep, partition, { ...execution, tables, soFar }),
    Retry,
    Output: jsonata('$states.result.Payload'),
    Next: 'AnythingDue?',
  });
  const target = '$states.context.Map.Item.Value';
  return {
    planSweep: plan(null),
    planFurther: plan(jsonata('$states.input')),
    sweepShards: {
      Type: 'Map',
      Items: jsonata('$states.input.due'),
      // An error in this selector would fail the whole Map, so its expressions accept any value in `due`. Each child checks its `start`.
      ItemSelector: {
        start: jsonata(target),
        settings: jsonata(
          `( $settings := $type(${target}.table) = 'string' ? $lookup($states.input.sweeps, ${target}.table).settings; $exists($settings) ? $settings : null )`,
        ),
      },
    },
    child: childStates(functions, { partition }),
    ends: {
      RecordMetrics: {
        ...invokeTask(functions.RecordMetrics, partition, {
          ...execution,
          execution: jsonata('$states.context.Execution.Name'),
          soFar: jsonata('$states.input'),
          endedAt: jsonata('$states.context.State.EnteredTime'),
        }),
        Retry,
        Output: jsonata(CHECKED_RECORD),
        Catch: [
          {
            ErrorEquals: ['States.ALL'],
            Output: { tables: {}, notRecorded: jsonata(CAUGHT_ERROR) },
            Next: 'SweepIncomplete',
          },
        ],
        Next: 'Complete?',
      },
      'Complete?': {
        Type: 'Choice',
        Choices: [{ Condition: jsonata('$states.input.complete'), Next: 'SweepCompleted' }],
        Default: 'SweepIncomplete',
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
        Cause: jsonata('$string($states.input)'),
      },
    },
  };
}

const CHECKED_RECORD = [
  '( $record := $states.result.Payload;',
  "$assert($type($record.tables) = 'object', 'tables');",
  `$assert($length($string($record.tables)) <= ${CAUSE_BYTES} and ($exists($record.moreTables) ? $type($record.moreTables) = 'number' : true), 'tables');`,
  "{'tables': $record.tables, 'moreTables': $record.moreTables, 'complete': $record.complete = true} )",
].join(' ');

/** Retries in a replay. After BUSY, the 20 retries take a minute and a half on average, so that DynamoDB has time to add capacity. */
const PATIENT_RETRY = [
  { ErrorEquals: [BUSY], MaxAttempts: 20 },
  { ErrorEquals: TRANSIENT_ERRORS.filter(error => error !== BUSY), MaxAttempts: 5 },
].map(retry => ({
  ...retry,
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxDelaySeconds: 10,
  JitterStrategy: 'FULL',
}));

/** Retries in a tick: fewer than in a replay, with shorter waits. A tick has under five minutes, and the next one begins after a minute. */
const SHORT_PATIENCE = PATIENT_RETRY.map(retry => ({ ...retry, MaxAttempts: 3, MaxDelaySeconds: 2 }));
