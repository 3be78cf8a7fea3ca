import { LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import { constructStack } from '@smithy/core/client';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { partitionOf } from '../config/regions.ts';

/** A pipe as EventBridge describes it. */
export interface SeenPipe {
  /** ARN of the stream that it reads. It does not change when the table gets a new stream. */
  readonly streamArn: string;
  /** RUNNING, STOPPED, a state in between, such as UPDATING, or one that ends in FAILED. */
  readonly state: string;
  /** Why it is in this state, if there is more to say. */
  readonly reason: string | undefined;
}

/** The only call of Pipes that commands make; the SDK's client for it would be a package of its own. */
export class PipesClient {
  readonly middlewareStack = constructStack<object, { output: SeenPipe | undefined }>();
  /** Finds credentials and keeps connections, as for any other service. */
  readonly #client: LambdaClient;
  readonly #endpoint: string | undefined;

  constructor(config: LambdaClientConfig & { readonly endpoint?: string }) {
    this.#client = new LambdaClient(config);
    this.#endpoint = config.endpoint;
  }

  /**
   * Describes a pipe; undefined if there is none. Source: EventBridge Pipes API reference, DescribePipe.
   * @throws Error with AWS's code as its name
   */
  async describe(name: string): Promise<SeenPipe | undefined> {
    const call = async () => ({ response: undefined, output: { output: await this.#describe(name) } });
    const { output } = await this.middlewareStack.resolve(call, {})({ input: { name } });
    return output.output;
  }

  async #describe(name: string): Promise<SeenPipe | undefined> {
    const { credentials, sha256, requestHandler } = this.#client.config;
    const region = await this.#client.config.region();
    const { protocol, hostname, port, host } = new URL(
      this.#endpoint ?? `https://pipes.${region}.${partitionOf(region).dnsSuffix}`,
    );
    const request = new HttpRequest({
      ...{
        method: 'GET',
        protocol,
        hostname,
        path: `/v1/pipes/${encodeURIComponent(name)}`,
        headers: { host },
      },
      ...(port !== '' && { port: Number(port) }),
    });
    const signer = new SignatureV4({ service: 'pipes', region, credentials, sha256 });
    const { response } = await requestHandler.handle((await signer.sign(request)) as HttpRequest);
    const chunks: Buffer[] = [];
    for await (const chunk of response.body as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { Source, CurrentState, StateReason, message, Message } = JSON.parse(text || '{}');
    if (response.statusCode === 200) return { streamArn: Source, state: CurrentState, reason: StateReason };
    const code = response.headers['x-amzn-errortype']?.split(':')[0] ?? `HTTP ${response.statusCode}`;
    if (code === 'NotFoundException') return undefined;
    throw Object.assign(new Error(message ?? Message), { name: code, $metadata: {} });
  }

  destroy(): void {
    this.#client.destroy();
  }
}
