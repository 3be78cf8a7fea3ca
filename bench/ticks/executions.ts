import type { Execution } from 'stepfunctions-emulator';
import { reportOf } from '../../lab/ledger/accounts.ts';
import type { SweepReport } from '../../statemachine/contract.ts';
import { sumOfFates } from '../../statemachine/counts.ts';

/** What the executions of a state machine say of themselves, added up. */
export interface ExecutionSums {
  readonly executions: number;
  /** Of these, the ones that did not succeed. */
  readonly failed: number;
  readonly found: number;
  readonly deleted: number;
  readonly renewed: number;
  readonly notFound: number;
  readonly failedItems: number;
  /** Further attempts at chunks whose keys came back unprocessed. */
  readonly retries: number;
  /** Whether found is the sum of the fates in each. */
  readonly eachAddsUp: boolean;
}

type Ended = Pick<Execution, 'status' | 'output' | 'cause'>;

export function sumExecutions(ended: readonly Ended[]): ExecutionSums {
  const reports = ended.map(reportOfEnded);
  const sum = (count: (report: SweepReport) => number) =>
    reports.reduce((total, report) => total + (report ? count(report) : 0), 0);
  return {
    executions: ended.length,
    failed: ended.filter(({ status }) => status !== 'SUCCEEDED').length,
    found: sum(({ found }) => found),
    deleted: sum(({ deleted }) => deleted),
    renewed: sum(({ renewed }) => renewed),
    notFound: sum(({ notFound }) => notFound),
    failedItems: sum(({ failed }) => failed),
    retries: sum(({ retries }) => retries),
    eachAddsUp: reports.every(report => report !== undefined && report.found === sumOfFates(report)),
  };
}

/** A sweep that left something behind has its report as its cause; one that crashed or was stopped has none. */
function reportOfEnded({ output, cause }: Ended): SweepReport | undefined {
  return output === undefined ? reportOf(cause) : (output as unknown as SweepReport);
}
