import type { Problems } from '../../lab/report/problems.ts';
import type { LocalCloudOptions } from '../../local/cloud.ts';
import { CHUNK_KEYS } from '../../statemachine/contract.ts';

/**
 * A local cloud whose own slowness does not count in what is measured, and whose failures do.
 *
 * @param rate items per second
 */
export function measuredCloud(rate: number, problems: Problems): Omit<LocalCloudOptions, 'stack'> {
  return {
    dynamoDbLocal: { longRun: true },
    // On Lambda functions start side by side; two cores would take seconds for what falls due in the first one.
    warm: Math.ceil(rate / CHUNK_KEYS),
    functions: { threads: { most: Number.POSITIVE_INFINITY } },
    onScheduleError: (error, { schedule }) => problems.add(`${schedule.name} didn't start: ${error}`),
    onExecution: ({ machine: { name }, status, error, cause }) => {
      if (status === 'SUCCEEDED' || status === 'ABORTED') return;
      problems.add(`an execution of ${name} ended ${status}: ${error ?? 'no error name'}: ${cause ?? ''}`);
    },
  };
}
