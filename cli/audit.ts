/** `precise-ttl audit`: checks that every deletion was archived and published. See `--help`. */
import type { AuditVerdict } from '../operate/audit/report.ts';
import { FlagError, textFlag } from './flags.ts';
import { defineLook, MASK, NOT_KNOWN } from './look.ts';
import { workFromNow } from './output/work.ts';
import { readTime } from './times.ts';

const STATUS: Readonly<Record<AuditVerdict, number>> = { equal: 0, differs: 1, unknown: NOT_KNOWN };

export const command = defineLook({
  name: 'audit',
  usage: '--from TIME [flags]',
  flags: {
    from: textFlag(
      'TIME',
      'deletions from then on: a date in UTC, or a time in ISO-8601 with a zone; at most 14 days ago',
    ),
    to: textFlag('TIME', 'deletions before then (default: now)'),
    mask: MASK,
  },
  tables: 'all that have archive or events',
  about: `Compares what the sweeps deleted with what the archive and the events have seen of it: how much, in which minutes something is missing,
which keys, and what mends it. Each of them keeps its own book in the journal, for 14 days. Times are those of the deletions, not of the
expiry. It reads only, an hour of deletions at a time.`,
  more: 'What a reader may still see in time is not missing: it is told as not known. docs/operate.md has more.',
  services: ['DYNAMODB'],
  status:
    '0 all was seen, 1 something is missing, 3 it is not known: nothing is in the books, something may still come, wrong flags, the journal could not be read',
  failureStatus: NOT_KNOWN,
  interrupted: 'nothing was compared',
  read({ from, to, mask }) {
    if (from === undefined)
      throw new FlagError(
        '--from: expected the time of the first deletions, got nothing; write --from 2026-11-20T09:00:00Z',
      );
    return {
      mask,
      from: new Date(readTime('from', from)),
      to: to === undefined ? undefined : new Date(readTime('to', to)),
    };
  },
  async look({ asked, config, table, signal, wantsReport, tell, show }) {
    const now = Date.now();
    const [{ compareDeletions }, { describeAudit, SHOWN_KEYS }] = await Promise.all([
      import('../operate/audit/audit.ts'),
      import('./audit/text.ts'),
    ]);
    const describe = workFromNow();
    const report = await compareDeletions({
      ...{ ...asked, config, table, signal, now: () => now },
      ...(!wantsReport && { maxKeys: SHOWN_KEYS }),
      onProgress: done => show(describe({ ...done, what: 'hours' })),
    });
    tell({ report, text: () => describeAudit(report, now) });
    return STATUS[report.verdict];
  },
});
