import { BUSY, REFUSED } from '../../statemachine/contract/machines.ts';
import type { PlanFailure, SweepReport } from '../../statemachine/contract/report.ts';

/** Characters of a message that are shown. */
const MESSAGE_LENGTH = 200;

/** Why items of a table were left, as a sentence without its full stop. It contains no keys. */
export function failureInWords({ failure, ...report }: SweepReport): string {
  return failure === undefined ? incomplete(report) : notPlanned(failure);
}

function notPlanned({ error, message }: PlanFailure): string {
  const line = firstLine(message);
  if (error === BUSY)
    return `DynamoDB throttled it, or did not answer, for longer than a sweep waits: ${line}`;
  if (error === REFUSED)
    return 'Lambda refused to run its functions: the account runs as many at once as it may';
  if (error === 'ResourceNotFoundException') return `the table or its index is not there: ${line}`;
  if (/AccessDenied|not authorized/i.test(`${error} ${message}`)) return `a role lacks a permission: ${line}`;
  return [error, line].filter(part => part).join(': ');
}

function incomplete({
  found,
  failed,
  shardsFailed,
  failedKeys,
}: Pick<SweepReport, 'found' | 'failed' | 'shardsFailed' | 'failedKeys'>): string {
  const reasons = [...new Set(failedKeys.map(({ reason }) => reason))].join(', ');
  const parts = [
    ...(failed > 0
      ? [`${count(failed)} of ${count(found)} items could not be deleted${reasons && ` (${reasons})`}`]
      : []),
    ...(shardsFailed > 0
      ? [`${count(shardsFailed)} ${shardsFailed === 1 ? 'child' : 'children'} did not get through`]
      : []),
  ];
  return parts.join(', and ');
}

function firstLine(message: string): string {
  const [line = ''] = message.split('\n');
  return line.length > MESSAGE_LENGTH ? `${line.slice(0, MESSAGE_LENGTH)}…` : line;
}

const count = (value: number): string => value.toLocaleString('en-US');
