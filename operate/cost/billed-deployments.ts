import { deployedAlarms } from '../../config/alarms.ts';
import { deploymentsOf } from '../../config/deployments.ts';
import { hasProof, type ResolvedProps } from '../../config/props.ts';
import { resolvedArchive } from '../../config/stream-props.ts';
import type { BilledDeployment, BilledTable } from '../../cost/bill.ts';
import { recordedMetrics } from '../../functions/record-metrics/metrics.ts';

/** The load of one table, as far as it is known. */
export type ItemLoad = Pick<BilledTable, 'itemsPerMonth' | 'itemBytes' | 'renewalsPerItem' | 'lifetimeHours'>;

/** The deployments of these tables, for the bill. */
export function billedDeployments(tables: readonly ResolvedProps[], load: ItemLoad): BilledDeployment[] {
  return deploymentsOf(tables).map(deployment => {
    const { functionMemoryMb, metrics, dashboard, tracing, logRetentionDays } = deployment;
    const recorded = recordedMetrics(metrics).filter(({ onlyAboveZero }) => !onlyAboveZero);
    return {
      ...{ functionMemoryMb, logRetentionDays, metricSet: metrics },
      tables: deployment.tables.map(props => billedTable(props, load)),
      customMetrics: {
        deleting: recorded.length,
        // Only tables with deletions have a lag, so an idle table writes no such metric.
        watching: recorded.filter(({ name }) => name !== 'DeletionLag').length,
      },
      alarmMetrics: deployedAlarms(deployment).reduce((sum, { other }) => sum + (other ? 2 : 1), 0),
      hasDashboard: dashboard,
      isTraced: tracing,
    };
  });
}

function billedTable(props: ResolvedProps, load: ItemLoad): BilledTable {
  return {
    ...props,
    ...load,
    isRecoverable: props.pointInTimeRecovery && !props.existingTable,
    hasEvents: props.events !== undefined,
    hasProof: hasProof(props),
    archiveBatchSeconds: props.archive && resolvedArchive(props.archive).batchSeconds,
  };
}
