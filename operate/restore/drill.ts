import { modelOf } from '../../config/model-of.ts';
import { BILL_PRICES, PRICES } from '../../cost/prices.ts';
import type { ArchiveSource } from '../archive/archive-source.ts';
import type { DrillFacts, DrillOptions, DrillResult, FullRestore } from '../changes.ts';
import { chooseTable } from '../choose-tables.ts';
import type { Prepared } from '../options.ts';
import { describeShape } from '../table/describe-table.ts';
import { type ArchiveObject, ObjectDrill, spread } from './drill-objects.ts';
import { COPIES, datesOf, isWithin, MARKS } from './find-images.ts';
import type { WithArchive } from './restore.ts';
import { scratchNameOf } from './scratch-name.ts';
import { ScratchTable } from './scratch-table.ts';
import { ALL_TIME } from './wanted-keys.ts';

/**
 * Prepares a drill: it reads lines of an archive, writes them into a scratch table, reads them back and compares them. The
 * configured table is only described. The scratch table is deleted at the end, also after an error.
 *
 * @throws the errors of `prepareRestore`, and {ScratchTableError}
 */
export async function prepareDrill(
  options: DrillOptions & WithArchive,
): Promise<Prepared<DrillFacts, DrillResult>> {
  const { source, sample, clients, onLeftBehind, onObject, span = ALL_TIME } = options;
  const { signal = new AbortController().signal } = options;
  const { dynamoDb } = clients;
  const props = chooseTable(options.config, options.table);
  const { tableName } = props;
  const shape = await describeShape(dynamoDb, tableName);
  const dates = (await datesOf({ source, tableName })).filter(date => isWithin(date, span));
  const all = await objectsOf(source, tableName, dates, signal);
  signal.throwIfAborted();
  const chosen = sample === undefined ? all : spread(all, sample);
  const common = { table: tableName, archive: source.name(`${tableName}/`) };
  return {
    facts: {
      ...{ ...common, scratchTable: scratchNameOf(tableName) },
      ...{ objects: chosen.length, of: all.length, dates: dates.length },
    },
    async apply() {
      const begun = Date.now();
      const scratch = await ScratchTable.create(dynamoDb, shape, () => onLeftBehind?.());
      const drill = new ObjectDrill({
        ...{ source, scratch, span, signal, model: modelOf(props) },
        linesOfEach: sample === undefined ? undefined : Math.ceil(sample / Math.max(1, chosen.length)),
      });
      try {
        for (const object of chosen) {
          if (signal.aborted) break;
          onObject?.(object.date, { lines: drill.lines, poisoned: drill.poisoned.length });
          await drill.drill(object);
        }
      } finally {
        await scratch.remove();
      }
      const { lines, restored, objects, poisoned, writeUnits } = drill;
      const counted = { lines, restored, objects, poisoned, writeUnits, milliseconds: Date.now() - begun };
      return { ...common, interrupted: signal.aborted, ...counted, full: fullRestore(counted, all.length) };
    },
  };
}

/** The objects of these dates; when the signal aborts, only those found so far. */
async function objectsOf(
  source: ArchiveSource,
  tableName: string,
  dates: readonly string[],
  signal: AbortSignal,
): Promise<ArchiveObject[]> {
  const all: ArchiveObject[] = [];
  for (const date of dates) {
    if (signal.aborted) break;
    for (const folder of ['', COPIES, MARKS]) {
      const paths = await source.objects(`${tableName}/${folder}expired_date=${date}/`);
      all.push(...paths.filter(path => path.endsWith('.gz')).map(path => ({ path, date, folder })));
    }
  }
  return all;
}

/** Estimates a full restore from the drill's own use; undefined if the drill restored nothing. */
function fullRestore(
  drilled: Pick<DrillResult, 'lines' | 'restored' | 'objects' | 'writeUnits' | 'milliseconds'>,
  objects: number,
): FullRestore | undefined {
  if (drilled.restored === 0) return undefined;
  const lines = Math.round((drilled.lines / drilled.objects) * objects);
  const seconds = (drilled.milliseconds / 1000 / drilled.restored) * lines;
  const units = (drilled.writeUnits / drilled.restored) * lines;
  return {
    ...{ lines, seconds },
    dollars: units * PRICES.dynamoDbWriteUnits + objects * BILL_PRICES.s3Gets,
  };
}
