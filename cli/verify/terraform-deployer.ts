import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  DeleteTableCommand,
  DescribeTableCommand,
  ListTagsOfResourceCommand,
  ResourceNotFoundException,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  paginateListQueues,
} from '@aws-sdk/client-sqs';
import { DeployError, Terraform } from '../deploy/run-terraform.ts';
import { VERIFY_NAME, VERIFY_TAG, verifiedProps, verifyConfig } from './configuration.ts';
import type { Deployer } from './job.ts';
import type { Verified, VerifyClients } from './observe.ts';

export interface TerraformDeployerOptions {
  readonly region: string;
  readonly clients: Pick<VerifyClients, 'dynamoDb' | 'sqs'>;
  /**
   * Folder for the configuration and Terraform's state, kept until everything is removed. @default a folder of this user that
   * survives a crash
   */
  readonly folder?: string;
}

/** URL of a queue that was created outside of Terraform. */
const OWN_QUEUE = new RegExp(`/${VERIFY_NAME}-[0-9a-z]+$`);

/** The consent was given to `verify`. */
const APPLY = ['apply', '-input=false', '-auto-approve'];

/** The longest time that DynamoDB takes to delete a table, seconds. */
const DELETED_SECONDS = 300;

/** Deploys into an account as `precise-ttl deploy` does. It also removes the table, which that command never does. */
export class TerraformDeployer implements Deployer {
  readonly #options: Required<TerraformDeployerOptions>;
  #queueUrl = '';
  #queueArn = '';

  constructor({ folder = join(homedir(), '.precise-ttl', 'verify'), ...options }: TerraformDeployerOptions) {
    this.#options = { ...options, folder };
  }

  /**
   * Removes what earlier runs left behind. It creates the queue of this run first: its ARN contains the account, which names the
   * folder of the state.
   *
   * @throws {DeployError} when the rest was created from another machine, or is not ours
   */
  async removeLeft(): Promise<boolean> {
    const { sqs } = this.#options.clients;
    const queues = await this.#queues();
    const QueueName = `${VERIFY_NAME}-${Date.now().toString(36)}`;
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, tags: VERIFY_TAG }));
    const asked = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
    this.#queueUrl = QueueUrl;
    this.#queueArn = asked.Attributes?.QueueArn ?? '';
    const hasTable = (await this.#tableArn()) !== undefined;
    if (hasTable && !this.#hasState) {
      await this.#deleteQueues([QueueUrl]);
      throw new DeployError(
        `verify: expected Terraform's state of what an earlier run has left, in ${this.#project}, got none; run it where it ran ` +
          `before. If that is gone, delete by hand what is named ${VERIFY_NAME}.`,
      );
    }
    if (this.#hasState) await this.#removeDeployment();
    await this.#deleteQueues(queues);
    return hasTable || queues.length > 0;
  }

  async deploy(): Promise<Verified | undefined> {
    const { region } = this.#options;
    const config = verifyConfig(region, this.#queueArn);
    mkdirSync(this.#project, { recursive: true });
    writeFileSync(this.#configFile, JSON.stringify(config));
    const terraform = await Terraform.of({ config: this.#configFile });
    if ((await terraform.run(APPLY)) !== 0) return undefined;
    const planned = await terraform.run(['plan', '-input=false', '-detailed-exitcode']);
    const tables = (await terraform.output('tables')) as Readonly<Record<string, Verified>> | undefined;
    const outputs = tables?.[VERIFY_NAME];
    return {
      ...{ props: verifiedProps(config), region, queueUrl: this.#queueUrl },
      stateMachineArn: outputs?.stateMachineArn ?? '',
      replayStateMachineArn: outputs?.replayStateMachineArn ?? '',
      deployment: { seen: { unchanged: planned === 0 } },
    };
  }

  async remove(): Promise<void> {
    if (this.#hasState) await this.#removeDeployment();
    await this.#deleteQueues(await this.#queues());
  }

  /** Removes the deployment, and its folder last: as long as the folder exists, another run can find the rest. */
  async #removeDeployment(): Promise<void> {
    const terraform = await Terraform.of({ config: this.#configFile, removed: true });
    const status = await terraform.run(APPLY);
    if (status !== 0) {
      throw new DeployError(
        `verify: expected Terraform to remove what was made, got exit status ${status}; run it again, it begins with what is left. ` +
          `The state is in ${this.#project}.`,
      );
    }
    await this.#deleteTable();
    rmSync(this.#project, { recursive: true, force: true });
  }

  /** A folder for each account and region. */
  get #project(): string {
    const [, , , region, account] = this.#queueArn.split(':');
    return join(this.#options.folder, `${account}-${region}`);
  }

  get #configFile(): string {
    return join(this.#project, 'precise-ttl.config.json');
  }

  get #hasState(): boolean {
    return existsSync(this.#configFile);
  }

  async #queues(): Promise<string[]> {
    const found: string[] = [];
    const prefix = { QueueNamePrefix: `${VERIFY_NAME}-` };
    for await (const { QueueUrls = [] } of paginateListQueues(
      { client: this.#options.clients.sqs },
      prefix,
    )) {
      // Queues of the deployment are removed by Terraform.
      found.push(...QueueUrls.filter(url => OWN_QUEUE.test(url)));
    }
    return found;
  }

  async #deleteQueues(urls: readonly string[]): Promise<void> {
    for (const QueueUrl of urls) await this.#options.clients.sqs.send(new DeleteQueueCommand({ QueueUrl }));
  }

  async #tableArn(): Promise<string | undefined> {
    try {
      const { Table } = await this.#options.clients.dynamoDb.send(
        new DescribeTableCommand({ TableName: VERIFY_NAME }),
      );
      return Table?.TableArn;
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  }

  /** @throws {DeployError} when the table was not created by `verify` */
  async #deleteTable(): Promise<void> {
    const { dynamoDb: client } = this.#options.clients;
    const ResourceArn = await this.#tableArn();
    if (ResourceArn === undefined) return;
    const { Tags = [] } = await client.send(new ListTagsOfResourceCommand({ ResourceArn }));
    const [tag = ''] = Object.keys(VERIFY_TAG);
    if (!Tags.some(({ Key }) => Key === tag)) {
      throw new DeployError(
        `verify: expected the table ${VERIFY_NAME} to have the tag ${tag}, got none; it is not ours, and stays: rename or delete it yourself.`,
      );
    }
    await client.send(new DeleteTableCommand({ TableName: VERIFY_NAME }));
    await waitUntilTableNotExists({ client, maxWaitTime: DELETED_SECONDS }, { TableName: VERIFY_NAME });
  }
}
