import { commandLine, timeToLive } from '../command-line.ts';
import type { Subject } from '../deployment/subject.ts';

/**
 * Severity of a finding. `broken`: expired items are not deleted in time, or items may be deleted wrongly. `warning`: the sweep
 * works, or could not be checked, and a person should act. `note`: no action is needed.
 */
export const SEVERITIES = ['broken', 'warning', 'note'] as const;
export type Severity = (typeof SEVERITIES)[number];

interface FindingKind {
  readonly severity: Severity;
  /** The beginning of its text in the report. */
  readonly what: string;
  readonly meaning: string;
  /** The remedy: a command if there is one. */
  readonly remedy: Remedy;
}

type Remedy = (subject: Subject, values: RemedyValues) => string;

/** Returns what makes findings of a severity, from their texts in the order of the report: what, meaning, remedy. */
const ofSeverity =
  (severity: Severity) =>
  (what: string, meaning: string, remedy: Remedy): FindingKind => ({ severity, what, meaning, remedy });
const [broken, warning, note] = [ofSeverity('broken'), ofSeverity('warning'), ofSeverity('note')];

/** Values of a finding that the command of its remedy needs. */
export interface RemedyValues {
  readonly pipe: string;
  readonly functions: string;
  /** Expiry times of a span, ISO-8601. */
  readonly from: string;
  readonly to: string;
  /** The attribute for which native TTL is on. @default that of the configuration */
  readonly attribute?: string | undefined;
  /** A sufficient number of shards, and the write units per second for which the index should be warm. */
  readonly shards?: number | undefined;
  readonly warmUnits?: number | undefined;
  /** Whether the table's own warm throughput is too low as well. */
  readonly tableIsCold?: boolean;
  /** A sentence that names the action to allow, and its resource. @default neither is known */
  readonly permission?: string | undefined;
}

/** Placeholders for documents, which are not about a real table. */
export const PLACEHOLDERS: RemedyValues = { pipe: 'NAME', functions: 'N', from: 'TIME', to: 'TIME' };

const correct = (fields: string) => () => `Correct ${fields} in the configuration.`;
const deploy = () => commandLine('deploy');
const adopt = ({ props: { tableName } }: Subject) => commandLine('adopt', `--table ${tableName}`);
const backfill = ({ props }: Subject) => commandLine('backfill', `--table ${props.tableName}`);
const aws = (command: string, { props, region }: Subject, rest = '') =>
  `aws ${command} --table-name ${props.tableName} --region ${region}${rest}`;
/** The AWS CLI command that turns native TTL on or off. */
const updateTimeToLive = (subject: Subject, isOn: boolean, attribute: string): string =>
  aws(
    'dynamodb update-time-to-live',
    subject,
    ` --time-to-live-specification ${timeToLive(isOn, attribute)}`,
  );
/** Warm throughput to set, in units per second. It must be higher than the current one: DynamoDB refuses to lower it. */
type Warm = Readonly<Record<string, number | string>>;
const warm = (
  subject: Subject,
  { table, index }: { readonly table?: Warm | undefined; readonly index: Warm },
) => {
  const update = { IndexName: subject.props.indexName, WarmThroughput: index };
  const ofTable = Object.entries(table ?? {}).map(([name, units]) => `${name}=${units}`);
  return aws(
    'dynamodb update-table',
    subject,
    `${ofTable.length > 0 ? ` --warm-throughput ${ofTable.join(',')}` : ''} --global-secondary-index-updates '${JSON.stringify([{ Update: update }])}'`,
  );
};
/** The command that raises the shards; an index by second has none. */
const raiseShards = (subject: Subject, { shards, warmUnits, tableIsCold = false }: RemedyValues): string => {
  const { indexedBy, shards: has } = subject.props;
  if (indexedBy === 'second') return 'Index the table by window, with shards (docs/use.md).';
  const raise =
    shards !== undefined && shards <= has
      ? ''
      : `Raise shards to ${shards ?? 'N'} in the configuration, deploy it, and then raise it in the writers. `;
  const units = { WriteUnitsPerSecond: warmUnits ?? 'N' };
  return `${raise}Make the index warm for that: ${warm(subject, { table: tableIsCold ? units : undefined, index: units })}`;
};
const replay = ({ props }: Subject, { from, to }: RemedyValues) =>
  commandLine('replay', `--table ${props.tableName} --from ${from} --to ${to}`);

