import { readFileSync } from 'node:fs';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { tablesOf } from '../../cli/command.ts';
import type { Facts } from '../../cli/dashboard/looks.ts';
import { countsOf, goneOf, factsOf as readFacts } from '../../cli/facts.ts';
import { OF_THE_DEPLOYMENT } from '../../cli/findings.ts';
import { countsText } from '../../cli/format.ts';
import { wholeReport } from '../../cli/journal.ts';
import { command, exitOf, historyText, tableText } from '../../cli/status.ts';
import { windowKey, windowStart } from '../../expiry/window.ts';
import {
  DEPLOYMENT_ID,
  rowItem,
  type SweepRow,
  tableEntry,
  WATERMARKS_AT,
} from '../../functions/journal/layout.ts';
import { modelOf } from '../../stacks/config/deployments.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { countEach, EXECUTION_COUNTS, wordsOf } from '../../statemachine/counts.ts';
import { configOf } from '../support/configs.ts';
import { factsOf, sweepEnded } from '../support/looks.ts';
import { ran, testListedActions } from '../support/ran.ts';

const START = Date.parse('2026-11-20T12:00:00.000Z');
const NOW = START / 1_000;
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();

const READ = { from: NOW - 1_000, readAt: NOW, oldest: null };
const MARK = { since: NOW - 9_000, gone: NOW - 100 };

test.each<[string, Parameters<typeof goneOf>[0], Parameters<typeof goneOf>[1], [number, number] | null]>([
  ['nothing is known', null, null, null],
  ['only the journal is', null, MARK, [NOW - 9_000, NOW - 100]],
  ['only the index is', READ, null, [NOW - 1_000, NOW - 10]],
  ['both overlap', READ, MARK, [NOW - 9_000, NOW - 10]],
  ['they touch', { ...READ, from: NOW - 99 }, MARK, [NOW - 9_000, NOW - 10]],
  ['there is a gap of a second', { ...READ, from: NOW - 98 }, MARK, [NOW - 9_000, NOW - 100]],
  ['something is overdue', { ...READ, oldest: NOW - 500 }, MARK, [NOW - 9_000, NOW - 501]],
  ['its TTL has a fraction', { ...READ, oldest: NOW - 500.5 }, MARK, [NOW - 9_000, NOW - 501]],
  ['it is older than all that was swept', { ...READ, oldest: NOW - 9_000 }, MARK, null],
  ['no second was read as a whole', { ...READ, from: NOW + 1 }, null, null],
])('what is gone, when %s', (_when, look, mark, expected) => {
  expect(goneOf(look, mark)).toEqual(expected && { since: expected[0], by: expected[1] });
});

interface Written {
  /** Seconds before now. */
  readonly ago: number;
  readonly isStamped: boolean;
}

const TIMEOUT = Object.assign(new Error('no'), { name: 'TimeoutError' });

/** Clients that answer nothing. */
function refusing(error: Error) {
  const refuse = { send: () => Promise.reject(error) };
  return { documents: refuse, dynamoDb: refuse, scheduler: refuse, cloudWatch: refuse };
}

type Values = Readonly<Record<`:${string}`, string | number>>;

/** A table with items and its journal, as a deployment whose sweeps have come to the watermark has left them. */
function tableWith(
  items: readonly Written[],
  goneAgo: number | undefined,
  props: Partial<PreciseTtlProps>,
  rows: readonly SweepRow[] = [],
) {
  const table: PreciseTtlProps = { tableName: 'Sessions', partitionKey: 'id', ...props };
  const { windowAttribute = '', ttlAttribute, granularitySeconds, shards } = modelOf(table);
  const stored = items.map(({ ago, isStamped }, id): Readonly<Record<string, string | number>> => {
    const ttl = NOW - ago;
    const window = windowKey(windowStart(ttl, granularitySeconds), granularitySeconds, id % shards);
    const stamp = isStamped && windowAttribute !== '' && { [windowAttribute]: window };
    return { id: `${id}`, [ttlAttribute]: ttl, ...stamp };
  });
  const within = (from = 0, upTo = from) =>
    stored.filter(item => Number(item[ttlAttribute]) >= from && Number(item[ttlAttribute]) <= upTo);
  const mark = goneAgo !== undefined && {
    since: NOW - 172_800,
    gone: NOW - goneAgo,
    at: iso(NOW),
    shards: 2,
  };
  const watermarks = {
    id: DEPLOYMENT_ID,
    at: WATERMARKS_AT,
    tick: iso(NOW - 30),
    [tableEntry(table.tableName)]: mark,
  };
  const query = (values: Values) => {
    if (values[':id'] === DEPLOYMENT_ID) return mark === false ? [] : [watermarks];
    if (values[':id'] !== undefined) return rows.map(rowItem);
    const range = [values[':from'] ?? values[':second'], values[':upTo']] as [number, number | undefined];
    const read = within(...range).filter(item => item[windowAttribute] === values[':window']);
    return read.toSorted((one, other) => Number(other[ttlAttribute]) - Number(one[ttlAttribute]));
  };
  const scan = (values: Values) => within(...([values[':from'], values[':upTo']] as [number, number]));
  const documents = {
    send: async (sent: { readonly input: { readonly ExpressionAttributeValues: Values } }) => {
      const read = sent instanceof ScanCommand ? scan : query;
      return { Items: read(sent.input.ExpressionAttributeValues), ScannedCount: stored.length };
    },
  };
  return { config: configOf(table), clients: { ...refusing(TIMEOUT), documents } as never, now: () => START };
}

