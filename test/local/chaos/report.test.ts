import { Accounts } from '../../../local/chaos/accounts.ts';
import { type ChaosReport, formatChaosReport, kept } from '../../../local/chaos/report.ts';

function report(overrides: Partial<ChaosReport> = {}): ChaosReport {
  return {
    seed: 42,
    deleteMode: 'guarded',
    counts: { items: 1000, renewals: 100, deletedByUs: 50, swept: 800 },
    faults: { throttled: 12 },
    kills: 0,
    accounts: new Accounts(),
    violations: [],
    problems: [],
    interrupted: false,
    ...overrides,
  };
}

test('a run that kept every promise says so, with its seed and what was injected', () => {
  expect(kept(report())).toBe(true);
  const text = formatChaosReport(report());
  expect(text).toContain('Nothing lost, nothing wrongly deleted, every count adds up (seed 42).');
  expect(text).toMatch(/throttled +12 calls refused/);
  expect(text).toMatch(/cutBefore +0 /);
});

test('a violation is told with the seed and the history of the item', () => {
  const violations = [{ what: 'lost', id: 'item-7', history: ['10:00 wrote', '10:01 renewed'] }] as const;
  const broken = report({ violations });
  expect(kept(broken)).toBe(false);
  const text = formatChaosReport(broken);
  expect(text).toMatch(/lost +1\n/);
  expect(text).toContain('Violated, with seed 42:');
  expect(text).toContain('item-7: lost\n  10:00 wrote\n  10:01 renewed');
});

test('so are problems and counts that do not add up', () => {
  expect(formatChaosReport(report({ problems: ['the stream broke'] }))).toContain('  the stream broke');
  const accounts = new Accounts();
  accounts.wrong.push('x found 1');
  expect(kept(report({ accounts }))).toBe(false);
  expect(formatChaosReport(report({ accounts }))).toContain('not in 1 executions');
});

test('a run that was interrupted claims nothing', () => {
  expect(formatChaosReport(report({ interrupted: true }))).toContain('Interrupted: nothing can be said');
});
