import { describeHistory } from '../../../cli/status/text.ts';
import { hashOfKey } from '../../../functions/report/shown-keys.ts';
import { OUTCOME_COUNTS, type Sweep } from '../../../operate/deployment/sweep.ts';
import { withKeys } from '../../../operate/history/history.ts';
import { keysToShow } from '../../../operate/table/key-text.ts';
import { noCounts } from '../../../statemachine/counts.ts';

const NO_OUTCOME = { ...noCounts(OUTCOME_COUNTS), lagMs: null };
const KEY = { id: { S: 'somebody@example.com' } };
const HASH = hashOfKey(KEY, ['id'], 'Sessions');
const AT = new Date('2026-11-21T12:00:00Z');

const SWEEP: Sweep = {
  ...{ name: 'one', kind: 'tick', status: 'FAILED', startedAt: AT, stoppedAt: AT },
  outcome: { ...NO_OUTCOME, found: 1, failed: 1 },
  failure: 'something was left',
  failedKeys: [{ key: KEY, reason: 'ValidationError' }],
};

test.each([
  { logKeys: 'full', mask: false, shown: JSON.stringify(KEY) },
  { logKeys: 'full', mask: true, shown: HASH },
  { logKeys: 'hash', mask: false, shown: HASH },
  { logKeys: 'none', mask: true, shown: undefined },
] as const)('logKeys $logKeys, --mask $mask: a key is shown as $shown', ({ logKeys, mask, shown }) => {
  const keys = { tableName: 'Sessions', keyNames: ['id'], logKeys: keysToShow(logKeys, mask) };
  const sweep = withKeys(SWEEP, keys);
  expect(sweep.failedKeys).toEqual([{ ...(shown && { key: shown }), reason: 'ValidationError' }]);
  const table = { tableName: 'Sessions', name: 'precise-ttl-Sessions', sweeps: [sweep] };
  const text = describeHistory({ region: 'eu-west-1', since: AT.toISOString(), tables: [table] });
  expect(text).toContain(`not deleted: ${shown ?? 'a key'} (ValidationError)`);
});