const numberIn = (text: string, pattern: RegExp) =>
  Number((pattern.exec(text)?.[1] ?? '0').replaceAll(',', ''));

/** Holds each statement, and each number of the text, against a scan. */
function falseIn(
  facts: Facts,
  text: string,
  items: readonly { readonly ttl: number; readonly isIndexed: boolean }[],
): string[] {
  const ttls = items.map(({ ttl }) => ttl);
  const indexed = items.filter(({ ttl, isIndexed }) => isIndexed && ttl <= NOW);
  const within = (from: number, to: number) => ttls.filter(ttl => ttl >= from && ttl <= to).length;
  const { gone, overdue, left, watermark } = facts;
  const there = gone === null ? 0 : within(gone.since, gone.by);
  // Two ticks may still find the others, if they were written late.
  const lost = gone === null ? 0 : within(gone.since, Math.min(gone.by, NOW - 180));
  const old = ttls.filter(ttl => ttl < (watermark?.since ?? 0)).length;
  const seen = indexed.map(({ ttl }) => ttl).filter(ttl => ttl >= (overdue?.from ?? Infinity));
  const read = seen.length;
  const [oldest, newest] = read === 0 ? [null, null] : [Math.min(...seen), Math.max(...seen)];
  const statements: [boolean, string][] = [
    [
      lost === left?.unseen && there - lost === left.recent,
      `gone: ${there} are there, ${left?.unseen} and ${left?.recent} are told`,
    ],
    [overdue?.items === read, `overdue: ${overdue?.items}, ${read} are; ${facts.notKnown}`],
    [overdue?.oldest === oldest && overdue.newest === newest, `overdue: from ${oldest} to ${newest}`],
    [(left?.before ?? 0) === old, `before: ${left?.before}, ${old} are`],
    [numberIn(text, /([\d,]+) items? that expired before/) === old, 'text: before'],
    [numberIn(text, /([\d,]+) expired items? (?:is|are) still there that no sweep/) === lost, 'text: unseen'],
    [numberIn(text, /overdue +(?:at least )?([\d,]+) item/) === (facts.isLate ? 0 : read), 'text: overdue'],
    [
      !/is gone/.test(text) ||
        numberIn(text, /is gone.*but for (\d+) items? that no sweep/) +
          numberIn(text, /is gone.* (\d+) items? of the last minutes that the index did not show/) ===
          there,
      'text: gone, but for',
    ],
    [exitOf(facts) === 0 ? lost + old === 0 && !facts.isLate : true, 'exit'],
  ];
  return statements.flatMap(([holds, what]) => (holds ? [] : [what]));
}

const written = fc.record({
  // Around the ten seconds of the index, the two ticks, the watermark and the two days of the first sweep.
  ago: fc.oneof(
    fc.integer({ min: -100, max: 200 }),
    fc.integer({ min: 181, max: 400 }),
    fc.integer({ min: 172_700, max: 172_900 }),
  ),
  isStamped: fc.boolean(),
});

test.each<[string, Partial<PreciseTtlProps>]>([
  ['by window', { index: { granularityMinutes: 60 } }],
  ['by second', { index: { by: 'second' } }],
])('whatever a table holds, no statement about it is false, nor is the text: %s', async (_by, props) => {
  const property = fc.asyncProperty(
    fc.array(written, { maxLength: 12 }),
    fc.option(fc.integer({ min: 0, max: 300 }), { nil: undefined }),
    async (items, goneAgo) => {
      const bySecond = props.index?.by === 'second';
      // What is due before the watermark, and stamped, sweeps have deleted.
      const kept = items.filter(({ ago, isStamped }) => {
        const isSwept = goneAgo !== undefined && ago >= goneAgo && ago <= 172_800;
        return !isSwept || !(isStamped || bySecond);
      });
      // An index that is read back a quarter of an hour only, without a watermark, does not see the others.
      if (goneAgo === undefined && kept.some(({ ago }) => ago > 180)) return;
      const { data, text } = await ran(command, [], tableWith(kept, goneAgo, props));
      const [facts] = (data as { tables: Facts[] }).tables;
      const there = kept.map(({ ago, isStamped }) => {
        return { ttl: NOW - ago, isIndexed: isStamped || bySecond };
      });
      expect(facts && falseIn(facts, text, there)).toEqual([]);
    },
  );
  await fc.assert(property);
});

