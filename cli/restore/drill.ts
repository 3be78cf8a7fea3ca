import { writeFileSync } from 'node:fs';
import { BILL_PRICES, PRICES } from '../../cost/prices.ts';
import { checkConfig } from '../../stacks/config.ts';
import { modelOf } from '../../stacks/model-of.ts';
import { isThisMachine } from '../aws/endpoint.ts';
import { chooseTable } from '../choose-tables.ts';
import { inParallel } from '../in-parallel.ts';
import type { JobEnd } from '../job-end.ts';
import { describeShape } from '../table/describe-table.ts';
import { type ArchivedImage, linesOf, readImage, readMark, toAttributes } from './archived-image.ts';
import type { RestoreClients } from './clients.ts';
import { type DrillResult, describeDrill, type FullRestore } from './drill-text.ts';
import { ArchivedLineError } from './errors.ts';
import { COPIES, datesOf, isIn, isWithin, MARKS } from './find-images.ts';
import type { RestoreJobOptions } from './job.ts';
import { contradictionIn, differingAttributes } from './line-faults.ts';
import { scratchNameOf } from './scratch-name.ts';
import { ScratchTable } from './scratch-table.ts';

export interface DrillOptions
  extends Pick<RestoreJobOptions, 'table' | 'span' | 'resultFile' | 'config' | 'print' | 'signal'> {
  /** Lines to restore, spread over the dates; undefined: all. Every line of an object that is read for them is looked at. */
  readonly sample: number | undefined;
  readonly connect: (region: string) => RestoreClients;
  readonly confirm: () => Promise<boolean>;
  /** Told what the drill is at; the empty text at its end. */
  readonly onProgress: (line: string) => void;
}

/** An object of the archive. */
interface ArchiveObject {
  readonly path: string;
  readonly date: string;
  readonly folder: string;
}

/** Items that are written and read back at a time: as many as a restore writes. */
const ITEMS_AT_ONCE = 10;
/** Errors that say that DynamoDB, or its client, does not take this item. */
const REFUSALS = ['ValidationException', 'SerializationException', 'TypeError'];

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
  const model = modelOf(props);
  const clients = options.connect(config.region);
  try {
    const { source, dynamoDb } = clients;
    const table = await describeShape(dynamoDb, tableName);
    const dates = (await datesOf({ source, tableName })).filter(date => isWithin(date, span));
    const all: ArchiveObject[] = [];
    for (const date of dates) {
      if (signal.aborted) return 'interrupted';
      for (const folder of ['', COPIES, MARKS]) {
        const paths = await source.objects(`${tableName}/${folder}expired_date=${date}/`);
        all.push(...paths.filter(path => path.endsWith('.gz')).map(path => ({ path, date, folder })));
      }
    }
    const chosen = sample === undefined ? all : spread(all, sample);
    const perObject = sample === undefined ? undefined : Math.ceil(sample / Math.max(1, chosen.length));
    print(
      `Drill of ${tableName} in ${clients.endpoint()?.origin ?? config.region}: the table itself is not written to
  archive        ${source.name(`${tableName}/`)}: ${chosen.length} of ${all.length} objects, of ${dates.length} dates
  scratch table  ${scratchNameOf(tableName)}: made for the drill, deleted at its end`,
    );
    const local = isThisMachine(clients.endpoint()?.hostname ?? '');
    if (!local && !(await options.confirm())) return signal.aborted ? 'interrupted' : 'declined';

    const begun = Date.now();
    const result = { lines: 0, restored: 0, objects: 0, poisoned: [] as string[], writeUnits: 0 };
    const readable = <Read>(where: string, read: () => Read): Read | undefined => {
      try {
        return read();
      } catch (error) {
        // What is read comes from a file: nothing that it can hold may end the drill.
        const { message } = error as Error;
        result.poisoned.push(error instanceof ArchivedLineError ? message : `${where}: ${message}`);
        return undefined;
      }
    };
    const scratch = await ScratchTable.create(dynamoDb, table, () =>
      print('A scratch table of a drill that was cut off is there: it is deleted first.'),
    );
    try {
      for (const { path, date, folder } of chosen) {
        if (signal.aborted) break;
        onProgress(`${date}: ${result.lines} lines read, ${result.poisoned.length} poisoned`);
        const where = source.name(path);
        const body = await source.read(path);
        const lines = readable(where, () => linesOf(body, where)) ?? [];
        result.objects += 1;
        result.lines += lines.length;
        if (folder === MARKS) {
          for (const line of lines) readable(line.where, () => readMark(line, model));
          continue;
        }
        const images = lines.flatMap(line => {
          const image = readable(line.where, () => readImage(line, model));
          if (image === undefined || !isIn(image.expiredAt, span)) return [];
          const wrong = contradictionIn(image, model, date);
          if (wrong !== undefined) result.poisoned.push(`${line.where}: ${wrong}`);
          return wrong === undefined ? [{ ...image, where: line.where }] : [];
        });
        const some = perObject === undefined ? images : spread(images, perObject);
        // Lines of one key follow each other: each is read back before the next is written.
        const byKey = [...Map.groupBy(some, ({ id }) => id).values()];
        const restore = async (image: ArchivedImage & { where: string }) => {
          const attributes = readable(image.where, () => toAttributes(image.item, image.where));
          if (attributes === undefined) return;
          try {
            result.writeUnits += await scratch.put(attributes);
          } catch (error) {
            const { name } = error as Error;
            if (!REFUSALS.includes(name)) throw error;
            result.poisoned.push(
              `${image.where}: expected an item that DynamoDB takes, got one that it refuses (${name})`,
            );
            return;
          }
          const stored = await scratch.get(toAttributes(image.key, image.where));
          const differing = differingAttributes(image.item, stored);
          if (differing.length === 0) result.restored += 1;
          else
            result.poisoned.push(
              `${image.where}: expected the item as archived, got another ${differing.join(', ')} back`,
            );
        };
        await inParallel(
          byKey,
          ITEMS_AT_ONCE,
          async same => {
            for (const image of same) if (!signal.aborted) await restore(image);
          },
          signal,
        );
      }
    } finally {
      onProgress('');
      await scratch.remove();
    }
    const told: DrillResult = { ...result, milliseconds: Date.now() - begun };
    const full = fullRestore(told, all.length);
    print(`\n${describeDrill(told, full)}`);
    if (options.resultFile !== undefined) {
      const json = { table: tableName, archive: source.name(`${tableName}/`), interrupted: signal.aborted };
      writeFileSync(options.resultFile, `${JSON.stringify({ ...json, ...told, full }, null, 2)}\n`);
    }
    if (signal.aborted) return 'interrupted';
    return result.poisoned.length === 0 ? 'done' : 'failed';
  } finally {
    clients.destroy();
  }
}

/** As many of a list as are wanted, as far from each other as can be: the first is one of them. */
function spread<Each>(list: readonly Each[], wanted: number): readonly Each[] {
  if (wanted >= list.length) return list;
  return Array.from(
    { length: wanted },
    (_, index) => list[Math.floor((index * list.length) / wanted)] as Each,
  );
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
