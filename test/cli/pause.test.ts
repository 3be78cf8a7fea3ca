/** @jest-environment ./test/support/dynamodb-environment.ts */
import fc from 'fast-check';
import { command as pause, pauseTable, resume } from '../../cli/pause.ts';
import { journalOf } from '../../functions/journal/lambda-journal.ts';
import { journalName } from '../../functions/journal/layout.ts';
import { type JournalTable, readState } from '../../functions/journal/read-state.ts';
import { writeWatermarks } from '../../functions/journal/write-entries.ts';
import { configOf } from '../support/configs.ts';
import { createJournal } from '../support/expiring-table.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { ran, testListedActions } from '../support/ran.ts';

const dynamo = useLocalDynamoDb();
const time = (minutes: number) => new Date(Date.UTC(2026, 10, 20, 9, minutes)).toISOString();
const at = (minutes: number) => () => Date.parse(time(minutes));
const pauses = async (journal: JournalTable) => (await readState(journal)).pauses;

test('the operators and the ticks write beside each other, and nobody loses anything', async () => {
  const writes = fc.record({
    pauses: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
    gone: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 }),
  });
  const property = fc.asyncProperty(writes, async written => {
    const table = await createJournal(dynamo.client);
    const journal = journalOf(table, () => Date.parse(time(0)));
    await Promise.all([
      ...written.pauses.map(each => pauseTable(table, each, { since: time(0) })),
      // Each table by a tick of its own: the worst case.
      ...written.gone.map(each =>
        journal.writeWatermarks(time(0), { [each]: { since: 1, gone: 9, at: time(0), shards: 1 } }),
      ),
    ]);
    const { pauses: paused, watermarks } = await readState(table);
    expect(Object.keys(paused).sort()).toEqual(written.pauses.toSorted());
    expect(Object.keys(watermarks.tables).sort()).toEqual(written.gone.toSorted());
  });
  await fc.assert(property, { numRuns: 20 });
});

let deployments = 0;

async function deployed() {
  deployments += 1;
  const sweep = `paused-${deployments}`;
  const journal = await createJournal(dynamo.client, sweep);
  const config = configOf(
    { tableName: 'Sessions', partitionKey: 'id', deployment: sweep },
    { tableName: 'Tokens', partitionKey: 'id', deployment: sweep },
  );
  return { journal, around: { config, clients: { documents: journal.documents } } };
}

test('pause writes it for one table or all, and says what was before and what is', async () => {
  const { journal, around } = await deployed();
  const one = await ran(pause, ['--table', 'Sessions'], { ...around, now: at(0) });
  expect([one.question, one.exit, one.data]).toEqual([
    'Pause there?',
    0,
    { tables: [{ table: 'Sessions', pause: { since: time(0) } }] },
  ]);
  expect(await pauses(journal)).toEqual({ Sessions: { since: time(0) } });
  const all = await ran(pause, ['--for', '30m'], { ...around, now: at(5) });
  expect(all.text).toBe(
    [
      'In us-east-1:',
      'Sessions is paused since 09:00:00Z, until npx precise-ttl resume --table Sessions.',
      'Tokens is swept.',
      '',
      'Sessions is paused since 09:00:00Z, until 09:35:00Z.',
      'Tokens is paused since 09:05:00Z, until 09:35:00Z.',
      'Deletes stop within five seconds, also those of replays. Later the ticks delete what has expired until then.',
    ].join('\n'),
  );
  expect(await pauses(journal)).toEqual({
    Sessions: { since: time(0), until: time(35) },
    Tokens: { since: time(5), until: time(35) },
  });
  // Without an end, and when the one before is over.
  await ran(pause, ['--table', 'Sessions'], { ...around, now: at(10) });
  await ran(pause, ['--table', 'Tokens'], { ...around, now: at(35) });
  expect(await pauses(journal)).toEqual({ Sessions: { since: time(0) }, Tokens: { since: time(35) } });
});

test('pause takes from a minute to 180 days', () => {
  const refused = ['59s', '181d', '1.5h', '5', 'forever'].filter(value => {
    try {
      return !pause.parse(['--for', value]);
    } catch {
      return true;
    }
  });
  expect([refused.length, pause.parse(['--for', '180d'])['for']]).toEqual([5, 180 * 86_400_000]);
});

test('both refuse where nothing is deployed', async () => {
  const config = configOf({ tableName: 'Sessions', partitionKey: 'id', deployment: 'nowhere' });
  const { documents } = (await deployed()).journal;
  for (const command of [pause, resume])
    await expect(ran(command, [], { config, clients: { documents } })).rejects.toThrow(
      `journal: expected the table ${journalName('nowhere')} in us-east-1, got nothing. Deploy first`,
    );
});

test('resume ends the pause, and tells from when on the ticks make up for it', async () => {
  const { journal, around } = await deployed();
  const gone = at(-1)() / 1_000;
  const swept = [{ from: gone, to: gone + 60, tick: time(0), part: 0, parts: 1 }];
  const watermark = { since: gone - 86_400, gone, at: time(0), shards: 2, swept };
  await writeWatermarks(journal, time(0), { Sessions: watermark });
  await pauseTable(journal, 'Sessions', { since: time(0) });
  const { question, text, data } = await ran(resume, [], { ...around, now: at(60) });
  expect(question).toBe('Resume there, and let the ticks delete what is expired?');
  expect(text.split('\n').slice(-2)).toEqual([
    'Sessions: resumed. The ticks make up for what was due from 09:00:00Z to 10:00:00Z by themselves.',
    'Tokens: was not paused.',
  ]);
  expect(data).toEqual({
    tables: [
      {
        table: 'Sessions',
        was: { since: time(0) },
        left: { from: time(0), to: time(60) },
      },
      { table: 'Tokens', was: null, left: null },
    ],
  });
  expect(await pauses(journal)).toEqual({});
  const again = await ran(resume, [], { ...around, now: at(61) });
  expect([again.question, again.exit]).toEqual([undefined, 0]);
});

test('resume of a table that no tick has swept promises no time', async () => {
  const { journal, around } = await deployed();
  await pauseTable(journal, 'Tokens', { since: time(0) });
  const { text } = await ran(resume, ['--table', 'Tokens'], { ...around, now: at(1) });
  expect(text).toContain('Tokens: resumed. No tick has swept it yet: the first one begins two days back.');
});

testListedActions({ pause, resume });
