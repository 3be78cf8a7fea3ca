import type { QueryExpiredInput } from '../../statemachine/contract.ts';
import { recordOf } from '../child/scan.ts';
import type { Journal } from '../journal/journal.ts';
import { writeBook } from '../journal/write-book.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { ScanIndex } from '../table/index-scan.ts';
import type { NextStepOptions } from './next-step.ts';

/** What a scan writes down of itself. */
export type ScanJournal = Pick<Journal, 'checkpointScan' | 'finishScan' | 'writeEntries'>;

/** Milliseconds that the ledger of what is held may take. */
const LEDGER_MS = 1_000;

/**
 * What a child needs besides where its target is a whole index. For a proof it writes down what is due and held: DeleteChunk is not given
 * that, and no other sweep comes upon all of it.
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
