import type { Metrics } from '@aws-lambda-powertools/metrics';
import type { EmfOutput } from '@aws-lambda-powertools/metrics/types';
import type { SweepTotals } from '../../statemachine/contract/report.ts';
import { SWEEP_METRICS, type SweepSurroundings } from './metrics.ts';

/**
 * The line of metrics of a sweep. Powertools makes the document. Histograms are added here, since Powertools takes only numbers, while the
 * format also allows `{Values, Counts, Min, Max, Count, Sum}`.
 *
 * @returns undefined when there is nothing to record
 */
export function embeddedMetrics(
  metrics: Metrics,
  dimensions: Readonly<Record<string, string>>,
  totals: SweepTotals,
  surroundings: SweepSurroundings,
): EmfOutput | undefined {
  metrics.addDimensions({ ...dimensions });
  const histograms: Record<string, unknown> = {};
  for (const { name, unit, value, onlyAboveZero = false } of SWEEP_METRICS) {
    const measured = value(totals, surroundings);
    if (typeof measured === 'number') {
      if (measured > 0 || !onlyAboveZero) metrics.addMetric(name, unit, measured);
    } else if (measured.Count > 0) {
      metrics.addMetric(name, unit, measured.Max);
      histograms[name] = measured;
    }
  }
  // Powertools warns about a document without metrics.
  const document = metrics.hasStoredMetrics() ? metrics.serializeMetrics() : undefined;
  metrics.clearMetrics();
  metrics.clearDimensions();
  return document && ({ ...document, ...histograms } as EmfOutput);
}
