import { writeFileSync } from 'node:fs';
import { checkConfig } from '../../config/config.ts';
import { modelOf } from '../../config/model-of.ts';
import { type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { ArchiveClients } from '../archive/clients.ts';
import { isThisMachine } from '../aws/endpoint.ts';
import { chooseTable } from '../choose-tables.ts';
import { inParallel } from '../in-parallel.ts';
import type { JobEnd } from '../job-end.ts';
import { describeShape } from '../table/describe-table.ts';
import { keysToShow, keyText } from '../table/key-text.ts';
import { findImages } from './find-images.ts';
import { newItem } from './new-item.ts';
import { type Fate, putBack } from './put-back.ts';
import type { RestoredKey } from './restored-key.ts';
import type { ExpirySpan } from './span.ts';
import { describeFacts, describeOutcome, type ShownRestoredKey } from './text.ts';
import { readWantedKeys } from './wanted-keys.ts';

export interface RestoreJobOptions {
  /** @default the only table of the configuration */
  readonly table: string | undefined;
  readonly keys: string | undefined;
  readonly keysFile: string | undefined;
  readonly span: ExpirySpan;
  /** Milliseconds from now to the new expiry; undefined: it gets none. */
  readonly expiresInMs: number | undefined;
  readonly dryRun: boolean;
  readonly mask: boolean;
  readonly resultFile: string | undefined;
  /** What `precise-ttl.config.ts` exports. */
  readonly config: unknown;
  /** Called when all of the above has been found right. */
  readonly connect: (region: string) => ArchiveClients;
  /** Asked before anything is written anywhere but on this machine. */
  readonly confirm: () => Promise<boolean>;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly print: (text: string) => void;
  /** Told what the search is at. */
  readonly onSearch: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Writes at a time. */
const WRITES_AT_ONCE = 10;

/**
 * Writes items of an archive back into their table.
 *
 * @returns `failed`: a key is not in the archive, an item could not be written, or a line of the archive cannot be read: it may be the
 *   one that was wanted
 * @throws {FlagError} before anything is asked of AWS; an error of ./errors.ts, ../table/errors.ts, or the SDK's, when it can't go on
 */
export async function runRestore(options: RestoreJobOptions): Promise<JobEnd> {
  const { span, dryRun, expiresInMs, now, print, signal } = options;
  const config = checkConfig(options.config);
  const props = chooseTable(config, options.table);
  const model = modelOf(props);
  const wanted = readWantedKeys({ keys: options.keys, 'keys-file': options.keysFile }, model);
  const expiresAt = expiresInMs === undefined ? undefined : Math.floor((now + expiresInMs) / 1000);

  const clients = options.connect(config.region);
  try {
    const { tableName } = props;
    const table = await describeShape(clients.dynamoDb, tableName);
    const { images, objects, dates, unreadable } = await findImages({
      source: clients.source,
      ...{ tableName, names: model, wanted, span, signal },
      onDate: (date, found) => options.onSearch(`${date}: ${found} of ${wanted.size} keys found`),
    });
    options.onSearch('');
    if (signal.aborted) return 'interrupted';
    print(
      describeFacts({
        tableName,
        endpoint: clients.endpoint()?.origin ?? config.region,
        region: config.region,
        archive: clients.source.name(`${tableName}/`),
        ...{ objects, dates, keys: wanted.size, found: images.size, expiresAt, dryRun },
      }),
    );
    const items = [...images].map(([id, image]) => [id, newItem(image, model, expiresAt, now)] as const);
    const local = isThisMachine(clients.endpoint()?.hostname ?? '');
    if (!dryRun && items.length > 0 && !local && !(await options.confirm()))
      return signal.aborted ? 'interrupted' : 'declined';

    const fates = new Map<string, Fate>();
    try {
      if (!dryRun) {
        await inParallel(
          items,
          WRITES_AT_ONCE,
          async ([id, item]) => void fates.set(id, await putBack(clients.dynamoDb, table, item)),
          signal,
        );
      }
    } finally {
      const keys = [...wanted].map(([id, key]): RestoredKey => {
        const image = images.get(id);
        if (image === undefined) return { key, fate: 'notInArchive' };
        const fate = fates.get(id) ?? { fate: dryRun ? ('found' as const) : ('notTried' as const) };
        return { key, ...fate, expiredAt: image.expiredAt };
      });
      const shown = showKeys(keys, props, options.mask);
      print(`\n${describeOutcome(shown, dryRun, unreadable)}`);
      if (options.resultFile !== undefined) {
        const json = {
          ...{ table: tableName, archive: clients.source.name(`${tableName}/`), dryRun },
          expiresAt: expiresAt === undefined ? null : new Date(expiresAt * 1000).toISOString(),
          interrupted: signal.aborted,
          unreadable,
          keys: shown,
        };
        writeFileSync(options.resultFile, `${JSON.stringify(json, null, 2)}\n`);
      }
    }
    if (signal.aborted) return 'interrupted';
    const isComplete =
      images.size === wanted.size &&
      unreadable.lines === 0 &&
      [...fates.values()].every(({ fate }) => fate !== 'failed');
    return isComplete ? 'done' : 'failed';
  } finally {
    clients.destroy();
  }
}

/** With as much of each key as may be shown. */
function showKeys(keys: readonly RestoredKey[], props: PreciseTtlProps, mask: boolean): ShownRestoredKey[] {
  const options = {
    tableName: props.tableName,
    keyNames: keyAttributeNames(modelOf(props)),
    logKeys: keysToShow(resolveProps(props).logKeys, mask),
  };
  return keys.map(({ key, ...rest }) => ({ ...rest, key: keyText(key, options) }));
}