test('a table is scanned once a minute, however often it is looked at', async () => {
  const { config, clients } = tableWith([], 60, {});
  const { documents } = clients as { documents: { send(sent: object): unknown } };
  const sent = jest.spyOn(documents, 'send');
  const tables = tablesOf(config);
  const scansAt = async (ms: number) => {
    await readFacts({ tables, clients, now: () => START + ms, leftMs: () => 13_000 }, 1);
    return sent.mock.calls.filter(([command]) => command instanceof ScanCommand).length;
  };
  expect([await scansAt(0), await scansAt(59_000), await scansAt(60_000)]).toEqual([1, 1, 2]);
});

test('--history lists what the sweeps of a day came to, with what they could not delete', async () => {
  const row = (minutes: number, report: Parameters<typeof wholeReport>[0]) => ({
    ...{ table: 'Sessions', kind: 'tick' as const, execution: `tick-${minutes}` },
    ...{
      startedAt: iso(NOW - 60 * minutes),
      endedAt: iso(NOW - 60 * minutes + 2),
      report: wholeReport(report),
    },
  });
  const failedKeys = [{ key: { id: { S: 'a' } }, reason: 'ValidationError' }];
  const around = tableWith([], 60, {}, [
    row(8, { tablesFailed: 1, failure: { error: 'ResourceNotFoundException', message: 'gone\nfor ever' } }),
    row(9, { found: 2, deleted: 1, failed: 1, failedKeys }),
    row(10, { found: 3, deleted: 3, lagMs: { p50: 60, p99: 90, max: 95 } }),
    row(2_000, { found: 1, deleted: 1 }),
  ]);
  const { text, exit } = await ran(command, ['--history'], around);
  expect([exit, text.split('\n')]).toEqual([
    0,
    [
      'Sessions: 3 sweeps since 2026-11-19T12:00:00Z that found something, 2 of them left something',
      '  2026-11-20T11:52:00Z  tick FAILED in 2.0 s: tables failed 1',
      '    tick-8: ResourceNotFoundException: gone',
      '  2026-11-20T11:51:00Z  tick FAILED in 2.0 s: found 2, deleted 1, failed 1',
      '    tick-9: 1 of 2 items could not be deleted (ValidationError)',
      '    not deleted: {"id":{"S":"a"}} (ValidationError)',
      '  2026-11-20T11:50:00Z  tick ok in 2.0 s: found 3, deleted 3, lag p50 0.06 s, p99 0.09 s',
    ],
  ]);
  // A tick that is past it does not yet make a failure of ten minutes ago disappear.
  expect((await ran(command, [], around)).text).toContain(
    '  failing    the last sweep that found something: ResourceNotFoundException: gone\n',
  );
});

test('each count of a sweep is told', () => {
  const all = countsText(countsOf(wholeReport(countEach(EXECUTION_COUNTS, () => 7))), null);
  expect(EXECUTION_COUNTS.filter(name => !all.includes(`${wordsOf(name)} 7`))).toEqual([]);
});

test.each<[string, object, string]>([
  ['is dead', { code: 'ECONNREFUSED' }, 'DynamoDB cannot be reached (ECONNREFUSED)'],
  ['throttles', { name: 'ThrottlingException' }, 'DynamoDB throttles'],
])('a DynamoDB that %s is told, and nothing is claimed', async (_what, error, why) => {
  const { text, exit } = await beside(refusing(Object.assign(new Error('no'), error)));
  expect(exit).toBe(3);
  expect(text).toMatch(/^Sessions: what is overdue is not known: the index: /);
  expect(text).toContain(`not known  the journal: ${why}`);
  expect(text).not.toMatch(/everything|is gone,|none has planned|none sounds|nothing was deleted/);
});

test('a bug is no silence', async () => {
  await expect(beside(refusing(new TypeError('a bug')))).rejects.toThrow('a bug');
});

test.each([
  [{}, { promisedSeconds: 11, lateAfterSeconds: 180 }],
  [{ pollSeconds: 5 }, { promisedSeconds: 16, lateAfterSeconds: 16 }],
])('how late an item may be deleted with %j', async (props, expected) => {
  const { data } = await beside(refusing(TIMEOUT), props);
  expect(data).toMatchObject({ tables: [expected] });
});