const correctWriter = () =>
  'Correct the writer (docs/use.md), then write these items once more, or delete them.';

/** Findings about the table, in the order in which to mend them. */
const OF_THE_TABLE = {
  'table-missing': broken(
    'the table does not exist',
    'There is nothing to sweep: the name, the region or the account is another one, or nothing was deployed yet.',
    subject =>
      subject.props.existingTable
        ? 'Correct tableName or region in the configuration, or use the credentials of the right account.'
        : deploy(),
  ),
  'table-not-active': broken(
    'the table is not ACTIVE',
    'DynamoDB refuses to read from it or to delete from it.',
    subject => aws('dynamodb describe-table', subject),
  ),
  'keys-differ': broken(
    'the keys of the table are others than in the configuration',
    'Each delete of the sweep names the key as the configuration has it, and DynamoDB refuses it.',
    correct('partitionKey and sortKey'),
  ),
  'key-types-differ': warning(
    'the types of the keys are others than in the configuration',
    'The sweep takes keys of any type, but the next deployment is refused.',
    correct('the types of partitionKey and sortKey'),
  ),
  'index-missing': broken(
    'the table has no index of that name',
    'The sweep finds nothing without it, and its executions fail.',
    adopt,
  ),
  'index-keys-differ': broken(
    'the index has other keys',
    'Its name is right, but the sweep cannot query it. The keys of an index cannot be changed.',
    subject =>
      `Correct ttlAttribute, index.attribute or index.by in the configuration; or name another index in index.name, and then ${adopt(subject)}`,
  ),
  'index-key-types-differ': broken(
    'the keys of the index have other types',
    'Items whose TTL is a Number and whose window is a String are not in it, so the sweep does not find them.',
    subject => `Name another index in indexName, and then ${adopt(subject)}`,
  ),
  'index-not-active': broken(
    'the index cannot be queried',
    'The executions of the sweep fail until it is ACTIVE. While it is being built, that mends itself.',
    subject => aws('dynamodb describe-table', subject, ' --query Table.GlobalSecondaryIndexes'),
  ),
  'index-projection': warning(
    'the index holds more than keys',
    'Each write and each query costs capacity for attributes that the sweep never reads; the next deployment is refused.',
    subject => `Name another index in indexName, and then ${adopt(subject)}`,
  ),
  'native-ttl-off': warning(
    'native TTL is off',
    'It is the backstop: what no sweep finds stays forever. The next deployment is refused.',
    subject => updateTimeToLive(subject, true, subject.model.ttlAttribute),
  ),
  'native-ttl-off-local': note(
    'native TTL is off in this DynamoDB Local',
    'It has to be: DynamoDB Local deletes within seconds of the expiry, and would leave nothing to the sweep.',
    () => 'Nothing.',
  ),
  'native-ttl-attribute': broken(
    'native TTL is on another attribute',
    'DynamoDB deletes items by that attribute, whatever the one says that the sweep goes by.',
    subject =>
      `Correct ttlAttribute in the configuration; or turn native TTL off there, and an hour later on for ${subject.model.ttlAttribute}: ` +
      'aws dynamodb update-time-to-live',
  ),
  'deletion-protection-off': warning(
    'the table is not protected from deletion',
    'The configuration says that it is. Whoever may delete tables can delete it. A restored table is so.',
    deploy,
  ),
  'point-in-time-recovery-off': warning(
    'the table cannot be restored to a point in time',
    'The configuration says that it can. What is deleted by mistake is lost. A restored table is so, and begins anew when it is turned on.',
    deploy,
  ),
  'table-key-differs': warning(
    'the table is encrypted with another key',
    'The roles may use the key of the configuration only. With a key of yours that they may not use, every query and delete is refused.',
    subject => (subject.props.existingTable ? 'Correct tableKmsKeyArn in the configuration.' : deploy()),
  ),
  'stream-off': broken(
    'the table has no stream',
    'What expires is neither archived nor published. A restored table has none.',
    subject =>
      subject.props.existingTable
        ? aws(
            'dynamodb update-table',
            subject,
            ' --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES',
          )
        : deploy(),
  ),
  'stream-without-old-images': broken(
    'the stream of the table has no old images',
    'Nobody can tell from it whether a removed item had expired: what expires is neither archived nor published, and goes to the dead-letter queue.',
    subject =>
      subject.props.existingTable
        ? `Turn the stream off and on again, and deploy: ${aws('dynamodb update-table', subject, ' --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES')}`
        : deploy(),
  ),
  'shards-few': warning(
    'more is written to the index than its shards are good for',
    'Several keys share one of its partitions, which takes 1,000 write units a second. Where they meet, items are late at the busiest time, and writers are throttled.',
    raiseShards,
  ),
} as const satisfies Readonly<Record<string, FindingKind>>;

