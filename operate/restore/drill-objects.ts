import type { ExpiryModel } from '../../expiry/model.ts';
import type { ArchiveSource } from '../archive/archive-source.ts';
import { linesOf } from '../archive/archived-lines.ts';
import { ArchivedLineError } from '../archive/errors.ts';
import { inParallel } from '../in-parallel.ts';
import { type ArchivedImage, readImage, readMark, toAttributes } from './archived-image.ts';
import { isIn, MARKS } from './find-images.ts';
import { contradictionIn, differingAttributes } from './line-faults.ts';
import type { ScratchTable } from './scratch-table.ts';
import type { ExpirySpan } from './span.ts';

/** An object of the archive. */
export interface ArchiveObject {
  readonly path: string;
  /** Date of its folder. */
  readonly date: string;
  /** Kind of its contents: deletions, `COPIES` or `MARKS`. */
  readonly folder: string;
}

export interface ObjectDrillOptions {
  readonly source: ArchiveSource;
  readonly scratch: ScratchTable;
  readonly model: ExpiryModel;
  readonly span: ExpirySpan;
  /** Lines to restore from each object; undefined: all lines of the span. */
  readonly linesOfEach: number | undefined;
  readonly signal: AbortSignal;
}

/** An image, with the place of its line. */
type DrilledImage = ArchivedImage & { readonly where: string };

/** Items that are written and read back in parallel: the same number as in a restore. */
const ITEMS_AT_ONCE = 10;
/** Errors with which DynamoDB or its client rejects a single item. */
const REFUSALS = ['ValidationException', 'SerializationException', 'TypeError'];

/** Restores lines of objects, one object after the other, into a scratch table, and counts the results. */
export class ObjectDrill {
  readonly poisoned: string[] = [];
  lines = 0;
  restored = 0;
  objects = 0;
  writeUnits = 0;
  readonly #options: ObjectDrillOptions;

  constructor(options: ObjectDrillOptions) {
    this.#options = options;
  }

  /** Checks every line of the object, and restores the selected ones. */
  async drill({ path, date, folder }: ArchiveObject): Promise<void> {
    const { source, model, linesOfEach, signal } = this.#options;
    const where = source.name(path);
    const body = await source.read(path);
    const lines = this.#readable(where, () => linesOf(body, where)) ?? [];
    this.objects += 1;
    this.lines += lines.length;
    if (folder === MARKS) {
      for (const line of lines) this.#readable(line.where, () => readMark(line, model));
      return;
    }
    const images = lines.flatMap(line => {
      const image = this.#readable(line.where, () => readImage(line, model));
      return image === undefined ? [] : this.#wanted({ ...image, where: line.where }, date);
    });
    const some = linesOfEach === undefined ? images : spread(images, linesOfEach);
    // Lines with the same key are restored in turn: each is read back before the next one is written.
    const byKey = [...Map.groupBy(some, ({ id }) => id).values()];
    await inParallel(
      byKey,
      ITEMS_AT_ONCE,
      async same => {
        for (const image of same) if (!signal.aborted) await this.#restore(image);
      },
      signal,
    );
  }

  /** The image, in a list, if it is in the span and has no faults; otherwise an empty list. */
  #wanted(image: DrilledImage, date: string): DrilledImage[] {
    const { span, model } = this.#options;
    if (!isIn(image.expiredAt, span)) return [];
    const wrong = contradictionIn(image, model, date);
    if (wrong === undefined) return [image];
    this.poisoned.push(`${image.where}: ${wrong}`);
    return [];
  }

  async #restore({ item, key, where }: DrilledImage): Promise<void> {
    const { scratch } = this.#options;
    const attributes = this.#readable(where, () => toAttributes(item, where));
    if (attributes === undefined) return;
    try {
      this.writeUnits += await scratch.put(attributes);
    } catch (error) {
      const { name } = error as Error;
      if (!REFUSALS.includes(name)) throw error;
      this.poisoned.push(`${where}: expected an item that DynamoDB takes, got one that it refuses (${name})`);
      return;
    }
    const differing = differingAttributes(item, await scratch.get(toAttributes(key, where)));
    if (differing.length === 0) this.restored += 1;
    else
      this.poisoned.push(`${where}: expected the item as archived, got another ${differing.join(', ')} back`);
  }

  /** Reads something from a file; invalid contents are counted and must not end the drill. */
  #readable<Read>(where: string, read: () => Read): Read | undefined {
    try {
      return read();
    } catch (error) {
      const { message } = error as Error;
      this.poisoned.push(error instanceof ArchivedLineError ? message : `${where}: ${message}`);
      return undefined;
    }
  }
}

/** Selects the wanted number of elements, evenly spread over the list, beginning with the first. */
export function spread<Each>(list: readonly Each[], wanted: number): readonly Each[] {
  if (wanted >= list.length) return list;
  return Array.from(
    { length: wanted },
    (_, index) => list[Math.floor((index * list.length) / wanted)] as Each,
  );
}
