import type { Measurement } from './metric-store.ts';

/** The values that CloudWatch accepts for a metric in a document: a number, numbers, or a histogram. */
type Target =
  | number
  | readonly number[]
  | { readonly Values: readonly number[]; readonly Counts?: readonly number[] };

/**
 * Returns the metrics in a line in the embedded metric format that a function printed; an empty list for other lines.
 * @param timestamp when it was printed, epoch milliseconds. The document's own is the wall clock's, which is not the clock that the
 *   local cloud runs by.
 * @see CloudWatch User Guide, "Embedded metric format specification"
 */
export function embeddedMetrics(line: string, timestamp: number): Measurement[] {
  const document = parse(line);
  const directives = (document?.['_aws'] as { readonly CloudWatchMetrics?: unknown } | undefined)
    ?.CloudWatchMetrics;
  if (document === undefined || !Array.isArray(directives)) return [];
  return (directives as readonly Directive[]).flatMap(
    ({ Namespace: namespace = '', Dimensions = [], Metrics = [] }) =>
      Dimensions.flatMap(names =>
        Metrics.flatMap(({ Name: name = '' }) => {
          const values = valuesOf(document[name] as Target | undefined);
          const dimensions = Object.fromEntries(names.map(each => [each, String(document[each])]));
          return values.length === 0 ? [] : [{ namespace, name, dimensions, timestamp, values }];
        }),
      ),
  );
}

interface Directive {
  readonly Namespace?: string;
  readonly Dimensions?: readonly (readonly string[])[];
  readonly Metrics?: readonly { readonly Name?: string }[];
}

function valuesOf(target: Target | undefined): Measurement['values'] {
  if (typeof target === 'number') return [[target, 1]];
  if (Array.isArray(target)) return (target as readonly number[]).map(value => [value, 1] as const);
  if (typeof target !== 'object' || !('Values' in target)) return [];
  return target.Values.map((value, index) => [value, target.Counts?.[index] ?? 1] as const);
}

function parse(line: string): Record<string, unknown> | undefined {
  // Most lines contain no metrics.
  if (!line.includes('"CloudWatchMetrics"')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
