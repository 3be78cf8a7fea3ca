import type { BilledTable } from '../../cost/bill.ts';
import { misfiledProbes } from '../../functions/plan-sweep/misfiled.ts';
import { recordedMetrics } from '../../functions/record-metrics/metrics.ts';
import { deployedAlarms } from '../../stacks/alarms.ts';
import { deploymentOf } from '../../stacks/deployments.ts';
import { modelOf } from '../../stacks/model-of.ts';
import type { ResolvedProps } from '../../stacks/props.ts';
import { reconcileParts } from '../../stacks/reconcile-parts.ts';
import { resolvedArchive } from '../../stacks/stream-props.ts';

/** What is known of the items of one table. */
export type ItemLoad = Pick<BilledTable, 'itemsPerMonth' | 'itemBytes' | 'renewalsPerItem' | 'lifetimeHours'>;

/** Mid-hour: windows of every length then take as many queries as on average. */
const SOME_CUTOFF = Date.parse('2026-11-20T09:07:00Z') / 1000;

/** A table as it is deployed with these props, for its bill. */
export function billedTable(props: ResolvedProps, load: ItemLoad): BilledTable {
  const metrics = recordedMetrics(props.metrics).filter(({ onlyAboveZero }) => !onlyAboveZero);
  return {
    ...props,
    ...load,
    reconcileParts: reconcileParts(props).length,
    misfiledProbes: misfiledProbes(modelOf(props), SOME_CUTOFF),
    customMetrics: {
      deleting: metrics.length,
      // The lag is of what was deleted.
      watching: metrics.filter(({ name }) => name !== 'DeletionLag').length,
    },
    metricSet: props.metrics,
    // One that adds up two metrics is billed as two. Source: CloudWatch pricing.
    alarms: deployedAlarms(deploymentOf([props])).reduce(
      (sum, { other }) => sum + (other === undefined ? 1 : 2),
      0,
    ),
    hasDashboard: props.dashboard,
    isTraced: props.tracing,
    isRecoverable: props.pointInTimeRecovery && !props.existingTable,
    archiveBatchSeconds: props.archive && resolvedArchive(props.archive).batchSeconds,
  };
}
