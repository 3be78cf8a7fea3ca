import { modelOf } from '../../config/model-of.ts';
import { type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import { inParallel } from '../abortable.ts';
import type { ArchiveSource } from '../archive/archive-source.ts';
import type { With } from '../aws/clients.ts';
import type { Fate, RestoreFacts, RestoreOptions, RestoreResult } from '../changes.ts';
import { chooseTable } from '../choose-tables.ts';
import { StoppedError } from '../errors.ts';
import type { Prepared } from '../options.ts';
import { describeShape } from '../table/describe-table.ts';
import { keysToShow, keyText } from '../table/key-text.ts';
import { findImages } from './find-images.ts';
import { newItem, putBack } from './put-back.ts';
import { ALL_TIME, wantedKeys } from './wanted-keys.ts';

/** The archive and the clients of a restore. */
export interface WithArchive extends With<'dynamoDb'> {
  readonly source: ArchiveSource;
}

/** Parallel writes. */
const WRITES_AT_ONCE = 10;

/**
 * Prepares a restore of archived items into their table: finds the image with the latest expiry for each key.
 *
 * @throws {InputError} before any request to AWS; an error of ../errors.ts, or the SDK's. When
 * applied, {StoppedError}
 */
export async function prepareRestore(
  options: RestoreOptions & WithArchive,
): Promise<Prepared<RestoreFacts, RestoreResult>> {
  const { config, expiresInMs, source, clients, onDate, onProgress } = options;
  const { span = ALL_TIME, dryRun = false, mask = false, now = Date.now } = options;
  const { signal = new AbortController().signal } = options;
  const begun = now();
  const props = chooseTable(config, options.table);
  const { tableName } = props;
  const model = modelOf(props);
  const wanted = wantedKeys('keys', options.keys, model);
  const expiresAt = expiresInMs === undefined ? undefined : Math.floor((begun + expiresInMs) / 1000);
  const shape = await describeShape(clients.dynamoDb, tableName);
  const { images, objects, dates, unreadable } = await findImages({
    ...{ source, tableName, names: model, wanted, span, signal },
    onDate: (date, found) => onDate?.(date, found, wanted.size),
  });
  signal.throwIfAborted();
  const items = [...images].map(([id, image]) => [id, newItem(image, model, expiresAt, begun)] as const);
  const common = {
    table: tableName,
    archive: source.name(`${tableName}/`),
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt * 1000).toISOString(),
  };
  const show = keyTexts(props, mask);
  const resultOf = (fates: ReadonlyMap<string, Fate>): RestoreResult => ({
    ...{ ...common, dryRun, interrupted: signal.aborted, unreadable },
    keys: [...wanted].map(([id, key]) => {
      const image = images.get(id);
      if (image === undefined) return { key: show(key), fate: 'notInArchive' };
      const fate = fates.get(id) ?? { fate: dryRun ? 'found' : 'notTried' };
      return { key: show(key), ...fate, expiredAt: image.expiredAt };
    }),
  });
  return {
    facts: { ...common, objects, dates, keys: wanted.size, found: images.size },
    async apply() {
      const fates = new Map<string, Fate>();
      if (dryRun) return resultOf(fates);
      const write = async ([id, item]: (typeof items)[number]) => {
        fates.set(id, await putBack(clients.dynamoDb, shape, item));
        onProgress?.({ at: tableName, done: fates.size, total: items.length });
      };
      try {
        await inParallel(items, WRITES_AT_ONCE, write, signal);
      } catch (error) {
        throw new StoppedError(resultOf(fates), error);
      }
      return resultOf(fates);
    },
  };
}

/** Returns a function that formats a key as far as it may be shown. */
function keyTexts(props: PreciseTtlProps, mask: boolean) {
  const options = {
    tableName: props.tableName,
    keyNames: keyAttributeNames(modelOf(props)),
    logKeys: keysToShow(resolveProps(props).logKeys, mask),
  };
  return (key: Parameters<typeof keyText>[0]) => keyText(key, options);
}