const OF_THE_ITEMS = {
  'ttl-milliseconds': broken(
    'the TTL is in milliseconds',
    'It names a time thousands of years ahead: the items never expire.',
    correctWriter,
  ),
  'ttl-string': broken(
    'the TTL is a String',
    'Only a Number expires, by native TTL too; the index does not have the items, and DynamoDB refuses such writes since it is there.',
    correctWriter,
  ),
  'ttl-other-type': broken(
    'the TTL is neither a Number nor a String',
    'Only a Number expires, by native TTL too; the index does not have the items.',
    correctWriter,
  ),
  'ttl-fraction': broken(
    'the TTL has a fraction of a second',
    'Ticks ask the index for whole seconds and do not find the items: native TTL deletes them, within days.',
    () => 'Let the writer round down (docs/use.md), or index the table by window (docs/use.md).',
  ),
  'ttl-fraction-by-window': note(
    'the TTL has a fraction of a second',
    'By window the items are found, up to a second late. By second they would not be.',
    () => 'Nothing.',
  ),
  'ttl-negative': broken(
    'the TTL is negative',
    'A time before 1970 never expires, by native TTL neither.',
    correctWriter,
  ),
  'ttl-too-old': broken(
    'the TTL is more than five years back',
    'Native TTL and the sweep ignore it, so that a zero or a wrong unit empties no table: the items stay.',
    () => 'Delete the items yourself, or correct the writer if it is a wrong time.',
  ),
  'ttl-too-far-ahead': warning(
    'the TTL is more than 20 years ahead',
    'The items expire then. It looks like a wrong unit, or like an item that should have no TTL.',
    correctWriter,
  ),
  'ttl-elsewhere': warning(
    'the items have no TTL, but a time in another attribute',
    'They never expire. Their writer seems to use another name than the configuration.',
    () => 'Correct ttlAttribute in the configuration, or the writer (docs/use.md).',
  ),
  'window-missing': broken(
    'the items have a TTL and no window',
    'They are not in the index: native TTL deletes them, within days.',
    backfill,
  ),
  'window-malformed': broken(
    'the window does not have the form of one',
    'No tick asks the index for such a key: native TTL deletes the items, within days.',
    backfill,
  ),
  'window-granularity': broken(
    'the window has another length than granularityMinutes',
    'The writer has other settings than the deployment. No tick asks for such windows: native TTL deletes the items, within days.',
    subject => `Give writer and deployment the same granularityMinutes, and then ${backfill(subject)}`,
  ),
  'window-shard-unswept': broken(
    'the items lie in a shard that is not swept',
    'The writer has more shards than the deployment: native TTL deletes the items, within days.',
    () => `Raise shards in the configuration, and then ${deploy()}`,
  ),
  'window-shards-unused': note(
    'all items lie in fewer shards than the table has',
    'Their writer has fewer shards than the deployment. The sweep finds all of them; the index takes no more than with so few shards.',
    () => 'Nothing; or raise shards in the writers, when all that is deployed has them (docs/use.md).',
  ),
  'window-differs': broken(
    'the window is not that of the TTL',
    'Somebody wrote the TTL alone. The sweep looks in a window only for TTLs of its time, and does not find the items: native TTL deletes them, within days.',
    backfill,
  ),
  'window-without-ttl': warning(
    'the items have a window and no TTL',
    'They never expire. If that is meant, the window is left over.',
    () => 'Let the writer write both attributes or none (docs/use.md).',
  ),
  'expired-present': broken(
    'the items expired more than ten minutes ago and are still there, with nothing wrong about them',
    'The sweep does not run, has not come so far yet, or cannot delete them: npx precise-ttl status says which. What was written after its expiry may be behind what the ticks look for: native TTL deletes it, within days.',
    replay,
  ),
} as const satisfies Readonly<Record<string, FindingKind>>;

