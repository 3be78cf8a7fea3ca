import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeProof } from '../../cli/proof/text.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { compressed } from '../../functions/archive/archive-object.ts';
import { beginOf } from '../../functions/proof/build-day.ts';
import type { ProofOptions } from '../../operate/proof/report.ts';
import { type ProofSources, verifyDay } from '../../operate/proof/verify-day.ts';
import { configOf } from './configs.ts';
import { PROVED_TABLE, ProofFolder, type Proved, proved } from './proof-folder.ts';

export const PROVED_DATE = '2026-11-21';
const DAY = `proof/${PROVED_TABLE}/date=${PROVED_DATE}`;
export const PROVED: PreciseTtlProps = { tableName: PROVED_TABLE, partitionKey: 'id' };

/** What a verification of a folder found and came to, and its text. */
export async function verifyFolder(
  folder: string,
  { sources, ...more }: Partial<ProofOptions> & { readonly sources?: ProofSources } = {},
) {
  const given = {
    ...{ date: PROVED_DATE, fromArchive: folder, config: configOf(PROVED) },
    now: () => Date.parse('2026-11-25T12:00:00Z'),
  };
  const report = await verifyDay({ ...given, ...more }, sources);
  const { findings, end } = report;
  return { end, text: describeProof(report), findings, names: findings.map(({ name }) => name).sort() };
}

/** A day of so many expiries, with a day before and one after that have a hundredth of them. */
export function expiriesAround(perDay: number): Proved[] {
  const of = (date: string, count: number) =>
    Array.from({ length: count }, (_unused, index) =>
      proved(`${date}-${index}`, beginOf(date) + Math.floor((index * 86_400) / count), 1 + (index % 5)),
    );
  const few = Math.ceil(perDay / 100);
  return [...of('2026-11-20', few), ...of(PROVED_DATE, perDay), ...of('2026-11-22', few)];
}

/** A day of so many expiries with its proof, which is whole before each test of the calling block. */
function useProvedDay(perDay: number) {
  const all = expiriesAround(perDay);
  const [before, of, after] = ['2026-11-20', PROVED_DATE, '2026-11-22'].map(date =>
    all.filter(({ line }) => line.includes(`"${date}-`)),
  ) as [Proved[], Proved[], Proved[]];
  const [one, another] = [of[Math.floor(perDay / 2)], of[Math.floor(perDay / 3)]] as [Proved, Proved];
  const [yesterday, tomorrow] = [before[1], after[1]] as [Proved, Proved];
  const keyOf = ({ deleted }: Proved) => JSON.stringify(deleted.key);
  const whole = mkdtempSync(join(tmpdir(), 'precise-ttl-proof-'));
  let folder: ProofFolder;

  beforeAll(async () => {
    await new ProofFolder(whole).write(all, '2026-11-23T03:00:00.000Z');
  });
  beforeEach(() => {
    folder = new ProofFolder(mkdtempSync(join(tmpdir(), 'precise-ttl-proof-')));
    cpSync(whole, folder.path, { recursive: true });
  });
  afterEach(() => rmSync(folder.path, { recursive: true }));
  afterAll(() => rmSync(whole, { recursive: true }));

  const manifest = (change: (fields: Record<string, unknown>) => void, day = DAY) => {
    const fields = JSON.parse(folder.text(`${day}/manifest.json`));
    change(fields);
    folder.put(`${day}/manifest.json`, `${JSON.stringify(fields, null, 2)}\n`);
  };
  /** Names of the findings, the keys that they name, and their text in one. */
  const found = async () => {
    const { end, names, findings } = await verifyFolder(folder.path);
    expect(end).toBe('differs');
    return {
      names,
      keys: findings.flatMap(({ key }) => key ?? []),
      text: findings.map(({ text }) => text).join('\n'),
    };
  };

  return {
    ...{ of, one, another, yesterday, tomorrow, keyOf, manifest, found },
    get folder() {
      return folder;
    },
  };
}

