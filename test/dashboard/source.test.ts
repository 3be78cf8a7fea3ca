import { setTimeout as sleep } from 'node:timers/promises';
import { Source } from '../../dashboard/source.ts';

const never = () => new Promise<never>(() => {});

function source(read: (signal: AbortSignal) => Promise<number>, end = new AbortController()) {
  const answers: number[] = [];
  const made = new Source({
    ...{ name: 'status', everyMs: 0, limitMs: 20, read, now: () => 0, signal: end.signal },
    onAnswer: answer => answers.push(answer),
    describe: error => (error as Error).message,
  });
  return { made, answers, end };
}

/** Asks it, and waits until it has answered or was given up. */
async function ask(made: Source<number>): Promise<void> {
  made.ask();
  while (made.report.askedAt !== null) await sleep(5);
}

test('one that never answers is given up, its signal aborts, and it is asked again', async () => {
  const signals: AbortSignal[] = [];
  const { made } = source(signal => {
    signals.push(signal);
    return never();
  });
  await ask(made);
  expect([made.report.failure, signals[0]?.aborted]).toEqual(['no answer within 0.02 s', true]);
  await ask(made);
  expect(signals).toHaveLength(2);
});

test('one that throws before it has promised anything is a failure like any other', async () => {
  const { made } = source(() => {
    throw new Error('no credentials');
  });
  await ask(made);
  expect(made.report).toMatchObject({ failure: 'no credentials', answeredAt: null });
});

test('is asked no more when all has ended', async () => {
  let asked = 0;
  const { made, answers, end } = source(async () => {
    asked += 1;
    return asked;
  });
  await ask(made);
  end.abort();
  await ask(made);
  expect([asked, answers]).toEqual([1, [1]]);
});
