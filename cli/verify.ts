import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteTableCommand,
  ListTagsOfResourceCommand,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ListQueuesCommand,
} from '@aws-sdk/client-sqs';
import { journalName } from '../functions/journal/layout.ts';
import { checkConfig, type DeploymentConfig } from '../stacks/config/config.ts';
import { clientsOf, isLocal, NoAnswerError, regionHere } from './clients.ts';
import { defineCommand, EXIT, type Given, type Result, tablesOf, textFlag, wrong, YES } from './command.ts';
import { openTerraform, requireTerraform, TERRAFORM_HELP, TerraformError } from './deploy.ts';
import { EXPERIMENTS, type Experiment, type Finding } from './verify-experiments.ts';
import {
  MINUTES,
  monthOf,
  type ObserveOptions,
  observe,
  type Seen,
  type Verified,
  type VerifyClients,
} from './verify-observe.ts';
import { describeTable } from './whole-table.ts';

export const command = defineCommand({
  name: 'verify',
  flags: {
    region: textFlag('REGION', 'a region', 'where (default: AWS_REGION)'),
    yes: YES,
  },
  about: `Proves in your own account what nothing else can: how late items are deleted, when Scheduler fires, how far an index lags, what runs
twice, what is billed, how deep JSONata goes, and whether the permissions
are enough. It says what it makes and what that costs, asks, and deploys a small table and a sweep under names of its own, of which
it takes everything away again: after Ctrl-C too, and after a crash when it is run again. It reads no configuration. Without a
terminal to ask at it refuses, unless you give --yes. --json has no names of the account: it can be sent to us.

${TERRAFORM_HELP}
Terraform needs the permission to make and to delete tables, roles, functions, state machines, schedules, alarms, a queue and logs.`,
  services: ['DYNAMODB', 'SFN', 'SQS', 'CLOUDWATCH'],
  alwaysAsks: true,
  exits: '0 all that was measured is kept, 1 an experiment is not kept or could not be made',
  check({ flags: { region = regionHere() } }) {
    if (region === undefined) throw wrong('--region', 'a region', undefined, 'Name it, or set AWS_REGION.');
    // If only Step Functions is local, Terraform's calls of further services would go to AWS.
    const expected = 'one endpoint for all services, as AWS_ENDPOINT_URL_SFN names one on this machine';
    if (isLocal('SFN') && !process.env['AWS_ENDPOINT_URL'])
      throw wrong('AWS_ENDPOINT_URL', expected, undefined, 'Set it, or unset the others for AWS.');
  },
  async run({ flags: { region = regionHere() ?? '' }, clients, now, print, show, signal }) {
    const cost =
      monthOf(verifiedProps(verifyConfig(region, `arn:aws:sqs:${region}:000000000000:example`))).total / 720;
    await requireTerraform();
    return {
      text: `Verification in ${region}, about ${MINUTES + 5} minutes, at most $${(Math.ceil(cost * 100) / 100).toFixed(2)} (by the calculator, free tiers not taken off)
  makes    the table ${VERIFY_NAME}, its deployment of the same name (state machines, functions, roles, schedules, logs, a journal), and a queue ${VERIFY_NAME}-…; nothing else in the account is touched
  before   takes away what an earlier run of these names has left
  after    takes everything away again, also after Ctrl-C; after a crash the next run does`,
      question: 'Make this?',
      async apply() {
        // Ctrl-C does not abort these clients: after Ctrl-C everything must still be removed.
        const never = new AbortController().signal;
        const services = ['DYNAMODB', 'SQS'] as const;
        const own = await clientsOf({ services, region, signal: () => never, quick: false });
        return runVerify({
          ...{ clients, region, print, show, signal },
          deployer: deployerOf(region, own),
          time: { now, sleep: ms => sleep(ms, undefined, { signal }) },
        }).finally(() => own.destroy());
      },
    };
  },
});

export interface VerifyOptions extends Pick<Given, 'print' | 'signal'>, Omit<ObserveOptions, 'verified'> {
  readonly deployer: Deployer;
  readonly region: string;
}

export async function runVerify(options: VerifyOptions): Promise<Result> {
  const { deployer, print, show, signal, region } = options;
  if (await deployer.removeLeft()) print('What an earlier run has left is taken away.');
  let seen = NOT_DEPLOYED;
  try {
    const verified = await deployer.deploy();
    signal.throwIfAborted();
    if (verified !== undefined) seen = await observe({ ...options, verified });
  } finally {
    show('');
    await deployer.remove();
    print('Everything that was made is taken away again.');
  }
  const experiments = EXPERIMENTS.map(experiment => judgedBy(experiment, seen));
  return {
    data: { region, minutes: MINUTES, experiments },
    text: describeReport(experiments),
    exit: experiments.some(({ kept }) => kept === false) ? EXIT.notFine : EXIT.fine,
  };
}

