/** The questions of `doctor`, and the data for the answers. Each question has a severity and a remedy for the answer "no". */
import { DescribeTimeToLiveCommand, type TableDescription } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand } from '@aws-sdk/client-lambda';
import { DescribePipeCommand, type DescribePipeResponse } from '@aws-sdk/client-pipes';
import { DescribeStateMachineCommand } from '@aws-sdk/client-sfn';
import { GetTopicAttributesCommand } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand, GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import { journalName } from '../functions/journal/layout.ts';
import { readState } from '../functions/journal/read-state.ts';
import { carriedSettings } from '../functions/runtime/environment.ts';
import { keyAttributeNames } from '../functions/table/item-key.ts';
import { alarmsOf } from '../stacks/config/alarms.ts';
import { EVERY_MINUTE, TICK_INPUT, tablesInDefinition } from '../stacks/config/deployments.ts';
import { deadLetterQueueOf, pipeName, tickName } from '../stacks/config/names.ts';
import { pipesOf } from '../stacks/config/pipe-props.ts';
import { functionSettings, readsStream } from '../stacks/config/props.ts';
import { CHUNK_KEYS, PAGE_KEYS, REPLAY_CONCURRENCY } from '../statemachine/contract/limits.ts';
import { type Answer, ask, isLocal, noneIfMissing, readable, seenOf } from './clients.ts';
import type { Given, Table } from './command.ts';
import { commandLine, quoted } from './command-line.ts';
import { count, counted, lasting } from './dashboard/words.ts';
import { askAlarms, askSchedule } from './facts.ts';
import type { Severity } from './faults.ts';
import { journalOf } from './journal.ts';
import { readMetrics } from './metrics.ts';
import { namesOf, typesOf } from './whole-table.ts';

/** Maximum number of Lambda functions that a replay runs at once: each of its children deletes PAGE_KEYS keys in parallel chunks. */
const FUNCTIONS_AT_ONCE = (REPLAY_CONCURRENCY * PAGE_KEYS) / CHUNK_KEYS;
/** Maximum age of the last tick: longer than the minute between two ticks, because a single tick may be late or fail. */
const TICK_SECONDS = 600;
const DAY_MS = 86_400_000;

/** Reads the data for the questions of {@link OF_THE_DEPLOYMENT}. */
export async function seeDeployment({ tables: [table], clients, now }: Given) {
  const { deployment } = table.props;
  const { sfn, sns, sqs, lambda } = clients;
  const schedule = ask('SCHEDULER', () => askSchedule(table, clients));
  const alarms = ask('CLOUDWATCH', () => askAlarms(table, clients));
  return seenOf(
    { ...table, now: Math.floor(now() / 1_000) },
    {
      schedule,
      alarms,
      state: ask('DYNAMODB', () => noneIfMissing(() => readState(journalOf(table, clients)))),
      machine: ask('SFN', async () => {
        const stateMachineArn = readable(await schedule)?.Target?.Arn;
        if (!stateMachineArn) return undefined;
        const described = new DescribeStateMachineCommand({ stateMachineArn });
        return (await noneIfMissing(() => sfn.send(described)))?.definition;
      }),
      deadLetters: ask('SQS', () =>
        noneIfMissing(async () => {
          const QueueName = deadLetterQueueOf(deployment);
          const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName }));
          const asked = { QueueUrl, AttributeNames: ['ApproximateNumberOfMessages' as const] };
          const { Attributes } = await sqs.send(new GetQueueAttributesCommand(asked));
          return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
        }),
      ),
      topic: ask('SNS', async () => {
        const told = readable(await alarms).flatMap(({ AlarmActions = [] }) => AlarmActions);
        const TopicArn = told.find(arn => arn.endsWith(`:${deployment}-alarms`));
        // Subscriptions are read only for the topic that the deployment created (`alarms: true`), not for a user's topic.
        if (table.deployment.alarms !== true || TopicArn === undefined) return undefined;
        const found = await noneIfMissing(() => sns.send(new GetTopicAttributesCommand({ TopicArn })));
        const { SubscriptionsConfirmed: confirmed, SubscriptionsPending: pending } = found?.Attributes ?? {};
        return found && { arn: TopicArn, confirmed: Number(confirmed), pending: Number(pending) };
      }),
      concurrency: ask('LAMBDA', async () => {
        const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
        return AccountLimit?.UnreservedConcurrentExecutions ?? 0;
      }),
    },
  );
}

