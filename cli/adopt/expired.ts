import { settingsOfProps } from '../../config/props.ts';
import { DELETES_PER_SECOND, type ExpiredBefore } from '../../operate/adopt/delete-expired.ts';
import type { AdoptionPlan } from '../../operate/adopt/plan.ts';
import type { Reading } from '../../operate/adopt/reading.ts';
import { commandLine, quoted } from '../../operate/command-line.ts';
import { count, span } from '../numbers.ts';

/** `3,943 items are expired already, the oldest since 2023-04-05` */
export function describeExpired(
  { count: items, isEstimate, oldest }: ExpiredBefore,
  sampled: number,
): string {
  const since =
    oldest === undefined
      ? ''
      : `, the oldest ${isEstimate ? 'seen ' : ''}since ${new Date(oldest * 1000).toISOString().slice(0, 10)}`;
  const number = isEstimate
    ? `About ${count(items)} items, as a sample of ${count(sampled)} has it,`
    : `${count(items)} ${items === 1 ? 'item' : 'items'}`;
  return `${number} ${items === 1 && !isEstimate ? 'is' : 'are'} expired already${since}`;
}

/** Asks whether the expired items are to be deleted now. */
export function askToDelete(expired: ExpiredBefore, sampled: number, deletesPerSecond: number): string {
  return (
    `${describeExpired(expired, sampled)}: delete ${expired.count === 1 ? 'it' : 'them'} now, at ${count(deletesPerSecond)} a second, ` +
    `about ${span(expired.seconds)}? One that is renewed meanwhile stays.`
  );
}

/** Says who deletes the items that expired before the adoption and were not deleted by it. */
export function whoDeletesTheRest(command: string): string {
  return `Native TTL deletes them, usually within days. This deletes them at any time:\n  ${command}`;
}

/** The command that deletes the items that have already expired. */
export function deleteCommand(
  { ttl, configuration, index }: AdoptionPlan,
  { table, region }: Pick<Reading, 'table' | 'region'>,
): string {
  const { indexedBy, indexName } = settingsOfProps(configuration);
  return commandLine(
    'adopt',
    quoted([
      ...['--table', table.name, '--ttl-attribute', ttl.attribute, '--region', region],
      ...(indexedBy === undefined ? [] : ['--by', String(indexedBy)]),
      ...(indexName === undefined ? [] : ['--index-name', index.name]),
      ...['--delete-expired', String(DELETES_PER_SECOND)],
    ]),
  );
}
