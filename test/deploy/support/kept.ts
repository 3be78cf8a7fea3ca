import {
  GetQueueAttributesCommand,
  ListQueuesCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { EmulatedAws } from './proof.ts';

/** Signed by nobody: the emulator reads the service out of it. */
const authorization = (service: string) =>
  `AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=0`;

async function called(endpoint: string, service: string, init: RequestInit): Promise<string> {
  const headers = { ...init.headers, authorization: authorization(service) };
  const answer = await fetch(endpoint, { method: 'POST', ...init, headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${service}: ${text}`);
  return text;
}

/** What there is in an emulated AWS that holds something, and puts something into it. The project has no client of two of the services. */
export class Kept {
  readonly #endpoint: string;
  readonly #sqs: SQSClient;

  constructor({ endpoint }: EmulatedAws) {
    this.#endpoint = endpoint;
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    this.#sqs = new SQSClient({ endpoint, region: 'us-east-1', credentials });
  }

  /** Gives every queue a message, every topic a subscription and every log group a stream. */
  async fill(): Promise<void> {
    for (const QueueUrl of await this.#queues()) {
      await this.#sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'what was given up' }));
    }
    for (const TopicArn of await this.#topics()) {
      await this.#sns({ Action: 'Subscribe', TopicArn, Protocol: 'sms', Endpoint: '+15550100' });
    }
    for (const logGroupName of await this.#logGroups()) {
      await this.#logs('CreateLogStream', {
        logGroupName,
        logStreamName: `of ${Date.now()}-${Math.random()}`,
      });
    }
  }

  /** How much each of them holds, by name. */
  async look(): Promise<Readonly<Record<string, number>>> {
    const held: Record<string, number> = {};
    for (const QueueUrl of await this.#queues()) {
      const { Attributes } = await this.#sqs.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
      );
      held[QueueUrl.split('/').at(-1) ?? ''] = Number(Attributes?.['ApproximateNumberOfMessages']);
    }
    for (const TopicArn of await this.#topics()) {
      const found = await this.#sns({ Action: 'ListSubscriptionsByTopic', TopicArn });
      held[TopicArn.split(':').at(-1) ?? ''] = found.split('<SubscriptionArn>').length - 1;
    }
    for (const logGroupName of await this.#logGroups()) {
      const { logStreams } = JSON.parse(await this.#logs('DescribeLogStreams', { logGroupName }));
      held[logGroupName] = logStreams.length;
    }
    return held;
  }

  stop(): void {
    this.#sqs.destroy();
  }

  async #queues(): Promise<readonly string[]> {
    return (await this.#sqs.send(new ListQueuesCommand({}))).QueueUrls ?? [];
  }

  async #topics(): Promise<string[]> {
    const found = await this.#sns({ Action: 'ListTopics' });
    return [...found.matchAll(/<TopicArn>([^<]+)</g)].map(([, arn = '']) => arn);
  }

  async #logGroups(): Promise<string[]> {
    const { logGroups } = JSON.parse(await this.#logs('DescribeLogGroups', {}));
    return logGroups.map(({ logGroupName }: { logGroupName: string }) => logGroupName);
  }

  #sns(parameters: Readonly<Record<string, string>>): Promise<string> {
    return called(this.#endpoint, 'sns', {
      body: new URLSearchParams({ Version: '2010-03-31', ...parameters }),
    });
  }

  #logs(action: string, input: object): Promise<string> {
    const headers = {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `Logs_20140328.${action}`,
    };
    return called(this.#endpoint, 'logs', { headers, body: JSON.stringify(input) });
  }
}
