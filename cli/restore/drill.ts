import { writeFileSync } from 'node:fs';
import { checkConfig } from '../../config/config.ts';
import { modelOf } from '../../config/model-of.ts';
import { BILL_PRICES, PRICES } from '../../cost/prices.ts';
import type { ArchiveSource } from '../archive/archive-source.ts';
import type { ArchiveClients } from '../archive/clients.ts';
import { isThisMachine } from '../aws/endpoint.ts';
import { chooseTable } from '../choose-tables.ts';
import type { JobEnd } from '../job-end.ts';
import { describeShape } from '../table/describe-table.ts';
import { type ArchiveObject, ObjectDrill, spread } from './drill-objects.ts';
import { type DrillResult, describeDrill, type FullRestore } from './drill-text.ts';
import { COPIES, datesOf, isWithin, MARKS } from './find-images.ts';
import type { RestoreJobOptions } from './job.ts';
import { scratchNameOf } from './scratch-name.ts';
import { ScratchTable } from './scratch-table.ts';

export interface DrillOptions
  extends Pick<RestoreJobOptions, 'table' | 'span' | 'resultFile' | 'config' | 'print' | 'signal'> {
  /** Lines to restore, spread over the dates; undefined: all. Every line of an object that is read for them is looked at. */
  readonly sample: number | undefined;
  readonly connect: (region: string) => ArchiveClients;
  readonly confirm: () => Promise<boolean>;
  /** Told what the drill is at; the empty text at its end. */
  readonly onProgress: (line: string) => void;
}

/**
 * Reads lines of an archive, writes them into a scratch table, reads them back and compares. The table of the configuration is only
 * described. The scratch table is deleted at the end, however that comes.
 *
 * @returns `failed`: a line is poisoned
 * @throws as `runRestore`, and {ScratchTableError}
 */
export async function runDrill(options: DrillOptions): Promise<JobEnd> {
  const { span, print, signal, onProgress, sample } = options;
  const config = checkConfig(options.config);
  const props = chooseTable(config, options.table);
  const { tableName } = props;
  const clients = options.connect(config.region);
  try {
    const { source, dynamoDb } = clients;
    const table = await describeShape(dynamoDb, tableName);
    const dates = (await datesOf({ source, tableName })).filter(date => isWithin(date, span));
    const all = await objectsOf(source, tableName, dates, signal);
    if (signal.aborted) return 'interrupted';
    const chosen = sample === undefined ? all : spread(all, sample);
    print(
      `Drill of ${tableName} in ${clients.endpoint()?.origin ?? config.region}: the table itself is not written to
  archive        ${source.name(`${tableName}/`)}: ${chosen.length} of ${all.length} objects, of ${dates.length} dates
  scratch table  ${scratchNameOf(tableName)}: made for the drill, deleted at its end`,
    );
    const local = isThisMachine(clients.endpoint()?.hostname ?? '');
    if (!local && !(await options.confirm())) return signal.aborted ? 'interrupted' : 'declined';

    const begun = Date.now();
    const scratch = await ScratchTable.create(dynamoDb, table, () =>
      print('A scratch table of a drill that was cut off is there: it is deleted first.'),
    );
    const drill = new ObjectDrill({
      ...{ source, scratch, span, signal, model: modelOf(props) },
      linesOfEach: sample === undefined ? undefined : Math.ceil(sample / Math.max(1, chosen.length)),
    });
    try {
      for (const object of chosen) {
        if (signal.aborted) break;
        onProgress(`${object.date}: ${drill.lines} lines read, ${drill.poisoned.length} poisoned`);
        await drill.drill(object);
      }
    } finally {
      onProgress('');
      await scratch.remove();
    }
    const { lines, restored, objects, poisoned, writeUnits } = drill;
    const milliseconds = Date.now() - begun;
    const told: DrillResult = { lines, restored, objects, poisoned, writeUnits, milliseconds };
    const full = fullRestore(told, all.length);
    print(`\n${describeDrill(told, full)}`);
    if (options.resultFile !== undefined) {
      const json = { table: tableName, archive: source.name(`${tableName}/`), interrupted: signal.aborted };
      writeFileSync(options.resultFile, `${JSON.stringify({ ...json, ...told, full }, null, 2)}\n`);
    }
    if (signal.aborted) return 'interrupted';
    return told.poisoned.length === 0 ? 'done' : 'failed';
  } finally {
    clients.destroy();
  }
}

/** The objects of the dates; those that were found when the signal came. */
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

/** By what the drill took: undefined when it restored nothing. */
function fullRestore(result: DrillResult, objects: number): FullRestore | undefined {
  if (result.restored === 0) return undefined;
  const lines = Math.round((result.lines / result.objects) * objects);
  const seconds = (result.milliseconds / 1000 / result.restored) * lines;
  const units = (result.writeUnits / result.restored) * lines;
  return {
    ...{ lines, seconds },
    dollars: units * PRICES.dynamoDbWriteUnits + objects * BILL_PRICES.s3Gets,
  };
}
