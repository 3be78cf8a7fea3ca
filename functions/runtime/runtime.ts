import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { createDocuments, type Documents, withoutMessages } from '../table/dynamodb.ts';
import type { SweepSettings } from './environment.ts';

export interface Runtime {
  readonly settings: SweepSettings;
  readonly documents: Documents;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** The clock of the function, not of the state machine: epoch milliseconds. */
  readonly clock: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

export function lambdaRuntime(options: { maxAttempts: number }): (settings: SweepSettings) => Runtime {
  let kept: Pick<Runtime, 'documents' | 'logger'> | undefined;
  return settings => {
    kept ??= { documents: createDocuments(options), logger: new Logger() };
    const { documents, logger } = kept;
    return {
      settings,
      documents: settings.logKeys === 'full' ? documents : withoutMessages(documents),
      logger,
      clock: Date.now,
      random: Math.random,
      sleep: ms => sleep(ms),
    };
  };
}
