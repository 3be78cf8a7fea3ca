import { afterPage, startPoll } from '../../../functions/child/poll.ts';
import type { SweepTarget } from '../../../statemachine/contract/targets.ts';

const START = 1_795_165_260;
const target: SweepTarget = {
  windows: [{ start: 0, shards: '0' }],
  from: 0,
  before: START + 60,
  upcomingFrom: START,
};
const pace = { precisionSeconds: 1, pollSeconds: 1 };

describe('windows that have ended and hold what is due later are known', () => {
  const behind = { indexKey: 0, key: null };

  test.each([
    ['a whole poll saw such', { holdsStrays: false, from: null, to: null, sawStrays: true }, true],
    ['a whole poll saw none any more', { holdsStrays: true, from: null, to: null, sawStrays: false }, false],
    ['a first page saw such', { holdsStrays: false, from: null, to: behind, sawStrays: true }, true],
    ['a first page saw none yet', { holdsStrays: true, from: null, to: behind, sawStrays: false }, true],
    [
      'a last page saw none, unlike others',
      { holdsStrays: true, from: behind, to: null, sawStrays: false },
      true,
    ],
  ])('%s', (_name, { holdsStrays, from, to, sawStrays }, expected) => {
    const poll = { ...startPoll(target), holdsStrays, position: from };
    const page = { due: [], cutoff: START + 5, ahead: 0, position: to, nextExpiry: START + 9, sawStrays };
    expect(afterPage(poll, target, page, pace).holdsStrays).toBe(expected);
  });
});
