import { JOURNAL_MS, MANIFEST } from './assumptions.ts';
import { readUnits } from './item-size.ts';
import { booksOfMonth, type LedgerShape } from './ledger-usage.ts';

/** The usage of manifests in a month, in the units that are billed. */
export interface ManifestUsage {
  readonly readUnits: number;
  readonly gbSeconds: number;
  readonly requests: number;
  readonly storedGb: number;
}

const DAYS = 30;
const GB = 1e9;

/** A day's books are read for its own manifest, and once more for late entries, which are in the next manifest. */
const TIMES_READ = 2;

export function manifestsOfMonth(table: LedgerShape): ManifestUsage {
  const { itemsPerMonth } = table;
  const { deleted, archived } = booksOfMonth(table);
  const slices = DAYS * MANIFEST.slices * TIMES_READ;
  const units = (bytes: number) =>
    slices * readUnits((bytes / DAYS / MANIFEST.slices) * (1 + MANIFEST.readAround));
  const milliseconds = itemsPerMonth * MANIFEST.itemMs + 2 * slices * JOURNAL_MS;
  return {
    readUnits: units(deleted.bytes) + units(archived.bytes),
    gbSeconds: (milliseconds / 1000) * (MANIFEST.memoryMb / 1024),
    requests: DAYS * MANIFEST.requestsADay,
    storedGb: (itemsPerMonth * MANIFEST.lineBytes) / GB,
  };
}