export const indexOf = ({ props }: Table, table: TableDescription | undefined) =>
  table?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === props.indexName);

/** Reads the data for the questions of {@link OF_THE_TABLE}. */
export async function seeTable(
  subject: Table,
  { clients, now }: Given,
  table: Answer<TableDescription | undefined>,
) {
  const { dynamoDb, pipes, cloudWatch } = clients;
  const { tableName: TableName } = subject.props;
  return seenOf(subject, {
    table,
    index: 'is' in table ? { is: indexOf(subject, table.is) } : table,
    nativeTtl: ask('DYNAMODB', async () => {
      const described = await dynamoDb.send(new DescribeTimeToLiveCommand({ TableName }));
      const { TimeToLiveStatus: status, AttributeName: name } = described.TimeToLiveDescription ?? {};
      return (status?.startsWith('ENABL') && name) || 'off';
    }),
    throttled: ask('CLOUDWATCH', async () => {
      const index = { TableName, GlobalSecondaryIndexName: subject.props.indexName };
      const metric = ['throttled', 'AWS/DynamoDB', 'WriteThrottleEvents', 'Sum', index] as const;
      const values = await readMetrics(cloudWatch, [metric], [now() - DAY_MS, now()], 3_600);
      return values('throttled').reduce((sum, each) => sum + each, 0);
    }),
    pipes: ask('PIPES', async () => {
      const names = pipesOf(subject.props).map(pipe => pipeName(subject.props, pipe));
      const found = names.map(async Name => {
        return [Name, await noneIfMissing(() => pipes.send(new DescribePipeCommand({ Name })))] as const;
      });
      return new Map(await Promise.all(found));
    }),
  });
}

type SeenDeployment = Awaited<ReturnType<typeof seeDeployment>>;
type SeenTable = Awaited<ReturnType<typeof seeTable>>;

export interface Question<Seen> {
  readonly severity: Severity | 'note';
  readonly asks: string;
  readonly remedy: (subject: Table & Partial<Seen>) => string;
  readonly no: (seen: Seen) => string | false | undefined;
}

type Ask = <Seen>(asks: string, remedy: Question<Seen>['remedy'], no: Question<Seen>['no']) => Question<Seen>;
const broken: Ask = (asks, remedy, no) => ({ severity: 'broken', asks, remedy, no });
const note: Ask = (asks, remedy, no) => ({ severity: 'note', asks, remedy, no });
const warning: Ask = (asks, remedy, no) => ({ severity: 'warning', asks, remedy, no });

const on = (subject: Table, ...args: string[]) => ['--table', subject.props.tableName, ...args];
const deploy = () => commandLine('deploy');
const adopt = (subject: Table) => commandLine('adopt', on(subject));
const aws = (operation: string, { props, region }: Table, rest = '') =>
  `aws dynamodb ${operation} --table-name ${props.tableName} --region ${region}${rest}`;
const nativeTtl = (subject: Table) => {
  const enabled = JSON.stringify({ Enabled: true, AttributeName: subject.model.ttlAttribute });
  return aws('update-time-to-live', subject, ` --time-to-live-specification ${quoted([enabled])}`);
};
const stream = ' --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES';
/** The names of the pipes for which `says` returns a text, each followed by this text. */
const pipesThat = (
  pipes: SeenTable['pipes'],
  says: (pipe: DescribePipeResponse | undefined) => string | false,
) => [...pipes].flatMap(([name, pipe]) => (says(pipe) === false ? [] : `${name}${says(pipe)}`)).join(', ');
const differs = (expected: string, got: string | undefined) =>
  expected !== got && `expected ${expected}, got ${got || 'none'}`;