/** Tests that a proof of so many expiries is found equal, and that each of five changed lines in it is found and named. */
export function testDay(perDay: number): void {
  const day = useProvedDay(perDay);
  const { of, one, another, tomorrow, keyOf, found } = day;

  test('nothing is found where nothing was falsified', async () => {
    const { end, text, names } = await verifyFolder(day.folder.path);
    expect(names).toEqual([]);
    expect(end).toBe('equal');
    const number = perDay.toLocaleString('en-US');
    expect(text).toContain(`deleted   ${number} by the sweep, 0 by others, the latest 5 s after its expiry`);
    expect(text).toContain('chain     3 manifests, 2026-11-20 to 2026-11-22');
    expect(text).toContain(`archive   ${number} of ${number} lines are there as they were`);
  });

  test('all four at once', async () => {
    const added = proved('added', one.deleted.at);
    day.folder.changeObjectOf(another.line, lines => lines.filter(line => line !== another.line));
    day.folder.changeObjectOf(one.line, lines => [...lines, added.line]);
    const changed = of[Math.floor(perDay / 4)] as Proved;
    day.folder.changeObjectOf(changed.line, lines =>
      lines.map(line => (line === changed.line ? line.replace('"ttl":{"N":"1', '"ttl":{"N":"2') : line)),
    );
    day.folder.changeObjectOf(one.line, lines =>
      lines.map(line => (line === one.line ? tomorrow.line : line)),
    );
    const all4 = await found();
    expect(all4.keys.sort()).toEqual([another, added, changed, one, tomorrow].map(keyOf).sort());
  });
}

/** Tests that each falsification of a proof with so many expiries is found and named. */
export function testSabotages(perDay: number): void {
  const day = useProvedDay(perDay);
  const { one, yesterday, keyOf, manifest, found } = day;

  test('a line that was removed from the archive', async () => {
    day.folder.changeObjectOf(one.line, lines => lines.filter(line => line !== one.line));
    await expect(found()).resolves.toMatchObject({ names: ['line-removed'], keys: [keyOf(one)] });
  });

  test('a line that was added', async () => {
    const added = proved('added', one.deleted.at);
    day.folder.changeObjectOf(one.line, lines => [...lines, added.line]);
    await expect(found()).resolves.toMatchObject({ names: ['line-added'], keys: [keyOf(added)] });
  });

  test('a line that was changed', async () => {
    day.folder.changeObjectOf(one.line, lines =>
      lines.map(line => (line === one.line ? line.replace('"ttl":{"N":"1', '"ttl":{"N":"2') : line)),
    );
    await expect(found()).resolves.toMatchObject({ names: ['line-changed'], keys: [keyOf(one)] });
  });

  test('two lines that were swapped between days', async () => {
    day.folder.changeObjectOf(one.line, lines =>
      lines.map(line => (line === one.line ? yesterday.line : line)),
    );
    day.folder.changeObjectOf(yesterday.line, lines =>
      lines.map(line => (line === yesterday.line ? one.line : line)),
    );
    const { names, keys } = await found();
    expect(names.length).toBeGreaterThan(0);
    expect(keys.sort()).toEqual([keyOf(yesterday), keyOf(one)].sort());
  });

  test('a count of the manifest that was changed', async () => {
    manifest(fields => Object.assign(fields, { deleted: { sweep: perDay - 1, other: 1 } }));
    const { names, text } = await found();
    expect(names).toEqual(['count-differs', 'manifest-replaced']);
    expect(text).toContain(`expected \`deleted\` {"sweep":${perDay},"other":0}, as its lines come to, got`);
  });

  test.each(['changed', 'removed'])('a part that was %s', async how => {
    const [path = ''] = day.folder.paths(DAY, /^12-/);
    if (how === 'removed') day.folder.remove(path);
    else day.folder.put(path, compressed(day.folder.lines(path).slice(1)));
    const { names, text } = await found();
    expect(names).toContain(how === 'removed' ? 'part-missing' : 'part-changed');
    expect(text).toContain(path);
  });

  test.each(['2026-11-20', PROVED_DATE])('a manifest of the chain that is missing: %s', async date => {
    day.folder.remove(`proof/${PROVED_TABLE}/date=${date}/manifest.json`);
    const { names, text } = await found();
    expect(names).toEqual(['manifest-missing']);
    expect(text).toContain(`manifest of ${date}: expected it, because that of`);
  });

  test('the last manifest, which no other one follows', async () => {
    day.folder.remove(`proof/${PROVED_TABLE}/date=2026-11-22`);
    await expect(verifyFolder(day.folder.path, { date: '2026-11-22' })).resolves.toMatchObject({
      end: 'differs',
      names: ['manifest-missing'],
      text: expect.stringContaining('there are manifests from 2026-11-20 to 2026-11-21'),
    });
  });

  test.each(['2026-11-20', PROVED_DATE])('a manifest that was replaced: %s', async date => {
    manifest(
      fields => Object.assign(fields, { asOf: '2026-11-23T04:00:00.000Z' }),
      `proof/${PROVED_TABLE}/date=${date}`,
    );
    const { names, text } = await found();
    expect(names).toEqual(['manifest-replaced']);
    expect(text).toContain(`manifest of ${date}: expected the SHA-256`);
  });
}
