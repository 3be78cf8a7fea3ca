import type { S3Counts } from './archived.ts';
import type { ArchiverResult } from './archiver.ts';
import type { FirstResult } from './first.ts';

/** What was counted, for a person. */
export function archiverText({ counts, s3, objectsAgain, ...result }: ArchiverResult): string {
  return table([
    ['expired items', counts.expiries],
    ['user deletes before the expiry', counts.userDeletes],
    ['items alive at the end', counts.alive],
    ['objects', counts.objects],
    ['  stored again, the same bytes', objectsAgain],
    ['  with nothing that another one does not have', counts.objectsTwice],
    ['lines', counts.lines],
    ['  of items that another line has', counts.linesTwice],
    ['kills', result.kills],
    ['  while removals waited', result.killsAtWork],
    ['  in the middle of an invocation', result.killsInvoking],
    ...s3Rows(s3),
    ['seconds', result.seconds],
  ]);
}

/** What was counted, for a person. */
export function firstText({ counts, s3, ...result }: FirstResult): string {
  return table([
    ['deleted', counts.deleted],
    ['items alive at the end', counts.alive],
    ['copies', counts.copies],
    ['  of items that were not deleted so', counts.keptCopies],
    ['  of them without a mark, as their execution was killed', counts.unmarkedByKill],
    ['marks', counts.marks],
    ['kills', result.kills],
    ['  while expired items were left', result.killsAtWork],
    ...s3Rows(s3),
    ['seconds', result.seconds],
  ]);
}

function s3Rows({
  calls,
  throttled = 0,
  unavailable = 0,
  cut = 0,
  hanging = 0,
}: S3Counts): [string, number][] {
  return [
    ['calls of S3', calls],
    ['  failed', throttled + unavailable + cut],
    ['  never answered', hanging],
  ];
}

function table(rows: readonly (readonly [string, number])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows
    .map(([name, count]) => `${name.padEnd(width)}  ${count.toLocaleString('en-US').padStart(8)}`)
    .join('\n');
}