/** The questions about one table, in the order in which a user should follow the remedies. */
export const OF_THE_TABLE = {
  'table-missing': broken(
    'Is the table there?',
    subject =>
      subject.props.existingTable
        ? 'Correct tableName or region in the configuration, or take the right account.'
        : deploy(),
    ({ table, props, region }) => !table && `${props.tableName} is not in ${region}`,
  ),
  'table-keys': broken(
    'Are its keys those of the configuration?',
    () => 'Correct partitionKey and sortKey in the configuration.',
    ({ table, model }) =>
      table && differs(keyAttributeNames(model).join(', '), namesOf(table.KeySchema).join(', ')),
  ),
  'index-missing': broken(
    'Has it the index?',
    adopt,
    ({ table, index, props }) =>
      table &&
      !index &&
      differs(props.indexName, table.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName).join(', ')),
  ),
  'index-keys': broken(
    'Has the index the right keys?',
    subject => `Name another index in index.name, and then ${adopt(subject)}`,
    ({ table, index, model: { windowAttribute, ttlAttribute } }) => {
      const typeOf = typesOf(table ?? {});
      const got = index?.KeySchema?.map(({ AttributeName, KeyType }) => {
        return `${AttributeName} ${typeOf(AttributeName)} ${KeyType}`;
      });
      const wanted = windowAttribute
        ? [`${windowAttribute} S HASH`, `${ttlAttribute} N RANGE`]
        : [`${ttlAttribute} N HASH`];
      return got && differs(wanted.join(', '), got.join(', '));
    },
  ),
  'index-building': broken(
    'Can the index be queried?',
    subject => aws('describe-table', subject, ' --query Table.GlobalSecondaryIndexes'),
    ({ index }) =>
      index &&
      !/^(ACTIVE|UPDATING)$/.test(index.IndexStatus ?? '') &&
      `it is ${index.IndexStatus}, which passes by itself`,
  ),
  'index-wide': warning(
    'Does the index hold keys only?',
    subject => `Name another index in index.name, and then ${adopt(subject)}`,
    ({ index }) => index && differs('KEYS_ONLY', index.Projection?.ProjectionType),
  ),
  'index-throttled': warning(
    'Does the index take what is written to it?',
    ({ props }) =>
      props.indexedBy === 'second'
        ? 'Index the table by window, with shards (docs/use.md).'
        : 'Raise shards in the configuration, deploy, and then raise it in the writers (docs/use.md).',
    ({ throttled }) => throttled > 0 && `${count(throttled)} writes were throttled in the last day`,
  ),
  'native-ttl': warning(
    'Is native TTL on, as the backstop?',
    nativeTtl,
    // In DynamoDB Local native TTL has to be off: it would delete expired items before the sweep does.
    ({ nativeTtl: is, model }) => !isLocal('DYNAMODB') && is === 'off' && differs(model.ttlAttribute, is),
  ),
  'native-ttl-other': broken(
    'Does native TTL go by the same attribute?',
    subject =>
      `Correct ttlAttribute in the configuration; or turn it off there, and an hour later ${nativeTtl(subject)}`,
    ({ nativeTtl: is, model }) => is !== 'off' && differs(model.ttlAttribute, is),
  ),
  'stream-images': broken(
    'Has its stream the old images, for archive and events?',
    subject =>
      subject.props.existingTable ? `${aws('update-table', subject, stream)} and then ${deploy()}` : deploy(),
    ({ table, props }) => {
      // Undefined if the table's stream is off: then the answer is "no", too.
      const view = table?.StreamSpecification?.StreamViewType;
      const isWrong = table && readsStream(props) && !/OLD/.test(`${view}`);
      return isWrong && differs('OLD_IMAGE or NEW_AND_OLD_IMAGES', view);
    },
  ),
  'pipe-missing': broken(
    'Are its pipes there? What expires is not delivered without them.',
    deploy,
    ({ pipes }) => pipesThat(pipes, pipe => pipe === undefined && ''),
  ),
  'pipe-on-old-stream': broken(
    'Do its pipes read its stream? One that was turned off and on again is another one.',
    deploy,
    ({ pipes, table }) => {
      const { LatestStreamArn: arn } = table ?? {};
      return arn && pipesThat(pipes, pipe => pipe !== undefined && pipe.Source !== arn && '');
    },
  ),
  'pipe-off': broken(
    'Do its pipes run? The stream keeps a record for a day.',
    ({ props, region }) =>
      `aws pipes start-pipe --region ${region} --name ${pipesOf(props).map(pipe => pipeName(props, pipe))[0] ?? 'NAME'}`,
    ({ pipes }) =>
      pipesThat(pipes, pipe => {
        const { CurrentState: state, StateReason: why } = pipe ?? {};
        if (pipe === undefined || /^(RUNNING|CREATING|STARTING|UPDATING)$/.test(`${state}`)) return false;
        return ` is ${state}${why ? ` (${why})` : ''}`;
      }),
  ),
} as const satisfies Readonly<Record<string, Question<SeenTable>>>;

