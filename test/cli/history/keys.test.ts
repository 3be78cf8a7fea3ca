import { OUTCOME_COUNTS } from '../../../cli/deployment/sweep-outcome.ts';
import type { History } from '../../../cli/history/job.ts';
import { historyReport } from '../../../cli/history/report.ts';
import { describeHistory } from '../../../cli/history/text.ts';
import { hashOfKey } from '../../../functions/report/shown-keys.ts';
import type { LogKeys } from '../../../functions/runtime/environment.ts';
import { noCounts } from '../../../statemachine/counts.ts';

const NO_OUTCOME = { ...noCounts(OUTCOME_COUNTS), lagMs: null };
const KEY = { id: { S: 'somebody@example.com' } };
const HASH = hashOfKey(KEY, ['id'], 'Sessions');
const AT = new Date('2026-11-21T12:00:00Z');

const historyOf = (logKeys: LogKeys): History => ({
  region: 'eu-west-1',
  since: AT.getTime(),
  tables: [
    {
      tableName: 'Sessions',
      name: 'precise-ttl-Sessions',
      more: false,
      keys: { tableName: 'Sessions', keyNames: ['id'], logKeys },
      sweeps: [
        {
          name: 'one',
          kind: 'tick',
          status: 'FAILED',
          startedAt: AT,
          stoppedAt: AT,
          outcome: { ...NO_OUTCOME, found: 1, failed: 1 },
          failure: 'something was left',
          failedKeys: [{ key: KEY, reason: 'ValidationError' }],
        },
      ],
    },
  ],
});

test.each([
  { logKeys: 'full', mask: false, shown: JSON.stringify(KEY) },
  { logKeys: 'full', mask: true, shown: HASH },
  { logKeys: 'hash', mask: false, shown: HASH },
  { logKeys: 'none', mask: true, shown: undefined },
] as const)('logKeys $logKeys, --mask $mask: a key is shown as $shown', ({ logKeys, mask, shown }) => {
  const history = historyOf(logKeys);
  expect(describeHistory(history, { mask })).toContain(`not deleted: ${shown ?? 'a key'} (ValidationError)`);
  const [sweep] = historyReport(history, { mask }).tables[0]?.sweeps ?? [];
  expect(sweep?.failedKeys).toEqual([{ ...(shown && { key: shown }), reason: 'ValidationError' }]);
});
