import type { Metrics } from '@aws-lambda-powertools/metrics';
import { deleteChunk } from '../../functions/delete-chunk/handler.ts';
import { fileOf } from '../../functions/function-list.ts';
import type { Journal } from '../../functions/journal/lambda-journal.ts';
import type { PipedRecord } from '../../functions/only-expiries/contract.ts';
import { onlyExpiries } from '../../functions/only-expiries/handler.ts';
import { planReplay } from '../../functions/plan-sweep/plan-replay.ts';
import { planTick } from '../../functions/plan-sweep/plan-tick.ts';
import { queryExpired } from '../../functions/query-expired/handler.ts';
import { recordMetrics } from '../../functions/record-metrics/handler.ts';
import type { RecordDeploymentMetric } from '../../functions/runtime/deployment.ts';
import { readSettings, type SweepSettings, type WithSettings } from '../../functions/runtime/environment.ts';
import type { Runtime } from '../../functions/runtime/runtime.ts';
import { type Documents, withoutMessages } from '../../functions/table/dynamodb.ts';
import { indexReader } from '../../functions/table/index-query.ts';
import type { QueryExpiredInput } from '../../statemachine/contract/child.ts';
import type { DeleteChunkInput } from '../../statemachine/contract/chunks.ts';
import type { PlanSweepInput, RecordMetricsInput } from '../../statemachine/contract/execution.ts';

export interface InProcessOptions extends Pick<Runtime, 'clock' | 'sleep' | 'random' | 'logger'> {
  readonly deployment: string;
  readonly journal: Journal;
  readonly documentsOf: (attempts: 1 | 2 | 3) => Documents;
  readonly metrics: Metrics;
  readonly print: (line: string) => void;
  readonly record: RecordDeploymentMetric;
}

type Handler = (payload: never) => Promise<unknown>;

/** The handlers of a deployment's functions, by file name. They run in this process, because a worker thread cannot use `options.clock`. */
export function functionsInProcess(options: InProcessOptions): Readonly<Record<string, Handler>> {
  const { journal } = options;
  const documentsFor = ({ logKeys }: SweepSettings, attempts: 1 | 2 | 3): Documents => {
    const documents = options.documentsOf(attempts);
    return logKeys === 'full' ? documents : withoutMessages(documents);
  };
  const runtimeOf = (carried: unknown, attempts: 1 | 2): Runtime => {
    const settings = readSettings(carried);
    return { ...options, settings, documents: documentsFor(settings, attempts) };
  };
  return {
    [fileOf('PlanSweep')]: (input: PlanSweepInput) => {
      if (input.machine === 'replay') return planReplay(input, journal);
      return planTick(input, {
        ...options,
        readIndexOf: (settings, request) => indexReader(documentsFor(settings, 3), settings, request),
      });
    },
    [fileOf('QueryExpired')]: (input: WithSettings<QueryExpiredInput>) =>
      queryExpired(input, runtimeOf(input.settings, 2), () => journal),
    [fileOf('DeleteChunk')]: (input: WithSettings<DeleteChunkInput>) =>
      deleteChunk(input, runtimeOf(input.settings, 1), () => journal),
    [fileOf('RecordMetrics')]: (input: RecordMetricsInput) =>
      recordMetrics(input, { ...options, timeIsUp: () => new Promise(() => undefined) }),
    [fileOf('OnlyExpiries')]: async (batch: readonly PipedRecord[]) => onlyExpiries(batch),
  };
}