export const OF_THE_DEPLOYMENT = {
  'journal-missing': broken(
    'Is the journal there? Without it nothing is swept.',
    deploy,
    ({ state, props }) => !state && `${journalName(props.deployment)} is not there`,
  ),
  'schedule-missing': broken(
    'Is the schedule there?',
    deploy,
    ({ schedule, deployment }) =>
      !schedule && `${tickName(deployment.name)} is not there: nothing starts a tick`,
  ),
  'schedule-off': broken(
    'Is the schedule on?',
    () => `Turn it on in EventBridge Scheduler, or ${deploy()}`,
    ({ schedule }) => schedule && differs('ENABLED', schedule.State),
  ),
  'schedule-other': warning(
    'Does the schedule start a tick each minute?',
    deploy,
    ({ schedule }) =>
      schedule &&
      (differs(EVERY_MINUTE, schedule.ScheduleExpression) ||
        differs(JSON.stringify(TICK_INPUT), schedule.Target?.Input)),
  ),
  'machine-missing': broken(
    'Is the state machine there that the schedule starts?',
    deploy,
    ({ schedule, machine }) => schedule && machine === undefined && `${schedule.Target?.Arn} is not there`,
  ),
  'deployment-old': warning(
    'Is what is deployed what the configuration says?',
    deploy,
    ({ machine, deployment }) => {
      const deployed = new Map(
        tablesInDefinition(machine ?? '').map(each => [each.tableName, JSON.stringify(each)]),
      );
      const others = deployment.tables.filter(
        table => deployed.get(table.tableName) !== JSON.stringify(carriedSettings(functionSettings(table))),
      );
      const names = others.map(({ tableName }) => tableName).join(', ');
      return machine !== undefined && others.length > 0 && `other settings, or none, of ${names}`;
    },
  ),
  'no-tick': broken(
    'Has a tick planned in the last ten minutes?',
    () => `Mend what else is found here. Why sweeps failed: ${commandLine('status', ['--history'])}`,
    ({ state, now }) => {
      const { tick } = state?.watermarks ?? {};
      if (state && tick === undefined) return 'none ever has';
      const since = now - Date.parse(tick ?? '') / 1_000;
      return since > TICK_SECONDS && `the last one ${lasting(since)} ago`;
    },
  ),
  'dead-letters': warning(
    'Could Scheduler start every tick?',
    ({ props, region }) =>
      `aws sqs get-queue-url --queue-name ${deadLetterQueueOf(props.deployment)} --region ${region} and docs/reference/alarms.md`,
    ({ deadLetters, props }) =>
      deadLetters !== 0 &&
      (deadLetters === undefined
        ? `${deadLetterQueueOf(props.deployment)} is not there`
        : `${count(deadLetters)} dead letters say no`),
  ),
  'alarms-missing': warning('Are all alarms there?', deploy, ({ alarms, deployment }) =>
    alarmsOf(deployment)
      .map(({ name }) => name)
      .filter(name => !alarms.some(({ AlarmName }) => AlarmName === name))
      .join(', '),
  ),
  'alarms-silent': warning(
    'Does each alarm tell somebody?',
    () => `Set alarms to the ARN of a topic in the configuration, and then ${deploy()}`,
    ({ alarms }) =>
      alarms.flatMap(({ AlarmName, AlarmActions }) => (AlarmActions?.length ? [] : AlarmName)).join(', '),
  ),
  'alarms-unheard': note(
    'Is somebody subscribed to the topic of the alarms?',
    ({ topic, region }) =>
      `aws sns subscribe --topic-arn ${topic?.arn ?? 'ARN'} --protocol email --notification-endpoint ADDRESS --region ${region}`,
    ({ topic }) =>
      topic?.confirmed === 0 &&
      (topic.pending === 0 ? 'nobody' : `${counted(topic.pending, 'subscription')}, none confirmed`),
  ),
  concurrency: warning(
    'May enough functions run at once?',
    ({ region }) =>
      `aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value ${FUNCTIONS_AT_ONCE} --region ${region}`,
    ({ concurrency }) =>
      concurrency < FUNCTIONS_AT_ONCE &&
      `the account has ${count(concurrency)} left, one execution can use ${count(FUNCTIONS_AT_ONCE)}`,
  ),
} as const satisfies Readonly<Record<string, Question<SeenDeployment>>>;
