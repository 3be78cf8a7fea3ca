import { modelOf } from '../../config/model-of.ts';
import { resolveProps } from '../../config/props.ts';
import { isObject } from '../../expiry/fields.ts';
import { LEDGER_DAYS } from '../../functions/journal/ledger.ts';
import { rowsOfTable } from '../../functions/proof/build-day.ts';
import { keyField, type Manifest, proofFolder, SALT, saltId } from '../../functions/proof/manifest.ts';
import { dateOf } from '../../functions/proof/write-manifests.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import { type ArchiveSource, openArchive } from '../archive/archive-source.ts';
import { readLocation } from '../archive/location.ts';
import { type Clients, clientsOf } from '../aws/clients.ts';
import { requireOnePlace } from '../aws/endpoint.ts';
import { chooseTable } from '../choose-tables.ts';
import { ArchiveNotFoundError } from '../errors.ts';
import { inJournal, journalAt } from '../journals.ts';
import { NEVER } from '../options.ts';
import { keysToShow, keyText } from '../table/key-text.ts';
import { readChain } from './chain.ts';
import { compareArchive } from './compare-archive.ts';
import { compareJournal } from './compare-journal.ts';
import { readDay } from './day.ts';
import type { Finding, ProofOptions, ProofReport } from './report.ts';

export interface ProofSources {
  readonly connect: (region: string) => Pick<Clients, 'dynamoDb' | 'destroy'> & {
    readonly source: ArchiveSource;
  };
  /** Whether the journal is compared too. */
  readonly askJournal: boolean;
}

function sourcesOf(options: ProofOptions): ProofSources {
  const { environment = process.env, signal = NEVER } = options;
  const location = readLocation(options.fromArchive);
  if (location.kind === 's3') requireOnePlace(environment, ['DYNAMODB', 'S3']);
  return {
    askJournal: location.kind === 's3',
    connect(region) {
      const clients = clientsOf(region, environment, { first: 'DYNAMODB' });
      const { source, destroy } = openArchive(region, location, environment, signal);
      return {
        source,
        dynamoDb: clients.dynamoDb,
        destroy() {
          clients.destroy();
          destroy();
        },
      };
    },
  };
}

/**
 * Verifies the manifest of a day.
 *
 * @throws {ArchiveNotFoundError} when the table has no manifests; an error of the archive, the journal or the SDK
 */
export async function verifyDay(
  options: ProofOptions,
  { connect, askJournal }: ProofSources = sourcesOf(options),
): Promise<ProofReport> {
  const { config, date, mask = false, signal = NEVER, onProgress } = options;
  const table = chooseTable(config, options.table);
  const props = resolveProps(table);
  const { tableName } = props;
  const keys = {
    tableName,
    keyNames: keyAttributeNames(modelOf(table)),
    logKeys: keysToShow(props.logKeys, mask),
  };
  const showKey = ({ key, keyHash }: { readonly key?: unknown; readonly keyHash?: string }) =>
    isObject(key) ? keyText(key as ItemKey, keys) : keyHash;

  const { source, dynamoDb, destroy } = connect(config.region);
  try {
    const chain = await readChain(source, tableName, signal);
    signal.throwIfAborted();
    const dates = [...chain.links.keys()];
    const [first = null] = dates;
    if (first === null && chain.findings.length === 0) throw noneAt(source, tableName);
    const last = dates.at(-1) ?? null;
    const common = {
      ...{ table: tableName, date, place: source.name(proofFolder(tableName)) },
      chain: { manifests: dates.length, first, last, gaps: chain.gaps },
    };
    const link = chain.links.get(date);
    if (link === undefined) {
      const isNamed = chain.findings.some(finding => finding.date === date);
      const missing: Finding = {
        name: 'manifest-missing',
        text: `manifest of ${date}: expected it, got none; there are manifests from ${first} to ${last}`,
      };
      const findings = [...chain.findings, ...(isNamed ? [] : [missing])];
      return {
        ...common,
        end: 'differs',
        manifest: null,
        sha256: null,
        archive: null,
        open: 0,
        journal: null,
        findings,
      };
    }
    const day = await readDay(source, chain, { date, link });
    const field = await keyFieldOf(source, link.manifest);
    const archive = link.manifest.archive
      ? await compareArchive({
          source,
          table: tableName,
          chain,
          day,
          keyField: field,
          showKey,
          signal,
          onProgress,
        })
      : undefined;
    signal.throwIfAborted();
    const now = (options.now ?? Date.now)();
    const notAsked = whyNotAsked(date, askJournal, field !== undefined, now);
    const journal = journalAt(dynamoDb, props.sweep, config.region);
    const differences =
      notAsked === undefined && field !== undefined
        ? await inJournal('dynamodb:Query', journal, () =>
            compareJournal(day, { read: rowsOfTable(journal, tableName), keyField: field, showKey }),
          )
        : [];
    const findings = [...chain.findings, ...day.findings, ...(archive?.findings ?? []), ...differences];
    const { found, expected, open = 0 } = archive ?? {};
    return {
      ...common,
      end: findings.length > 0 ? 'differs' : open > 0 ? 'open' : 'equal',
      manifest: link.manifest,
      sha256: link.sha256,
      archive: found === undefined || expected === undefined ? null : { found, expected },
      open,
      journal: { notAsked: notAsked ?? null, differences: differences.length },
      findings,
    };
  } finally {
    destroy();
  }
}

/** The form of keys in a manifest; undefined if its salt was deleted. */
async function keyFieldOf(source: ArchiveSource, { table, keys }: Manifest) {
  if (keys.as === 'text') return keyField(undefined);
  const path = `${proofFolder(table)}${SALT}`;
  if (!(await source.objects(proofFolder(table))).includes(path)) return undefined;
  const salt = await source.read(path);
  return saltId(salt) === keys.saltId ? keyField(salt) : undefined;
}

function whyNotAsked(date: string, askJournal: boolean, hasKeys: boolean, now: number): string | undefined {
  if (!askJournal) return 'the copy in a folder is looked at without AWS';
  if (date < dateOf(now - (LEDGER_DAYS - 1) * 86_400_000)) return `the journal has ${LEDGER_DAYS} days`;
  return hasKeys ? undefined : 'the salt of its keys is gone';
}

function noneAt(source: ArchiveSource, table: string): ArchiveNotFoundError {
  return new ArchiveNotFoundError(
    'fromArchive',
    `expected the manifests of ${table} at ${source.name(proofFolder(table))}, got none there; check the bucket and the prefix: the folder proof itself is not part of it. The first manifest comes the day after the first deletion`,
  );
}