interface Judged {
  readonly id: string;
  readonly criterion: string;
  /** Null: not measured. */
  readonly kept: boolean | null;
  readonly measured?: Finding['measured'];
  readonly because?: string;
}

const NOT_DEPLOYED = new Proxy({ deployment: { unchanged: false } } as Seen, {
  get(seen, part) {
    if (part === 'deployment') return seen.deployment;
    throw new NoAnswerError('it was not deployed');
  },
});

function judgedBy({ id, criterion, otherwise, judge }: Experiment, seen: Seen): Judged {
  try {
    const { kept, measured, because } = judge(seen);
    const numbers = Object.entries(measured).filter(([, value]) => !Number.isNaN(value));
    const none = numbers.length === 0 ? 'none has come' : undefined;
    const why = [because ?? none, otherwise].filter(each => each !== undefined).join(': ');
    return {
      ...{ id, criterion, kept, measured: Object.fromEntries(numbers) },
      ...(!kept && { because: withoutNames(why) }),
    };
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    return { id, criterion, kept: null, because: withoutNames(error.message) };
  }
}

/** Takes ARNs, account ids and URLs out of a message of AWS: a report that a user passes on must not name the account. */
export const withoutNames = (told: string): string =>
  told
    .replaceAll(/\barn:[^\s"',;)]+/g, 'arn:…')
    .replaceAll(/\b\d{12}\b/g, '…')
    .replaceAll(/\bhttps?:\/\/\S+/g, 'https://…');

function describeReport(judged: readonly Judged[]): string {
  const lines = judged.flatMap(({ id, criterion, kept, measured = {}, because }) => {
    if (kept === null) return [`not known ${id}: not measured here: ${because}`];
    const numbers = Object.entries(measured).map(
      ([name, value]) => `${name} ${Number(value.toPrecision(4))}`,
    );
    const head = `${kept ? 'kept      ' : 'NOT KEPT  '}${id}: ${numbers.join(', ')} (${criterion})`;
    return kept ? [head] : [head, `          ${because}`];
  });
  const countOf = (wanted: boolean | null) => judged.filter(({ kept }) => kept === wanted).length;
  return `${lines.join('\n')}\n\n${countOf(true)} of ${judged.length} kept, ${countOf(false)} not kept, ${countOf(null)} not measured`;
}

/** Every resource that the command creates has this in its name. */
export const VERIFY_NAME = 'precise-ttl-verify';
/** Tag of the resources that the command creates. The command never deletes a table without this tag. */
const VERIFY_TAG = { 'precise-ttl:verify': 'to be removed' } as const;

export function verifyConfig(region: string, queueArn: string): DeploymentConfig {
  const { 4: account = '' } = queueArn.split(':');
  const overrides = {
    // Table and journal are not protected: they hold no real data, and the command deletes them a quarter of an hour later.
    aws_dynamodb_table: { deletion_protection_enabled: false, point_in_time_recovery: { enabled: false } },
  };
  const table = {
    tableName: VERIFY_NAME,
    deployment: VERIFY_NAME,
    partitionKey: 'id',
    events: { to: queueArn },
    alarms: false,
    dashboard: false,
  } as const;
  return checkConfig({
    region,
    tags: VERIFY_TAG,
    provider: { allowed_account_ids: [account] },
    overrides,
    tables: [table],
  });
}

export const verifiedProps = (config: DeploymentConfig) => tablesOf(config)[0].props;

/** Arguments for Terraform to apply without a question, because the user has already agreed to the question of `verify`. */
const APPLY = ['apply', '-input=false', '-auto-approve'];
/** Matches the URL of a queue that the command itself creates. Terraform creates and removes the other queues. */
const OWN_QUEUE = new RegExp(`/${VERIFY_NAME}-[0-9a-z]+$`);
const DELETED_SECONDS = 300;

type Deployer = ReturnType<typeof deployerOf>;

/**
 * Returns the functions that deploy and remove everything that `verify` needs.
 * @param folder contains a folder with Terraform's state for each account and region, until everything is removed
 */
export function deployerOf(
  ofRegion: string,
  { sqs, dynamoDb }: Pick<VerifyClients, 'dynamoDb' | 'sqs'>,
  folder = join(homedir(), '.precise-ttl', 'verify'),
) {
  let queueUrl = '';
  let queueArn = '';
  const stateFolder = (): string => {
    const { 3: region, 4: account } = queueArn.split(':');
    return join(folder, `${account}-${region}`);
  };
  const configFile = (): string => join(stateFolder(), 'precise-ttl.config.json');

  const ownQueues = async (): Promise<string[]> => {
    const command = new ListQueuesCommand({ QueueNamePrefix: `${VERIFY_NAME}-` });
    const { QueueUrls = [] } = await sqs.send(command);
    return QueueUrls.filter(url => OWN_QUEUE.test(url));
  };
  const deleteQueue = (QueueUrl: string) => sqs.send(new DeleteQueueCommand({ QueueUrl }));

  const deleteTable = async (TableName: string): Promise<void> => {
    const ResourceArn = (await describeTable(dynamoDb, TableName))?.TableArn;
    if (ResourceArn === undefined) return;
    const { Tags = [] } = await dynamoDb.send(new ListTagsOfResourceCommand({ ResourceArn }));
    const [tag = ''] = Object.keys(VERIFY_TAG);
    const remedy = 'It is not ours, and stays: rename or delete it yourself.';
    if (!Tags.some(({ Key }) => Key === tag))
      throw wrong(`table ${TableName}`, `the tag ${tag}`, undefined, remedy);
    await dynamoDb.send(new DeleteTableCommand({ TableName }));
    await waitUntilTableNotExists({ client: dynamoDb, maxWaitTime: DELETED_SECONDS }, { TableName });
  };

  /** Removes the deployment, and then its folder, which contains Terraform's state: after a failure, another run needs the state. */
  const removeDeployment = async (): Promise<void> => {
    const terraform = await openTerraform({ config: configFile(), removed: true });
    const status = await terraform.run(APPLY, process.stderr);
    if (status !== 0)
      throw new TerraformError(
        `verify: expected Terraform to remove what was made, got exit status ${status}. Run it again, it begins with what is left. The state is in ${stateFolder()}.`,
      );
    for (const name of [VERIFY_NAME, journalName(VERIFY_NAME)]) await deleteTable(name);
    rmSync(stateFolder(), { recursive: true, force: true });
  };

  return {
    /**
     * Removes what an earlier run has left. First creates this run's queue: its ARN has the account, which names the state folder.
     * @returns whether an earlier run had left its table or a queue
     */
    async removeLeft(): Promise<boolean> {
      const left = await ownQueues();
      const QueueName = `${VERIFY_NAME}-${Date.now().toString(36)}`;
      const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, tags: VERIFY_TAG }));
      const asked = { QueueUrl, AttributeNames: ['QueueArn' as const] };
      const { Attributes } = await sqs.send(new GetQueueAttributesCommand(asked));
      queueUrl = QueueUrl;
      queueArn = Attributes?.QueueArn ?? '';
      const hasTable = (await describeTable(dynamoDb, VERIFY_NAME)) !== undefined;
      const hasState = existsSync(configFile());
      if (hasTable && !hasState) {
        await deleteQueue(queueUrl);
        const expected = `Terraform's state in ${stateFolder()} of what an earlier run has left`;
        const remedy = `Run it where it ran before. If that is gone, delete by hand what is named ${VERIFY_NAME}.`;
        throw wrong('verify', expected, undefined, remedy);
      }
      if (hasState) await removeDeployment();
      for (const url of left) await deleteQueue(url);
      return hasTable || left.length > 0;
    },

    /** @returns undefined if the deployment failed: Terraform has printed why */
    async deploy(): Promise<Verified | undefined> {
      const config = verifyConfig(ofRegion, queueArn);
      mkdirSync(stateFolder(), { recursive: true });
      writeFileSync(configFile(), JSON.stringify(config));
      const terraform = await openTerraform({ config: configFile() });
      if ((await terraform.run(APPLY, process.stderr)) !== 0) return undefined;
      const planned = await terraform.run(['plan', '-input=false', '-detailed-exitcode'], process.stderr);
      const tables = (await terraform.output('tables')) as
        | Readonly<Record<string, Partial<Verified>>>
        | undefined;
      const { stateMachineArn = '', replayStateMachineArn = '' } = tables?.[VERIFY_NAME] ?? {};
      return {
        ...{ props: verifiedProps(config), queueUrl, stateMachineArn, replayStateMachineArn },
        deployment: { unchanged: planned === 0 },
      };
    },

    async remove(): Promise<void> {
      if (existsSync(configFile())) await removeDeployment();
      for (const url of await ownQueues()) await deleteQueue(url);
    },
  };
}
