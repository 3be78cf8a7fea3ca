import { journalOf } from '../../../functions/journal/lambda-journal.ts';
import type { JournalTable } from '../../../functions/journal/read-state.ts';

const since = '2026-11-20T09:00:00.000Z';
const START = Date.parse(since);
const PAUSED = { Items: [{ id: 'deployment', at: 'table#orders', pause: { since } }] };

/** A journal whose table answers each query with the next of these, and its clock. */
function journalAnswering(...answers: (object | Error)[]) {
  const clock = { nowMs: START };
  const send = jest.fn(async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const table = { documents: { send }, tableName: 'precise-ttl-journal' } as unknown as JournalTable;
  return { journal: journalOf(table, () => clock.nowMs), send, clock };
}

describe('whether tables are paused', () => {
  test('is read once in two seconds, consistently, for all of them', async () => {
    const { journal, send, clock } = journalAnswering(PAUSED, { Items: [] });
    const read = async () => [await journal.isPaused('orders'), await journal.isPaused('sessions')];
    await expect(read()).resolves.toEqual([true, false]);
    clock.nowMs += 1_999;
    await expect(read()).resolves.toEqual([true, false]);
    expect(send).toHaveBeenCalledTimes(1);
    expect(send).toHaveBeenCalledWith(
      expect.objectContaining({ input: expect.objectContaining({ ConsistentRead: true }) }),
    );
    clock.nowMs += 1;
    await expect(read()).resolves.toEqual([false, false]);
    expect(send).toHaveBeenCalledTimes(2);
  });

  test('follows the end of a pause that is kept', async () => {
    const until = new Date(START + 500).toISOString();
    const { journal, clock } = journalAnswering({ Items: [{ ...PAUSED.Items[0], pause: { since, until } }] });
    await expect(journal.isPaused('orders')).resolves.toBe(true);
    clock.nowMs += 500;
    await expect(journal.isPaused('orders')).resolves.toBe(false);
  });

  test('is asked again after a read that failed', async () => {
    const { journal } = journalAnswering(new Error('no answer'), PAUSED);
    const refused = { name: 'JournalUnreadableError' };
    await expect(journal.isPaused('orders')).rejects.toMatchObject(refused);
    await expect(journal.isPaused('orders')).resolves.toBe(true);
  });

  test('is not known from a malformed pause', async () => {
    const { journal } = journalAnswering({ Items: [{ ...PAUSED.Items[0], pause: 'yes' }] });
    await expect(journal.isPaused('orders')).rejects.toMatchObject({ name: 'JournalUnreadableError' });
  });

  test('a tick reads anew', async () => {
    const { journal, send } = journalAnswering({ Items: [] }, PAUSED);
    await journal.isPaused('orders');
    const { pauses } = await journal.read();
    expect(pauses).toEqual({ orders: { since } });
    expect(send).toHaveBeenCalledTimes(2);
  });
});
