import { setTimeout as sleep } from 'node:timers/promises';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Clock } from 'stepfunctions-emulator';
import { journalOf } from '../../functions/journal/lambda-journal.ts';
import { journalName } from '../../functions/journal/layout.ts';
import { METRIC_DIMENSIONS, METRICS_NAMESPACE } from '../../functions/record-metrics/metrics.ts';
import { deploymentMetrics } from '../../functions/runtime/deployment.ts';
import type { Documents } from '../../functions/table/dynamodb.ts';
import type { PlanSweepInput, PlanSweepOutput } from '../../statemachine/contract/execution.ts';
import { TASKS } from '../../statemachine/contract/machines.ts';
import { functionsInProcess } from '../functions/in-process.ts';
import type { InvokeWrapper } from '../functions/local-functions.ts';

export interface TestedFunctionsOptions {
  readonly deployment: string;
  readonly documents: DynamoDBDocumentClient;
  readonly clock: Clock;
  readonly onLog: ((functionName: string, line: string) => void) | undefined;
  /** Returns the plan that was made before the tick's execution began. Undefined: there is no such plan, and PlanSweep makes one. */
  readonly planOf: (input: PlanSweepInput) => PlanSweepOutput | undefined;
  readonly onWatermarks: () => void;
}

/** Makes a wrapper that runs the functions in this process. A virtual clock stands still during a call. */
export function testedFunctions(options: TestedFunctionsOptions): InvokeWrapper {
  const { deployment, clock, onLog, planOf, onWatermarks } = options;
  const now = () => clock.now();
  const documents = withDate(options.documents, now);
  const written = journalOf({ documents, tableName: journalName(deployment) }, now);
  const journal: typeof written = {
    ...written,
    noteSwept: (...span) => written.noteSwept(...span).finally(onWatermarks),
    writeWatermarks: (...marks) => written.writeWatermarks(...marks).finally(onWatermarks),
    replayed: (...span) => written.replayed(...span).finally(onWatermarks),
  };
  const namespace = METRICS_NAMESPACE;
  const metrics = new Metrics({ namespace, serviceName: METRIC_DIMENSIONS.service });
  return async ({ functionName, payload }) => {
    const print = (line: string) => onLog?.(functionName, line);
    const log =
      (level: string) =>
      (message: unknown, ...told: unknown[]) =>
        print(JSON.stringify(Object.assign({ level, message, timestamp: new Date(now()) }, ...told)));
    const handlers = functionsInProcess({
      ...{ deployment, journal, metrics, print, clock: now, random: Math.random },
      documentsOf: () => documents,
      logger: { info: log('INFO'), warn: log('WARN'), error: log('ERROR') },
      record: deploymentMetrics({ namespace, deployment, print, clock: now }),
      sleep: ms => sleep(ms, undefined, { ref: false }),
    });
    const name = functionName.slice(deployment.length + 1);
    const given = JSON.parse(JSON.stringify(payload));
    try {
      const plan = name === TASKS.PlanSweep ? planOf(given) : undefined;
      const answer = plan ?? (await handlers[name]?.(given as never));
      return { ok: true, payload: JSON.parse(JSON.stringify(answer)) };
    } catch (error) {
      const { name: errorType, message: errorMessage } = error as Error;
      return { ok: false, errorType, errorMessage, cause: { errorType, errorMessage } };
    }
  };
}

/** Replaces the date of DynamoDB's answers by the time of the given clock: sweeps use this date, but DynamoDB Local sends real time. */
function withDate(documents: Documents, now: () => number): Documents {
  const send = async (...args: Parameters<Documents['send']>) => {
    const answer = (await documents.send(...args)) as unknown as { readonly $metadata: object };
    return { ...answer, $metadata: { ...answer.$metadata, date: new Date(now()).toUTCString() } };
  };
  return { send: send as Documents['send'] };
}
