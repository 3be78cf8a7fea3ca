import { writeFileSync } from 'node:fs';
import { checkConfig } from '../../config/config.ts';
import { modelOf } from '../../config/model-of.ts';
import { resolveProps } from '../../config/props.ts';
import { isObject } from '../../expiry/fields.ts';
import { LEDGER_DAYS } from '../../functions/journal/ledger.ts';
import { rowsOfTable } from '../../functions/proof/build-day.ts';
import { keyField, type Manifest, proofFolder, SALT, saltId } from '../../functions/proof/manifest.ts';
import { dateOf } from '../../functions/proof/write-manifests.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { ItemKey } from '../../statemachine/contract.ts';
import type { ArchiveSource } from '../archive/archive-source.ts';
import type { ArchiveClients } from '../archive/clients.ts';
import { ArchiveNotFoundError } from '../archive/errors.ts';
import { chooseTable } from '../choose-tables.ts';
import { inJournal, journalAt } from '../journals.ts';
import { keysToShow, keyText } from '../table/key-text.ts';
import { readChain } from './chain.ts';
import { compareArchive } from './compare-archive.ts';
import { compareJournal } from './compare-journal.ts';
import { readDay } from './day.ts';
import { describeVerification, type ProofEnd, type Verification } from './text.ts';

export interface ProofJobOptions {
  /** `2026-11-22` */
  readonly date: string;
  /** @default the only table of the configuration */
  readonly table: string | undefined;
  /** Whether the journal is asked, too: a copy in a folder is looked at without AWS. */
  readonly askJournal: boolean;
  readonly mask: boolean;
  readonly resultFile: string | undefined;
  /** What `precise-ttl.config.ts` exports. */
  readonly config: unknown;
  readonly connect: (region: string) => ArchiveClients;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Verifies the manifest of a day.
 *
 * @throws {ArchiveNotFoundError} when there is no manifest of the table; an error of the archive, the journal or the SDK
 */
export async function verifyProof(options: ProofJobOptions): Promise<ProofEnd | 'interrupted'> {
  const { date, now, print, signal, resultFile } = options;
  const config = checkConfig(options.config);
  const table = chooseTable(config, options.table);
  const props = resolveProps(table);
  const { tableName } = props;
  const keys = {
    tableName,
    keyNames: keyAttributeNames(modelOf(table)),
    logKeys: keysToShow(props.logKeys, options.mask),
  };
  const showKey = ({ key, keyHash }: { readonly key?: unknown; readonly keyHash?: string }) =>
    isObject(key) ? keyText(key as ItemKey, keys) : keyHash;

  const clients = options.connect(config.region);
  try {
    const { source } = clients;
    const chain = await readChain(source, tableName, signal);
    if (signal.aborted) return 'interrupted';
    const [first] = chain.links.keys();
    if (first === undefined && chain.findings.length === 0) throw noneAt(source, tableName);
    const link = chain.links.get(date);
    let verification: Verification = {
      table: tableName,
      date,
      chain,
      first,
      last: [...chain.links.keys()].at(-1),
    };
    if (link !== undefined) {
      const day = await readDay(source, chain, { date, link });
      const field = await keyFieldOf(source, link.manifest);
      const archive = link.manifest.archive
        ? await compareArchive({ source, table: tableName, chain, day, keyField: field, showKey, signal })
        : undefined;
      if (signal.aborted) return 'interrupted';
      const notAsked = whyNotAsked(options, field !== undefined, now);
      const journal = journalAt(clients.dynamoDb, props.sweep, config.region);
      const fromJournal =
        notAsked === undefined && field !== undefined
          ? await inJournal('dynamodb:Query', journal, () =>
              compareJournal(day, { read: rowsOfTable(journal, tableName), keyField: field, showKey }),
            )
          : undefined;
      verification = {
        ...verification,
        link,
        day,
        archive,
        journal: { notAsked, findings: fromJournal ?? [] },
      };
    }
    const { text, findings, end } = describeVerification(verification, source.name(proofFolder(tableName)));
    print(text);
    if (resultFile !== undefined) {
      const json = {
        table: tableName,
        date,
        end,
        manifest: link?.manifest ?? null,
        sha256: link?.sha256 ?? null,
        findings,
      };
      writeFileSync(resultFile, `${JSON.stringify(json, null, 2)}\n`);
    }
    return end;
  } finally {
    clients.destroy();
  }
}

/** How the manifest has keys; undefined where its salt is gone. */
async function keyFieldOf(source: ArchiveSource, { table, keys }: Manifest) {
  if (keys.as === 'text') return keyField(undefined);
  const path = `${proofFolder(table)}${SALT}`;
  if (!(await source.objects(proofFolder(table))).includes(path)) return undefined;
  const salt = await source.read(path);
  return saltId(salt) === keys.saltId ? keyField(salt) : undefined;
}

function whyNotAsked(
  { askJournal, date }: ProofJobOptions,
  hasKeys: boolean,
  now: number,
): string | undefined {
  if (!askJournal) return 'the copy in a folder is looked at without AWS';
  if (date < dateOf(now - (LEDGER_DAYS - 1) * 86_400_000)) return `the journal has ${LEDGER_DAYS} days`;
  return hasKeys ? undefined : 'the salt of its keys is gone';
}

function noneAt(source: ArchiveSource, table: string): ArchiveNotFoundError {
  return new ArchiveNotFoundError(
    `--from-archive: expected the manifests of ${table} at ${source.name(proofFolder(table))}, got none there; check the bucket and the prefix: the folder proof itself is not part of it. The first manifest comes the day after the first deletion`,
  );
}
