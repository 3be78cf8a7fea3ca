import { type ExecutionListItem, ListExecutionsCommand, type SFNClient } from '@aws-sdk/client-sfn';
import { reconcileParts } from '../../stacks/reconcile-parts.ts';
import { executionArnOf } from '../aws/executions.ts';
import { type OpenExecution, openExecutions } from '../aws/open-executions.ts';
import { type Checked, check } from '../deployment/check.ts';
import { isReplay, lastSuccessOf, stoppedAt } from '../deployment/observe-deployment.ts';
import type { Subject } from '../deployment/subject.ts';
import { describeSweep, type Sweep } from '../deployment/sweep.ts';

/** What is known of the executions of a table. */
export interface SeenSweeps {
  /** That have ended, the newest first; at most {@link DESCRIBED}. */
  readonly last: readonly Sweep[];
  /** These, and the last parts of the reconcile that succeeded. */
  readonly known: readonly Sweep[];
  readonly lastSuccess: Date | undefined;
  /** The newest one that did not succeed, at any time. */
  readonly lastFailure: Sweep | undefined;
  readonly open: readonly OpenExecution[];
  /** There are more open ones. */
  readonly moreOpen: boolean;
}

/** What one look remembers for the next one: executions that have ended stay as they are. */
export interface SweepMemory {
  readonly described: Map<string, Sweep>;
  lastFailure: ExecutionListItem | undefined;
}

export const newMemory = (): SweepMemory => ({ described: new Map(), lastFailure: undefined });

/** Executions that are asked for as a whole, besides the parts of a reconcile. */
export const DESCRIBED = 10;

/** A page of these reaches back for more than an hour and a half. */
const RECENT = 200;
const OPEN = 100;
const MINUTE_MS = 60_000;

/** Asks for the executions of a state machine: a page or two, and at most about twenty of them as a whole. */
export async function observeSweeps(
  sfn: SFNClient,
  stateMachineArn: string,
  { props }: Subject,
  memory: SweepMemory,
): Promise<Checked<SeenSweeps>> {
  const list = async (statusFilter: ExecutionListItem['status'], maxResults: number) =>
    (await sfn.send(new ListExecutionsCommand({ stateMachineArn, statusFilter, maxResults }))).executions ??
    [];
  const listed = await check('states:ListExecutions', stateMachineArn, async () => {
    const recent = await list(undefined, RECENT);
    const open = await openExecutions(sfn, stateMachineArn, OPEN + 1);
    const failed = recent.filter(isFailure);
    // Only once: whatever fails afterwards is among the recent ones.
    if (failed.length === 0 && memory.lastFailure === undefined) {
      for (const status of ['FAILED', 'TIMED_OUT', 'ABORTED'] as const)
        failed.push(...(await list(status, 1)));
    }
    memory.lastFailure = newest([...failed, ...(memory.lastFailure ? [memory.lastFailure] : [])]);
    const succeeded = recent.find(one => one.status === 'SUCCEEDED' && !isReplay(one));
    const lastSuccess = succeeded?.stopDate ?? (await lastSuccessOf(sfn, stateMachineArn));
    return { recent, open, lastSuccess };
  });
  if ('notChecked' in listed) return listed;
  const { recent, open, lastSuccess } = listed.seen;
  const ended = recent.filter(({ stopDate }) => stopDate !== undefined);
  const wanted = new Set([...ended.slice(0, DESCRIBED), ...mayBeReconciles(ended, props)]);
  const described = await check(
    'states:DescribeExecution',
    executionArnOf(stateMachineArn, '*'),
    async () => {
      const sweeps: Sweep[] = [];
      for (const one of wanted) sweeps.push(await describeOnce(one));
      return { sweeps, lastFailure: memory.lastFailure && (await describeOnce(memory.lastFailure)) };
    },
  );
  if ('notChecked' in described) return described;
  const { sweeps, lastFailure } = described.seen;
  return {
    seen: {
      last: sweeps.slice(0, Math.min(DESCRIBED, ended.length)),
      known: sweeps,
      lastSuccess,
      lastFailure,
      open: open.slice(0, OPEN),
      moreOpen: open.length > OPEN,
    },
  };

  async function describeOnce(one: ExecutionListItem): Promise<Sweep> {
    const arn = `${one.executionArn}#${one.redriveCount ?? 0}`;
    const known = memory.described.get(arn);
    if (known !== undefined) return known;
    const sweep = await describeSweep(sfn, one, props);
    if (sweep.stoppedAt !== undefined) memory.described.set(arn, sweep);
    return sweep;
  }
}

const isFailure = ({ status }: ExecutionListItem): boolean =>
  status === 'FAILED' || status === 'TIMED_OUT' || status === 'ABORTED';

function newest(executions: readonly ExecutionListItem[]): ExecutionListItem | undefined {
  return [...executions].sort((one, other) => stoppedAt(other) - stoppedAt(one))[0];
}

/** A list does not tell what an execution was asked for, but the reconcile has its minutes of the hour. */
function mayBeReconciles(
  ended: readonly ExecutionListItem[],
  props: Subject['props'],
): readonly ExecutionListItem[] {
  const parts = reconcileParts(props);
  return parts.flatMap(({ minute }) => {
    const isItsMinute = ({ startDate, status }: ExecutionListItem) =>
      status === 'SUCCEEDED' && Math.floor((startDate?.getTime() ?? 0) / MINUTE_MS) % 60 === minute;
    // The tick of that minute, and the part of the reconcile.
    return ended.filter(isItsMinute).slice(0, 2);
  });
}