const OF_THE_DEPLOYMENT = {
  'state-machine-missing': broken(
    'a state machine is missing',
    'Nothing was deployed here, or under another name: no ticks, or no replays.',
    deploy,
  ),
  'schedule-missing': broken('a schedule is missing', 'Nothing starts the ticks.', deploy),
  'schedule-disabled': broken(
    'a schedule is off',
    'Nothing starts the ticks. Somebody has turned it off in EventBridge Scheduler.',
    () => 'Turn it on in EventBridge Scheduler: docs/operate.md says how a table is stopped for a while.',
  ),
  'journal-missing': broken(
    'the journal is not there',
    'No tick sweeps anything: none can tell which tables are paused.',
    deploy,
  ),
  'schedule-differs': warning(
    'a schedule does something else than the configuration says',
    'The configuration was changed after the last deployment, or the schedule by hand.',
    deploy,
  ),
  'dead-letter-queue-missing': warning(
    'there is no dead-letter queue',
    'A start or an expiry that did not get through leaves no trace.',
    deploy,
  ),
  'pipe-missing': broken(
    'a pipe of the table is not there',
    'What expires is not delivered, and the stream has it for a day.',
    deploy,
  ),
  'pipe-on-old-stream': broken(
    'the table has a new stream that a pipe does not read',
    'The stream was turned off and on again, which made another one, and a pipe keeps the one before. A deployment makes the pipe anew: that of an archive reads the new stream from its beginning, one of events from then on.',
    deploy,
  ),
  'pipe-off': broken(
    'a pipe of the table does not read its stream',
    'It was stopped, or could not be started: its reason says what. The stream keeps a record for a day: what is not delivered by then is lost.',
    ({ region }, { pipe }) => `aws pipes start-pipe --region ${region} --name ${pipe}`,
  ),
  'alarms-missing': warning(
    'alarms are missing',
    'What they are for would happen without anybody being told.',
    deploy,
  ),
  'alarms-silent': warning(
    'alarms tell nobody',
    'They have no action, or their actions are turned off.',
    deploy,
  ),
  'lambda-concurrency': warning(
    'the account may run fewer functions at once than a sweep can use',
    'With much to delete, Lambda refuses calls: they are made again, so items are deleted late, and other functions suffer.',
    ({ region }, { functions }) =>
      `Set maxDeletesPerSecond, with which fewer functions are busy at once, or ask for more: aws service-quotas request-service-quota-increase --region ${region} --service-code lambda --quota-code L-B99A9384 --desired-value ${functions}`,
  ),
} as const satisfies Readonly<Record<string, FindingKind>>;

const OF_THE_DOCTOR = {
  'not-checked': warning(
    'this could not be checked',
    'What is behind it may be in order or not.',
    (_subject, { permission }) =>
      permission ??
      'Look whether the service can be reached from here and answers, and run this command again. An action that is not allowed is named, with its resource.',
  ),
  'not-checked-local': note(
    'this was not checked, as this machine has no such service',
    'A command that works on this machine asks nothing of a real account.',
    () => 'Nothing; or name an endpoint on this machine for that service.',
  ),
} as const satisfies Readonly<Record<string, FindingKind>>;

/** Title of each group of findings. */
export const GROUPS = {
  'The table': OF_THE_TABLE,
  'The items': OF_THE_ITEMS,
  'The deployment': OF_THE_DEPLOYMENT,
  'What was not checked': OF_THE_DOCTOR,
} as const;

const ALL = { ...OF_THE_TABLE, ...OF_THE_ITEMS, ...OF_THE_DEPLOYMENT, ...OF_THE_DOCTOR };

export type FindingId = keyof typeof ALL;
export type ItemFindingId = keyof typeof OF_THE_ITEMS;

/** All kinds of findings, in the order of the report. */
export const FINDINGS: Readonly<Record<FindingId, FindingKind>> = ALL;
export const ITEM_FINDINGS = Object.keys(OF_THE_ITEMS) as ItemFindingId[];
