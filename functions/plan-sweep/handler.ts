import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import type { PlanSweepInput, PlanSweepOutput } from '../../statemachine/contract/execution.ts';
import { lambdaJournal } from '../journal/lambda-journal.ts';
import { lambdaDeploymentMetrics } from '../runtime/deployment-metric.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import { lambdaRuntime } from '../runtime/runtime.ts';
import type { RequestOptions } from '../table/dynamodb.ts';
import { planReplay } from './plan-replay.ts';
import { type AskedTable, askedTable } from './plan-round.ts';
import { planTick } from './plan-tick.ts';

/** Attempts of a probe: three of up to five seconds each, or of the tick's own timeout. */
const ATTEMPTS = 3;

const runtimeOf = lambdaRuntime({ maxAttempts: ATTEMPTS });
const logger = new Logger();

const tableOf = (settings: SweepSettings, options: RequestOptions = {}): AskedTable =>
  askedTable(runtimeOf(settings), options);

/** Waits without keeping the process alive. */
const patience = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });

export const handler = (
  event: PlanSweepInput,
  context: { getRemainingTimeInMillis(): number },
): Promise<PlanSweepOutput> => {
  const surroundings = {
    ...{ tableOf, logger, journal: lambdaJournal(), record: lambdaDeploymentMetrics() },
    ...{ clock: Date.now, sleep: patience },
  };
  return event.machine === 'tick'
    ? planTick(event, surroundings)
    : planReplay(event, surroundings, () => context.getRemainingTimeInMillis());
};