test.each([
  ['DISABLED', ['ALARM', 'OK', 'INSUFFICIENT_DATA'], false, ['precise-ttl-a']],
  ['ENABLED', ['OK'], true, []],
])('the schedule is %s, and alarms are %j', async (State, states, isScheduled, sounding) => {
  const MetricAlarms = states.map((StateValue, at) => ({
    AlarmName: `precise-ttl-${'abc'[at]}`,
    StateValue,
  }));
  const scheduler = { send: async () => ({ State }) };
  const cloudWatch = { send: async () => ({ MetricAlarms }) };
  const { data } = await beside({ ...refusing(TIMEOUT), scheduler, cloudWatch }, { alarms: true });
  expect(data).toMatchObject({
    tables: [{ isScheduled, alarms: sounding.map(name => ({ name, since: null })) }],
  });
});

function beside(clients: object, props: Partial<PreciseTtlProps> = {}) {
  const config = configOf({ tableName: 'Sessions', partitionKey: 'id', ...props });
  return ran(command, [], { config, clients: clients as never });
}

const LOOK = factsOf('Sessions').overdue as NonNullable<Facts['overdue']>;

const LATE = { items: 2, oldest: NOW - 600, newest: NOW - 5, keys: ['{"id":{"S":"a"}}'] };
const SOUNDING = { alarms: [{ name: 'no-sweep', since: iso(NOW) }] };
const HERE = { alarms: null, notKnown: ['the alarms: CloudWatch is not on this machine'] };

test.each<[string, Partial<Facts>, 0 | 1 | 3, RegExp]>([
  ['all is well', {}, 0, /^Sessions: everything that was due by .*, to where its first sweep looked back/m],
  [
    'it is paused',
    { pause: { since: iso(NOW) } },
    1,
    /paused +since 12:00:00Z, until npx .* resume --table S/,
  ],
  ['the schedule is off', { isScheduled: false }, 1, /schedule +off, or not there/],
  ['an alarm sounds', SOUNDING, 1, /alarms +no-sweep since 12:00:00Z/],
  ['it is on this machine', HERE, 0, /^ {2}alarms +not on this machine$/m],
  [
    'the index was not read far enough',
    { overdue: { ...LOOK, short: 'DynamoDB throttles' } },
    3,
    /nothing that was seen \(.*no further: DynamoDB throttles\)/,
  ],
  [
    'items are late',
    { isLate: true, overdue: { ...LOOK, ...LATE } },
    1,
    /^Sessions: 2 items, the oldest for 10 minutes, the newest for 15 s[\s\S]*\{"id":\{"S":"a"\}\}/,
  ],
])('the words, when %s', (_when, differing, exit, words) => {
  const facts = factsOf('Sessions', differing);
  expect(exitOf(facts)).toBe(exit);
  expect(tableText(facts, START + 20_000)).toMatch(words);
});

test('the runbook shows what status and doctor print, but for times and numbers', () => {
  const invariant = (text: string) =>
    text.replaceAll(/(\d{4}-\d\d-\d\dT)?\d[\d.,:]*/g, '0').replaceAll(/ +/g, ' ');
  const end = iso(NOW);
  const sweeps = [
    sweepEnded(end, {
      failure: 'no',
      counts: { found: 1, failed: 1 },
      failedKeys: ['{"id":{"S":"refused"}} (AccessDenied)'],
    }),
    sweepEnded(end, { counts: { found: 1, deleted: 1 }, lagMs: { p50: 1, p99: 1, max: 1 } }),
  ];
  const failing = '1 of 1 items could not be deleted (AccessDenied)';
  const late = {
    overdue: { ...LOOK, ...LATE, items: 1, newest: LATE.oldest },
    isLate: true,
    isScheduled: false,
  };
  const facts = factsOf('Sessions', { ...late, failing, sweeps, pause: { since: end } });
  const { asks, remedy } = OF_THE_DEPLOYMENT['machine-missing'];
  const [table] = tablesOf(configOf({ tableName: 'Sessions', partitionKey: 'id' }));
  const doctor = `  BROKEN machine-missing: ${asks} No: \n    -> ${remedy(table)}`;
  const printed = [tableText(facts, START), historyText(facts, START), doctor].map(invariant).join('\n');
  const blocks = [...readFileSync('docs/reference/alarms.md', 'utf8').matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  const shown = blocks.flatMap(([, language, block = '']) => (language === '' ? block.split('\n') : []));
  const beginnings = shown.map(line => invariant(line.split(/ ?…/)[0] ?? ''));
  expect(beginnings.length).toBeGreaterThan(10);
  expect(beginnings.filter(line => !printed.includes(line))).toEqual([]);
});

testListedActions({ status: command });
