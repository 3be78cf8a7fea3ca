import type { Logger } from '@aws-lambda-powertools/logger';
import type { DeploymentState, Watermark } from '../journal/layout.ts';
import type { RecordDeploymentMetric } from '../runtime/deployment-metric.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { RequestOptions } from '../table/dynamodb.ts';
import type { AskedTable } from './plan-round.ts';

/** Dependencies of planning a tick. */
export interface TickSurroundings {
  readonly tableOf: (settings: SweepSettings, options?: RequestOptions) => AskedTable;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly journal: {
    /** @throws JournalUnreadableError */
    readonly read: () => Promise<DeploymentState>;
    readonly writeWatermarks: (tick: string, tables: Readonly<Record<string, Watermark>>) => Promise<void>;
  };
  readonly record: RecordDeploymentMetric;
  /** The function's clock, epoch milliseconds. */
  readonly clock: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}
