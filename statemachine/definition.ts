import {
  CHILDREN_LISTED_KEYS_BYTES,
  LISTED_KEYS,
  LISTED_KEYS_BYTES,
  MOST_STEPS,
  SWEEP_INCOMPLETE,
} from './contract.ts';
import { failedThatFit, firstThatFit, jsonata, list, orNull, sumBuckets, sumOf } from './jsonata.ts';
import { shardSweep } from './shard-sweep.ts';
import {
  CHUNK_COUNTS,
  type DefinitionOptions,
  type FunctionArns,
  invokeTask,
  PATIENT_RETRY,
} from './states.ts';

/** A field that is counted per child and added up over the children. */
const COUNTS = ['found', 'failed', ...CHUNK_COUNTS] as const;

const NOTHING_SWEPT = JSON.stringify({
  ...Object.fromEntries(COUNTS.map(name => [name, 0])),
  shardsSwept: 0,
  shardsFailed: 0,
  steps: 0,
  oldestOverdueSeconds: 0,
  failedKeys: [],
  sampleKeys: [],
  lagCounts: {},
  lagMaxMs: 0,
});

const MAY_GO_ON = `$states.input.totals.steps < ${MOST_STEPS}`;

const TOTALS = `$merge([{'dryRun': $states.input.dryRun}, $states.input.totals])`;

/** The totals as a person reads them: without the histogram, which RecordMetrics makes percentiles of. */
const REPORT = `$sift(${TOTALS}, function($value, $name) { $not($name in ['lagCounts', 'lagMaxMs']) })`;

/** The keys that the rounds before and the children of this one list, as far as they fit. */
const listed = (thatFit: typeof firstThatFit, field: string) =>
  thatFit(`$append($before.${field}, $swept.${field})`, LISTED_KEYS, String(LISTED_KEYS_BYTES));

/** The round as a whole came to nothing that is known of: its children count as failed, the next round goes on. */
const ROUND_FAILED = jsonata(`{
  'due': [],
  'cursor': $states.input.cursor,
  'dryRun': $states.input.dryRun,
  'totals': $merge([$states.input.totals, {
    'steps': $states.input.totals.steps + 1,
    'shardsFailed': $states.input.totals.shardsFailed + $count($states.input.due)
  }])
}`);

/**
 * The state machine as Amazon States Language (a plain object; `JSON.stringify` makes the definition).
 *
 * PlanSweep and SweepShards take turns until nothing is due and nothing is left to look at. What they carry round is
 * `{due, cursor, dryRun, totals}`; each round takes the first two and leaves new ones.
 *
 * A transition costs money every minute of every month, so a sweep that did something ends with RecordMetrics itself.
 */
