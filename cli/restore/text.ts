import type {
  DrillResult,
  RestoredKey,
  RestoreFacts,
  RestoreResult,
  Unreadable,
} from '../../operate/changes.ts';
import { count, firstLines } from '../numbers.ts';
import type { Facts } from '../operation.ts';
import { shortKey } from '../print.ts';
import { describeDuration } from '../times.ts';

const amount = (number: number, what: string) => `${count(number)} ${what}${number === 1 ? '' : 's'}`;

/** Describes the items that a restore will write. */
export function describeRestore(facts: RestoreFacts, dryRun: boolean): Facts {
  const { table, archive, objects, dates, keys, found, expiresAt } = facts;
  return {
    title: `Restore into ${table}${dryRun ? ' (dry run: nothing is written)' : ''}`,
    rows: [
      ['archive', `${archive}: ${amount(objects, 'object')} of ${amount(dates, 'date')} read`],
      ['found', `${count(found)} of ${amount(keys, 'key')}`],
      ['new expiry', expiresAt ?? 'none'],
    ],
  };
}

/** The label of each fate, in the order in which they are shown. */
const FATES: Readonly<Record<RestoredKey['fate'], string>> = {
  found: 'would be written, unless an item is there',
  restored: 'restored',
  thereAlready: 'there already: not touched',
  notInArchive: 'not in the archive',
  failed: 'refused by DynamoDB',
  notTried: 'not tried',
};

/** Keys that are listed for one fate. */
const SHOWN_KEYS = 10;

/** The number of keys for each fate, with some keys that need attention. Lines that cannot be read are listed in the same way. */
export function describeOutcome({
  keys,
  dryRun,
  unreadable,
}: Pick<RestoreResult, 'keys' | 'dryRun' | 'unreadable'>): string {
  const lines = (Object.keys(FATES) as RestoredKey['fate'][]).flatMap(fate => {
    const those = keys.filter(key => key.fate === fate);
    const isExpected = fate === (dryRun ? 'found' : 'restored');
    if (those.length === 0 && !isExpected) return [];
    const line = `${count(those.length)} ${FATES[fate]}`;
    return [line, ...(isExpected ? [] : listed(those))];
  });
  return [...lines, ...describeUnreadable(unreadable)].join('\n');
}

function describeUnreadable({ lines, first }: Unreadable): string[] {
  if (lines === 0) return [];
  return [
    `${amount(lines, 'line')} of the archive cannot be read and ${lines === 1 ? 'was' : 'were'} passed over:`,
    ...firstLines(first, { shown: SHOWN_KEYS, all: lines, where: ': --json FILE names the first' }),
  ];
}

function listed(keys: readonly RestoredKey[]): string[] {
  const lines = keys.flatMap(({ key, reason }) =>
    key === undefined ? [] : [`${shortKey(key)}${reason === undefined ? '' : `: ${reason}`}`],
  );
  return firstLines(lines, { shown: SHOWN_KEYS });
}

/** Lines that are shown of those that cannot be restored. */
const SHOWN = 20;

/** The result of a drill, and the cost of a full restore. */
export function describeDrill(result: DrillResult): string {
  const { lines, restored, objects, poisoned, milliseconds, full } = result;
  return [
    `${count(lines)} lines read, of ${count(objects)} objects`,
    `${count(restored)} restored: each was written, read back and is the same`,
    `${count(poisoned.length)} poisoned`,
    ...firstLines(poisoned, { shown: SHOWN }),
    `It took ${describeDuration(milliseconds)}.`,
    ...(full === undefined
      ? []
      : [
          `All of these dates: about ${count(full.lines)} lines, ${describeDuration(full.seconds * 1000)} at most, $${full.dollars.toFixed(2)} in us-east-1, and as much again for each index.`,
        ]),
  ].join('\n');
}
