/** `precise-ttl backfill`: writes the window into the items that a table already has. See `--help`. */

import { localEndpoint } from '../operate/aws/endpoint.ts';
import type { BackfillOptions, BackfillResult } from '../operate/changes.ts';
import { chooseTable, requireBackfill } from '../operate/choose-tables.ts';
import {
  type BackfillReport,
  DEFAULT_RATE_PER_SECOND,
  DEFAULT_SEGMENTS,
  MAX_RATE_PER_SECOND,
  MAX_SEGMENTS,
} from '../statemachine/backfill-contract.ts';
import { describeFacts, describeNext, describeProgress, describeReport } from './backfill/text.ts';
import { wholeNumber } from './flags.ts';
import { defineOperation, planOf, type Session, type Told } from './operation.ts';

export const command = defineOperation({
  name: 'backfill',
  usage: ['[--table NAME] [flags]'],
  tables: 'one',
  flags: {
    rate: {
      ...wholeNumber(1, MAX_RATE_PER_SECOND, 'most writes a second'),
      default: DEFAULT_RATE_PER_SECOND,
    },
    segments: {
      ...wholeNumber(1, MAX_SEGMENTS, 'parts that the table is read in, ten at a time'),
      default: DEFAULT_SEGMENTS,
    },
  },
  dryRun: 'read and count, write nothing',
  about: `Writes the window of its TTL into each item that lacks it, by an execution of the state machine that the prop index.backfill
provisions. An item whose TTL is changed meanwhile is left as it is. Run it again after an interruption or a failure: what has
been written is found to be right. While an execution runs, this command follows it instead of starting another one.`,
  services: ['SFN'],
  beside: ['DYNAMODB'],
  question: 'Write the windows?',
  status: { done: 'every segment was read and nothing failed' },
  read({ table, rate: ratePerSecond, segments, dryRun }, config): BackfillOptions {
    requireBackfill(chooseTable(config, table));
    return { config, table, input: { segments, ratePerSecond, dryRun } };
  },
  prepare: planBackfill,
});

/** Reads the state machine and the table, and describes the backfill. */
export async function planBackfill(wanted: BackfillOptions, { clients, signal, print, show }: Session) {
  const { prepareBackfill } = await import('../operate/backfill.ts');
  const { facts, apply } = await prepareBackfill({
    ...{ ...wanted, clients, signal },
    onProgress: progress => show(describeProgress(progress)),
  });
  const { running } = facts;
  if (running !== undefined) {
    print(`${running} is running: this follows it, with what it was started with, and starts no other.`);
  }
  return planOf({
    ...(running === undefined ? { facts: describeFacts(facts) } : { question: undefined }),
    apply,
    tell(result) {
      if (result.status === 'RUNNING') {
        return { end: 'interrupted', note: 'the execution goes on', more: howToEnd(result) };
      }
      const { status, error, cause } = result;
      if (hasReport(result))
        print(['', describeReport(result), ...describeNext(result)].join('\n\n').slice(1));
      else print(`\nThe execution ended as ${[status, error, cause].filter(text => text).join(': ')}`);
      const end: Told['end'] = status === 'SUCCEEDED' ? 'done' : 'failed';
      return { end };
    },
  });
}

function hasReport(result: BackfillResult): result is BackfillResult & BackfillReport {
  return result.scanned !== undefined;
}

function howToEnd({ executionArn }: BackfillResult): string {
  const endpoint = localEndpoint(process.env);
  const at = endpoint === undefined ? '' : ` --endpoint-url ${endpoint.value}`;
  return `This ends the execution, within a minute:
  aws stepfunctions stop-execution --execution-arn ${executionArn}${at}`;
}
