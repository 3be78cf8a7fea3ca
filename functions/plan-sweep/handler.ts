import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import type { PlanSweepInput, PlanSweepOutput } from '../../statemachine/contract/execution.ts';
import { lambdaJournal } from '../journal/lambda-journal.ts';
import { deploymentMetrics } from '../runtime/deployment.ts';
import { lambdaRuntime } from '../runtime/runtime.ts';
import { indexReader } from '../table/index-query.ts';
import { planReplay } from './plan-replay.ts';
import { planTick } from './plan-tick.ts';

const ATTEMPTS = 3;

const runtimeOf = lambdaRuntime({ maxAttempts: ATTEMPTS });
const logger = new Logger();

export const handler = (event: PlanSweepInput): Promise<PlanSweepOutput> => {
  const journal = lambdaJournal();
  if (event.machine === 'replay') return planReplay(event, journal);
  return planTick(event, {
    readIndexOf: (settings, options) => indexReader(runtimeOf(settings).documents, settings, options),
    ...{ logger, journal, record: deploymentMetrics() },
    clock: Date.now,
    sleep: ms => sleep(ms, undefined, { ref: false }),
  });
};
