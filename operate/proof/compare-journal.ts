import { countKept, linesOfDay, type ReadRows } from '../../functions/proof/build-day.ts';
import type { KeyField, ProofLine } from '../../functions/proof/manifest.ts';
import type { Day } from './day.ts';
import type { Finding } from './report.ts';

/**
 * Rebuilds the day from the journal's ledger, as it was when the manifest was written, and compares it with the manifest.
 *
 * @throws {JournalUnreadableError}, {ProofRefusedError}
 */
export async function compareJournal(
  { date, link: { manifest }, parts }: Day,
  {
    read,
    keyField,
    showKey,
  }: {
    readonly read: ReadRows;
    readonly keyField: KeyField;
    readonly showKey: (line: ProofLine) => string | undefined;
  },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const differs = (lines: Iterable<string>, text: (deletedAt: string) => string) => {
    for (const each of lines) {
      const line: ProofLine = JSON.parse(each);
      findings.push({ name: 'journal-differs', text: text(line.deletedAt), key: showKey(line) });
    }
  };
  const day = { read, date, asOf: manifest.asOf, keyField };
  const left = new Map(parts);
  for await (const { name, lines } of linesOfDay(day)) {
    const [inPart, inJournal] = [new Set(left.get(name)), new Set(lines)];
    left.delete(name);
    differs(
      lines.filter(line => !inPart.has(line)),
      at => `journal: expected the deletion at ${at} as its books have it in the manifest, got none`,
    );
    differs(
      [...inPart].filter(line => !inJournal.has(line)),
      at => `manifest: expected the deletion at ${at} in the journal's books, got none such`,
    );
  }
  differs(
    [...left.values()].flat(),
    at => `manifest: expected the deletion at ${at} in the journal's books, got none such`,
  );
  const kept = await countKept(day);
  for (const name of ['renewed'] as const) {
    if (kept[name] === manifest.kept[name]) continue;
    findings.push({
      name: 'count-differs',
      text: `manifest of ${date}: expected ${kept[name]} keys that were ${name}, as the journal has them, got ${manifest.kept[name]}`,
    });
  }
  return findings;
}
