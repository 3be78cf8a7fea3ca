import { shortKey } from '../print.ts';
import type { Unreadable } from './find-images.ts';
import type { RestoredKey } from './restored-key.ts';

export interface RestoreFacts {
  readonly tableName: string;
  readonly endpoint: string;
  readonly region: string;
  readonly archive: string;
  readonly objects: number;
  readonly dates: number;
  readonly keys: number;
  readonly found: number;
  /** Epoch seconds; undefined: none. */
  readonly expiresAt: number | undefined;
  readonly dryRun: boolean;
}

const count = (amount: number, what: string) =>
  `${amount.toLocaleString('en-US')} ${what}${amount === 1 ? '' : 's'}`;

/** What stands before the question. */
export function describeFacts(facts: RestoreFacts): string {
  const { tableName, endpoint, region, archive, objects, dates, keys, found, expiresAt, dryRun } = facts;
  const expiry = expiresAt === undefined ? 'none' : new Date(expiresAt * 1000).toISOString();
  return `Restore into ${tableName} in ${region}, ${endpoint}${dryRun ? ' (dry run: nothing is written)' : ''}
  archive     ${archive}: ${count(objects, 'object')} of ${count(dates, 'date')} read
  found       ${found.toLocaleString('en-US')} of ${count(keys, 'key')}
  new expiry  ${expiry}`;
}

/** What each fate is called, in the order in which they are told. */
const FATES: Readonly<Record<RestoredKey['fate'], string>> = {
  found: 'would be written, unless an item is there',
  restored: 'restored',
  thereAlready: 'there already: not touched',
  notInArchive: 'not in the archive',
  failed: 'refused by DynamoDB',
  notTried: 'not tried',
};

/** Keys of one fate that are listed. */
const SHOWN_KEYS = 10;

/** A key as it may be shown. */
export type ShownRestoredKey = Omit<RestoredKey, 'key'> & { readonly key: string | undefined };

/** How many keys there are of each fate, and some of those that somebody has to look after. So of what cannot be read. */
export function describeOutcome(
  keys: readonly ShownRestoredKey[],
  dryRun: boolean,
  unreadable: Unreadable,
): string {
  const lines = (Object.keys(FATES) as RestoredKey['fate'][]).flatMap(fate => {
    const those = keys.filter(key => key.fate === fate);
    const isExpected = fate === (dryRun ? 'found' : 'restored');
    if (those.length === 0 && !isExpected) return [];
    const line = `${those.length.toLocaleString('en-US')} ${FATES[fate]}`;
    return [line, ...(isExpected ? [] : listed(those))];
  });
  return [...lines, ...describeUnreadable(unreadable)].join('\n');
}

function describeUnreadable({ lines, first }: Unreadable): string[] {
  if (lines === 0) return [];
  const shown = first.slice(0, SHOWN_KEYS).map(each => `  ${each}`);
  const more =
    lines > shown.length ? [`  and ${lines - shown.length} more: --json FILE names the first`] : [];
  return [
    `${count(lines, 'line')} of the archive cannot be read and ${lines === 1 ? 'was' : 'were'} passed over:`,
    ...shown,
    ...more,
  ];
}

function listed(keys: readonly ShownRestoredKey[]): string[] {
  const shown = keys.filter(({ key }) => key !== undefined);
  const more =
    shown.length > SHOWN_KEYS ? [`  and ${shown.length - SHOWN_KEYS} more: --json FILE has all`] : [];
  return [
    ...shown
      .slice(0, SHOWN_KEYS)
      .map(({ key = '', reason }) => `  ${shortKey(key)}${reason === undefined ? '' : `: ${reason}`}`),
    ...more,
  ];
}
