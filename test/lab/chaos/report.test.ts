import { type ChaosReport, formatChaosReport, MAX_LOST_MS, verdictOf } from '../../../lab/chaos/report.ts';
import { Accounts } from '../../../lab/ledger/accounts.ts';

function report(overrides: Partial<ChaosReport> = {}): ChaosReport {
  return {
    seed: 42,
    deleteMode: 'guarded',
    counts: { items: 1000, renewals: 100, deletedByUs: 50, swept: 800, held: 0, released: 0 },
    faults: { throttled: 12 },
    accounts: new Accounts(),
    archive: undefined,
    s3: {},
    violations: [],
    problems: [],
    longestLostMs: 120,
    interrupted: false,
    ...overrides,
  };
}

test('a run that kept every promise says so, with its seed and what was injected', () => {
  expect(verdictOf(report())).toBe('kept');
  const text = formatChaosReport(report());
  expect(text).toContain('Nothing lost, nothing wrongly deleted, every count adds up (seed 42).');
  expect(text).toMatch(/throttled +12 calls refused/);
  expect(text).toMatch(/cutBefore +0 /);
});

test('a violation is told with the seed and the history of the item', () => {
  const violations = [{ finding: 'left', id: 'item-7', history: ['10:00 wrote', '10:01 renewed'] }] as const;
  const broken = report({ violations });
  expect(verdictOf(broken)).toBe('violated');
  const text = formatChaosReport(broken);
  expect(text).toMatch(/lost +1\n/);
  expect(text).toContain('Violated, with seed 42:');
  expect(text).toContain('item-7: lost\n  10:00 wrote\n  10:01 renewed');
});

test('so are problems and counts that do not add up', () => {
  expect(formatChaosReport(report({ problems: ['the stream broke'] }))).toContain('  the stream broke');
  const accounts = new Accounts();
  accounts.wrong.push('x found 1');
  expect(verdictOf(report({ accounts }))).toBe('violated');
  expect(formatChaosReport(report({ accounts }))).toContain('not in 1 executions');
});

test('a run that was interrupted claims nothing', () => {
  expect(formatChaosReport(report({ interrupted: true }))).toContain('Interrupted: nothing can be said');
});

describe('a machine that is far behind', () => {
  const slow = MAX_LOST_MS + 1;
  const lost = { finding: 'left', id: 'a', history: [] } as const;
  const early = { finding: 'liveDeleted', id: 'a', history: [] } as const;

  test.each([
    ['as slow as may be', { longestLostMs: MAX_LOST_MS }, 'kept'],
    ['too slow', { longestLostMs: slow }, 'undecided'],
    ['too slow, and something was left', { longestLostMs: slow, violations: [lost] }, 'undecided'],
    ['too slow, and a count is wrong', { longestLostMs: slow, problems: ['deleted 2'] }, 'undecided'],
    ['too slow, and what lived was deleted', { longestLostMs: slow, violations: [lost, early] }, 'violated'],
    ['too slow, and interrupted', { longestLostMs: slow, interrupted: true }, 'interrupted'],
    ['fast, and something was left', { violations: [lost] }, 'violated'],
  ] as const)('%s: %j', (_case, overrides, verdict) => {
    expect(verdictOf(report(overrides))).toBe(verdict);
  });

  test('is said', () => {
    const text = formatChaosReport(report({ longestLostMs: 3456 }));
    expect(text).toMatch(/machine +3,456 ms behind/);
    expect(text).toContain('proves nothing (seed 42)');
  });
});