export function sweepDefinition(functions: FunctionArns, options: DefinitionOptions) {
  const planSweep = {
    ...invokeTask(functions.PlanSweep, options, {
      executionInput: jsonata('$states.context.Execution.Input'),
      startedAt: jsonata('$states.context.Execution.StartTime'),
      // At first the state's input is the execution's, in which PlanSweep accepts no field of this name.
      cursor: jsonata(orNull('$states.input.cursor')),
    }),
    Retry: PATIENT_RETRY,
    Output: jsonata(`(
      $totals := $exists($states.input.totals) ? $states.input.totals : ${NOTHING_SWEPT};
      $overdue := [$totals.oldestOverdueSeconds, $states.result.Payload.oldestOverdueSeconds];
      {
        'due': $states.result.Payload.due,
        'cursor': $states.result.Payload.cursor,
        'dryRun': $states.result.Payload.dryRun,
        'totals': $merge([$totals, {
          'steps': $totals.steps + 1 + $floor($states.context.State.RetryCount / 10),
          'oldestOverdueSeconds': $max($overdue)
        }])
      }
    )`),
  };
  const recordMetrics = invokeTask(functions.RecordMetrics, options, {
    totals: jsonata(TOTALS),
    startedAt: jsonata('$states.context.Execution.StartTime'),
    endedAt: jsonata('$states.context.State.EnteredTime'),
  });
  return {
    Comment: 'Deletes expired DynamoDB items: plan, query, delete, record.',
    QueryLanguage: 'JSONata',
    StartAt: 'PlanSweep',
    States: {
      // A wrong input, or a table that cannot be asked, fails the execution in this state: nothing was swept.
      PlanSweep: { ...planSweep, Next: 'AnythingDue?' },
      // The same for the rounds after the first: its failure must not take their counts with it.
      PlanFurther: {
        ...planSweep,
        Catch: [
          {
            ErrorEquals: ['States.ALL'],
            Output: jsonata(`{
              'dryRun': $states.input.dryRun,
              'totals': $merge([$states.input.totals, {
                'steps': $states.input.totals.steps + 1,
                'shardsFailed': $states.input.totals.shardsFailed + 1
              }])
            }`),
            Next: 'RecordFailure',
          },
        ],
        Next: 'AnythingDue?',
      },
      'AnythingDue?': {
        Type: 'Choice',
        Choices: [
          { Condition: jsonata(`$count($states.input.due) > 0 and ${MAY_GO_ON}`), Next: 'SweepShards' },
          { Condition: jsonata(`$states.input.cursor != null and ${MAY_GO_ON}`), Next: 'PlanFurther' },
          {
            Condition: jsonata(`$states.input.totals.(failed + shardsFailed) > 0 or $not(${MAY_GO_ON})`),
            Next: 'RecordFailure',
          },
          { Condition: jsonata('$states.input.totals.shardsSwept > 0'), Next: 'RecordMetrics' },
        ],
        // Nothing was due at all: three transitions, which is what an idle table costs a minute.
        Default: 'SweepCompleted',
      },
      SweepShards: {
        Type: 'Map',
        Items: jsonata('$states.input.due'),
        ItemSelector: {
          target: jsonata('$states.context.Map.Item.Value'),
          dryRun: jsonata('$states.input.dryRun'),
          listedKeysBytes: jsonata(
            `$min([${LISTED_KEYS_BYTES}, $floor(${CHILDREN_LISTED_KEYS_BYTES} / $count($states.input.due))])`,
          ),
        },
        MaxConcurrency: options.shardConcurrency,
        // One shard's trouble must not stop the others; a child that fails is counted and fails the sweep at its end.
        ToleratedFailurePercentage: 100,
        ItemProcessor: shardSweep(functions, options),
        Output: jsonata(`(
          $swept := ${list('$states.result[$exists(found)]')};
          $through := $count($swept[interrupted = false]);
          $before := $states.input.totals;
          {
            'due': ${list('$swept.resume')},
            'cursor': $states.input.cursor,
            'dryRun': $states.input.dryRun,
            'totals': {
              ${COUNTS.map(name => `'${name}': $before.${name} + ${sumOf('$swept', name)}`).join(', ')},
              'shardsSwept': $before.shardsSwept + $through,
              'shardsFailed': $before.shardsFailed + $count($states.input.due) - $through,
              'steps': $before.steps + 1,
              'oldestOverdueSeconds': $before.oldestOverdueSeconds,
              'lagCounts': ${sumBuckets('$before, $swept', 'lagCounts')},
              'lagMaxMs': $max([$before.lagMaxMs, $swept.lagMaxMs]),
              'failedKeys': ${listed(failedThatFit, 'failedKeys')},
              'sampleKeys': ${listed(firstThatFit, 'sampleKeys')}
            }
          }
        )`),
        Catch: [
          // States.ALL does not stand for this one: the results of too many crashed children.
          { ErrorEquals: ['States.DataLimitExceeded'], Output: ROUND_FAILED, Next: 'AnythingDue?' },
          { ErrorEquals: ['States.ALL'], Output: ROUND_FAILED, Next: 'AnythingDue?' },
        ],
        Next: 'AnythingDue?',
      },
      RecordMetrics: {
        ...recordMetrics,
        Retry: PATIENT_RETRY,
        Output: jsonata(`$merge([${REPORT}, {'lagMs': $states.result.Payload.lagMs}])`),
        // The items are deleted: a metric that cannot be recorded must not turn that into a failed sweep.
        Catch: [{ ErrorEquals: ['States.ALL'], Output: jsonata('$states.input'), Next: 'SweepCompleted' }],
        End: true,
      },
      RecordFailure: {
        ...recordMetrics,
        Retry: PATIENT_RETRY,
        Output: jsonata('$states.input'),
        Catch: [{ ErrorEquals: ['States.ALL'], Output: jsonata('$states.input'), Next: 'SweepIncomplete' }],
        Next: 'SweepIncomplete',
      },
      SweepCompleted: { Type: 'Succeed', Output: jsonata(REPORT) },
      SweepIncomplete: { Type: 'Fail', Error: SWEEP_INCOMPLETE, Cause: jsonata(`$string(${REPORT})`) },
    },
  };
}
