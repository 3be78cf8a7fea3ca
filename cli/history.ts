import { switchFlag, textFlag, wholeNumber } from './flags.ts';
/** `precise-ttl history`: lists the executions of the last days with their reports. See `--help`. */

import { defineLook, MASK } from './look.ts';
import { readDuration } from './times.ts';

export const command = defineLook({
  name: 'history',
  flags: {
    since: { ...textFlag('SPAN', 'how far back: 90m, 24h, 7d; the journal keeps 90 days'), default: '24h' },
    failed: switchFlag('only those that left something, with causes and keys that were not deleted'),
    limit: {
      ...wholeNumber(1, 150_000, 'executions of a table at the most, the newest ones; a busy day has 1,440'),
      default: 1_600,
    },
    mask: MASK,
  },
  tables: 'all of them',
  about: `Lists from the journal what the sweeps of a table came to, the newest first: what each execution was, what it found and deleted, how
late, and what it left. A tick that had nothing to do is not in it. It changes nothing.`,
  services: ['DYNAMODB'],
  status: '0 listed, 1 it could not be listed, 2 wrong flags',
  interrupted: 'nothing was listed',
  read: ({ since, failed, limit, mask }) => ({
    ...{ failed, limit, mask },
    sinceMs: readDuration('--since', since, { least: '1s', most: '90d' }),
  }),
  async look({ asked, config, table, signal, tell }) {
    const [{ readHistory }, { describeHistory }] = await Promise.all([
      import('../operate/history/history.ts'),
      import('./history/text.ts'),
    ]);
    const report = await readHistory({ ...asked, config, table, signal });
    tell({ report, text: () => describeHistory(report) });
    return 0;
  },
});
