/** `precise-ttl backfill`: writes the window into the items that a table already has. See `--help`. */

import type { BackfillFacts, BackfillFate, BackfillOptions, BackfillResult } from '../operate/changes.ts';
import { wholeNumber } from './flags.ts';
import { count, countTable, firstLines, span, workFromNow } from './numbers.ts';
import { defineOperation, type Facts, planOf, type Session } from './operation.ts';

export const command = defineOperation({
  name: 'backfill',
  usage: ['[--table NAME] [flags]'],
  tables: 'one',
  // Half of what a window allows in one shard, so that the table's own writers have the other half.
  flags: { rate: { ...wholeNumber(1, 10_000, 'most writes a second'), default: 500 } },
  dryRun: 'read and count, write nothing',
  about: `Writes the window of its TTL into each item of a table that lacks it or has another one. It reads the whole table from this
machine, in parallel segments, at a rate that spares the table. It leaves as it is an item whose TTL or window is changed
meanwhile, and one whose TTL no sweep would delete. Stop it whenever you like: run again, it reads the table from its beginning
and skips every item whose window is right, so that nothing is written twice.`,
  services: ['DYNAMODB'],
  question: 'Write the windows?',
  status: { done: 'every item was read and no write failed' },
  read: ({ table, rate, dryRun }, config): BackfillOptions => ({
    ...{ config, table, dryRun, ratePerSecond: rate },
  }),
  prepare: planBackfill,
});

export async function planBackfill(wanted: BackfillOptions, { clients, signal, print, show }: Session) {
  const { prepareBackfill } = await import('../operate/backfill.ts');
  const describe = workFromNow();
  const { facts, apply } = await prepareBackfill({
    ...{ ...wanted, clients, signal },
    onProgress(counts, throttled) {
      const more = [
        `${count(counts.stamped)} written`,
        ...(throttled > 0 ? [`throttled ${count(throttled)} times`] : []),
      ];
      const done = sum(counts);
      show(describe({ what: 'items', done, total: Math.max(facts.itemCount, done), more }));
    },
  });
  return planOf({
    facts: describeFacts(facts),
    apply,
    tell(result) {
      show('');
      print(`\n${[describeResult(result), ...describeNext(result)].join('\n\n')}`);
      if (!result.complete) return { end: 'interrupted' };
      return { end: result.counts.failed > 0 ? 'failed' : 'done' };
    },
  });
}

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((a, b) => a + b);

function describeFacts({ table, ratePerSecond, dryRun, itemCount, seconds }: BackfillFacts): Facts {
  return {
    title: dryRun ? 'Dry run of a backfill' : 'Backfill',
    rows: [
      ['table', table],
      ['rate', `at most ${count(ratePerSecond)} writes a second`],
      ['items', `about ${count(itemCount)}, as DynamoDB counted them last (every six hours)`],
      ['takes', `about ${span(seconds)}${dryRun ? '' : ', if none of them has its window yet'}`],
    ],
  };
}

/** What became of an item: the name of the row, and a note. */
const FATES: Readonly<Record<BackfillFate, readonly [name: string, note: string]>> = {
  stamped: ['stamped', 'its window was written'],
  toStamp: ['to stamp', 'its window would be written (dry run)'],
  rightAlready: ['right already', 'it has the right window'],
  withoutTtl: ['without TTL', 'it has no TTL'],
  changedMeanwhile: [
    'changed meanwhile',
    'it was changed or deleted; run this again if its writer stamps no window',
  ],
  failed: ['failed', 'DynamoDB did not let it be written'],
  notNumber: ['refused: not number', 'the TTL is no Number: it never expires'],
  milliseconds: ['refused: milliseconds', 'the TTL has 13 or 14 digits: it looks like milliseconds'],
  tooFarAhead: ['refused: too far ahead', 'the TTL lies more than 20 years ahead'],
  negative: ['refused: negative', 'the TTL lies before 1970: it never expires'],
  tooOld: ['refused: too old', 'the TTL lies more than five years back: it is ignored'],
};

/** The counts as a table; those of 0 are left out. */
function describeResult({ dryRun, counts }: BackfillResult): string {
  const written = dryRun ? 'toStamp' : 'stamped';
  const fates = (Object.keys(FATES) as BackfillFate[]).filter(fate => counts[fate] > 0 || fate === written);
  const rows = fates.map(fate => [FATES[fate][0], counts[fate], FATES[fate][1]] as const);
  return countTable([['scanned', sum(counts), ''], ...rows]);
}

function describeNext({ counts, failures, dryRun }: BackfillResult): string[] {
  const lines = failures.map(({ key, reason }) => (key === undefined ? reason : `${key}: ${reason}`));
  const first = firstLines(lines, { shown: 10, all: counts.failed });
  const { notNumber, milliseconds, tooFarAhead, negative, tooOld } = counts;
  return [
    ...(counts.failed > 0 ? [['Not written:', ...first].join('\n')] : []),
    ...(notNumber + milliseconds + tooFarAhead + negative + tooOld > 0
      ? ['Items that were refused are never deleted: mend their writers, then the items (docs/adopt.md).']
      : []),
    ...(dryRun ? ['Nothing was written.'] : []),
  ];
}
