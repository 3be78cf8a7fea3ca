import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isObject } from '../../expiry/fields.ts';
import type { ExpiryModel } from '../../expiry/model.ts';
import { plainDecimal } from '../../expiry/plain-decimal.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import { inParallel } from '../abortable.ts';
import type { ArchiveSource } from '../archive/archive-source.ts';
import { linesOf } from '../archive/archived-lines.ts';
import { ArchivedLineError } from '../errors.ts';
import { type ArchivedImage, readImage, readMark, toAttributes } from './archived-image.ts';
import { isIn, MARKS } from './find-images.ts';
import type { ScratchTable } from './scratch-table.ts';
import { type ExpirySpan, keyId } from './wanted-keys.ts';

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

/** The place where a line contradicts itself or its folder; undefined if it does not. @param date of the folder of the line */
export function contradictionIn(image: ArchivedImage, model: ExpiryModel, date: string): string | undefined {
  const { item, id, expiredAt } = image;
  const names = keyAttributeNames(model).filter(name => Object.hasOwn(item, name));
  if (keyId(Object.fromEntries(names.map(name => [name, item[name]])), model) !== id)
    return `expected an item with the line's key in ${keyAttributeNames(model).join(' and ')}, got another or none`;
  const ttl = item[model.ttlAttribute];
  const seconds = isObject(ttl) && typeof ttl['N'] === 'string' ? Math.floor(Number(ttl['N'])) : undefined;
  if (seconds !== Math.floor(Date.parse(expiredAt) / 1000))
    return `expected a Number in ${model.ttlAttribute} that says ${expiredAt} as expiredAt does, got another or none`;
  if (!expiredAt.startsWith(date)) return `expected lines that expired on ${date}, got ${expiredAt}`;
  return undefined;
}

/** Attributes that differ between the line and the table. */
export function differingAttributes(
  archived: ArchivedImage['item'],
  stored: Readonly<Record<string, AttributeValue>>,
): string[] {
  const names = new Set([...Object.keys(archived), ...Object.keys(stored)]);
  return [...names].filter(name => sameText(archived[name]) !== sameText(stored[name]));
}

/** A text that is equal for equal values: sets are sorted, `1.0` equals `1`, and bytes become base64. */
const sameText = (value: unknown): string => JSON.stringify(comparable(value)) ?? '';

function comparable(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.entries(value).map(([type, content]) => [type, comparableContent(type, content)]);
}

function comparableContent(type: string, content: unknown): unknown {
  if (type === 'N') return typeof content === 'string' ? (plainDecimal(content) ?? content) : content;
  if (type === 'B') return content instanceof Uint8Array ? Buffer.from(content).toString('base64') : content;
  if (Array.isArray(content)) {
    if (type === 'L') return content.map(comparable);
    return content.map(each => JSON.stringify(comparableContent(type.slice(0, 1), each))).sort();
  }
  if (type !== 'M' || !isObject(content)) return content;
  return Object.keys(content)
    .sort()
    .map(name => [name, comparable(content[name])]);
}
