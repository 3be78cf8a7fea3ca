import type { QueryExpiredInput } from '../../statemachine/contract/child.ts';
import { recordOf } from '../child/scan.ts';
import type { Journal } from '../journal/journal.ts';
import { writeBook } from '../journal/write-book.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { ScanIndex } from '../table/index-scan.ts';
import type { NextStepOptions } from './next-step.ts';

/** The part of the journal that a scan writes. */
export type ScanJournal = Pick<Journal, 'checkpointScan' | 'finishScan' | 'writeEntries'>;

/** Timeout for writing held items into the ledger, milliseconds. */
const LEDGER_MS = 1_000;

/**
 * Further dependencies of a child whose target is a whole index. For a proof they record the entries that are due and held: these are not
 * passed to DeleteChunk, and no other sweep finds all of them.
 */
export function scanOf(
  { progress: { target } }: Pick<QueryExpiredInput, 'progress'>,
  { settings: { tableName, model, proof }, logger, clock }: Pick<Runtime, 'settings' | 'logger' | 'clock'>,
  scanIndex: ScanIndex,
  journal: () => ScanJournal,
): Pick<NextStepOptions, 'scan'> {
  const { scan } = target;
  if (scan === undefined) return {};
  return {
    scan: {
      model,
      scanIndex,
      checkpoint: progress =>
        journal().checkpointScan(tableName, scan, progress.scan?.settled ?? null, recordOf(scan, progress)),
      onHeld:
        proof === true
          ? held => {
              const at = Math.floor(clock() / 1000);
              const entries = held.map(({ key, ttl }) => ({ key, ttl, at, kept: 'held' as const }));
              return writeBook(
                { journal: journal(), logger },
                { book: 'kept', table: tableName, entries },
                LEDGER_MS,
              );
            }
          : undefined,
      finish: progress => journal().finishScan(tableName, scan, recordOf(scan, progress)),
    },
  };
}
