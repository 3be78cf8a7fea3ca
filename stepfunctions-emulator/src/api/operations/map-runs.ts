import type { MapRun, MapRunCounts } from '../../interpreter/index.ts';
import { takeExecutionArn, takeMapRunArn } from '../arns.ts';
import { type Operation, optional, seconds } from '../context.ts';
import { takeItems, takePage } from '../paging.ts';

export const describeMapRun: Operation = ({ executions }, members) => {
  const { mapRun } = executions.mapRun(takeMapRunArn(members));
  const { settings, redriveDate } = mapRun;
  return {
    mapRunArn: settings.arn,
    executionArn: settings.executionArn,
    status: mapRun.status,
    ...datesOf(mapRun),
    maxConcurrency: settings.maxConcurrency,
    toleratedFailurePercentage: settings.toleratedFailurePercentage ?? 0,
    toleratedFailureCount: settings.toleratedFailureCount ?? 0,
    itemCounts: countsOf(mapRun.itemCounts),
    executionCounts: countsOf(mapRun.executionCounts),
    redriveCount: mapRun.redriveCount,
    ...optional('redriveDate', redriveDate && seconds(redriveDate)),
  };
};

export const listMapRuns: Operation = ({ executions }, members) => {
  const execution = executions.whole(takeExecutionArn(members));
  const page = takePage(members, `ListMapRuns ${execution.arn}`);
  const numbered = execution.mapRuns.map((mapRun, index) => ({ mapRun, index }));
  const { items, ...more } = takeItems(page, numbered, ({ index }) => index);
  const mapRuns = items.map(({ mapRun }) => ({
    executionArn: mapRun.settings.executionArn,
    mapRunArn: mapRun.settings.arn,
    stateMachineArn: mapRun.settings.childMachineArn,
    ...datesOf(mapRun),
  }));
  return { mapRuns, ...more };
};

const datesOf = ({ startDate, stopDate }: MapRun) => ({
  startDate: seconds(startDate),
  ...optional('stopDate', stopDate && seconds(stopDate)),
});

/** A child that did not succeed is redriven with its Map Run, whatever its failure was. */
const countsOf = (counts: MapRunCounts) => ({ ...counts, failuresNotRedrivable: 0, pendingRedrive: 0 });
