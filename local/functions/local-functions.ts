import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { unzipSync } from 'fflate';
import type { FunctionInvoker, FunctionResult, InvokeOptions } from 'stepfunctions-emulator';
import { requireLoopback } from 'stepfunctions-emulator/loopback';
import { DUMMY_CREDENTIALS } from '../dynamodb/clients.ts';
import { LocalCloudError } from '../errors.ts';
import type { FunctionResource } from '../stack/synthesized.ts';
import type { Outcome } from './environment.ts';
import { WorkerPool } from './pool.ts';
import type { ErrorPayload } from './worker.ts';
import { workerSource } from './worker-source.ts';

/** Endpoint of the AWS services that the local cloud lacks: nothing listens on port 9, so requests to them fail and never reach AWS. */
const NOWHERE = 'http://127.0.0.1:9';

/** Default maximum number of threads of a function. Each thread uses 30 MB, and more threads would only wait for DynamoDB Local. */
const MAX_THREADS = 6;

export interface FunctionCall {
  readonly functionName: string;
  readonly payload: unknown;
}

/** Runs instead of an invocation, e.g. to delay it, to fail, or to repeat it. `next` runs the function, and never rejects. */
export type InvokeWrapper = (
  call: FunctionCall,
  next: (payload?: unknown) => Promise<FunctionResult>,
) => Promise<FunctionResult>;

export interface InvocationRecord {
  readonly functionName: string;
  /** Value of the header X-Amzn-Trace-Id in the function's AWS requests. */
  readonly traceId: string;
  /** Time at which the invocation begins to wait for a thread, epoch milliseconds. */
  readonly startedAt: number;
  readonly ok: boolean;
  readonly error?: ErrorPayload | undefined;
  readonly lines: readonly string[];
  /** ARN of the execution that made the call, in a Map Run the child's ARN; undefined for a call from elsewhere, such as a pipe. */
  readonly executionArn?: string | undefined;
}

export interface LocalFunctionsOptions {
  /** DynamoDB endpoint that the functions call, on this computer. The endpoint may be a proxy that injects faults. */
  readonly dynamoDbEndpoint: string;
  /** Largest number of threads per function. Further calls wait, and are not throttled. @default 6 */
  readonly maxConcurrency?: number;
  /** Called with every line that a function prints: JSON logs and embedded metrics. @default lines are dropped */
  readonly onLog?: ((functionName: string, line: string) => void) | undefined;
  readonly onInvocation?: ((record: InvocationRecord) => void) | undefined;
  readonly wrap?: InvokeWrapper | undefined;
  readonly environment?: Readonly<Record<string, string>>;
}

export class LocalFunctions implements FunctionInvoker {
  readonly #byName = new Map<string, { resource: FunctionResource; pool: WorkerPool }>();
  readonly #directory: string;
  readonly #options: LocalFunctionsOptions;
  readonly #removeDirectory = (): void => {
    rmSync(this.#directory, { recursive: true, force: true });
    process.removeListener('exit', this.#removeDirectory);
  };

  /**
   * Unpacks the functions. A function's code is loaded by {@link warm} or by its first call.
   * @throws {LocalCloudError} for a wrong deployment package; {NotLoopbackError} when `dynamoDbEndpoint` is on another computer
   */
  constructor(functions: readonly FunctionResource[], options: LocalFunctionsOptions) {
    const endpoint = requireLoopback(options.dynamoDbEndpoint, 'dynamoDbEndpoint');
    this.#options = options;
    this.#directory = mkdtempSync(join(tmpdir(), 'precise-ttl-local-'));
    process.once('exit', this.#removeDirectory);
    try {
      const program = writeWorkerProgram(this.#directory);
      for (const resource of functions) {
        const { file, exportName } = unpack(resource, join(this.#directory, resource.name));
        const { name, arn, memoryMb, timeoutSeconds } = resource;
        const pool = new WorkerPool({
          program,
          setup: { file, exportName, functionName: name, functionArn: arn, memoryMb },
          variables: {
            ...resource.environment,
            ...options.environment,
            ...runtimeEnvironment(resource, this.#directory, endpoint),
          },
          timeoutMs: timeoutSeconds * 1000,
          maxWorkers: Math.min(options.maxConcurrency ?? MAX_THREADS, resource.reservedConcurrency ?? 1000),
          onLine: options.onLog && (line => options.onLog?.(name, line)),
        });
        this.#byName.set(name, { resource, pool });
      }
    } catch (error) {
      this.#removeDirectory();
      throw error;
    }
  }

  /**
   * Runs a function. Payload and result are converted to JSON text and back, as on AWS. If the function fails, the result has the error.
   * @param functionArn ARN or name
   */
  invoke(
    functionArn: string,
    payload: unknown,
    options: Partial<InvokeOptions> = {},
  ): Promise<FunctionResult> {
    const { signal, site } = options;
    const functionName = nameOf(functionArn);
    const found = this.#byName.get(functionName);
    if (found === undefined) {
      const known = [...this.#byName.keys()].join(', ') || 'none';
      return Promise.resolve(
        refusal(
          'Lambda.ResourceNotFoundException',
          `Function not found: ${functionArn} (Service: Lambda, Status Code: 404); the synthesized functions are: ${known}`,
        ),
      );
    }
    const { resource, pool } = found;
    if (resource.reservedConcurrency === 0) {
      return Promise.resolve(
        refusal('Lambda.TooManyRequestsException', 'Rate Exceeded. (Service: Lambda, Status Code: 429)'),
      );
    }
    const run = async (given: unknown = payload): Promise<FunctionResult> => {
      const startedAt = Date.now();
      const traceId = newTraceId(startedAt);
      const { executionArn } = site ?? {};
      const outcome = await pool.invoke(JSON.stringify(given) ?? 'null', traceId, executionArn, signal);
      const { ok, lines } = outcome;
      const error = outcome.ok ? undefined : outcome.error;
      this.#options.onInvocation?.({ functionName, traceId, startedAt, ok, error, lines, executionArn });
      return { ...toResult(outcome), memoryMb: resource.memoryMb };
    };
    const { wrap } = this.#options;
    return wrap ? wrap({ functionName, payload }, run) : run();
  }

  warm(): void {
    for (const { pool } of this.#byName.values()) pool.warm();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#byName.values()].map(({ pool }) => pool.stop()));
    this.#removeDirectory();
  }
}

function nameOf(functionArn: string): string {
  return functionArn.startsWith('arn:') ? (functionArn.split(':')[6] ?? functionArn) : functionArn;
}

function refusal(errorType: string, message: string): FunctionResult {
  return { ok: false, errorType, errorMessage: message, cause: message };
}

function newTraceId(now: number): string {
  const hex = randomUUID().replaceAll('-', '');
  const seconds = Math.floor(now / 1000).toString(16);
  return `Root=1-${seconds}-${hex.slice(8)};Parent=${hex.slice(0, 16)};Sampled=0`;
}

/**
 * Returns the environment variables that Lambda itself sets, and variables that keep the function's requests on this computer. No variable
 * comes from the user's shell.
 */
function runtimeEnvironment(
  { name, region, memoryMb, handler }: FunctionResource,
  directory: string,
  dynamoDbEndpoint: string,
): Record<string, string> {
  const nowhere = join(directory, 'no-such-file');
  return {
    ...DUMMY_CREDENTIALS,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ENDPOINT_URL: NOWHERE,
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDbEndpoint,
    // The SDK reads profiles from the home directory unless these variables name other files.
    AWS_CONFIG_FILE: nowhere,
    AWS_SHARED_CREDENTIALS_FILE: nowhere,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    LAMBDA_TASK_ROOT: join(directory, name),
    _HANDLER: handler,
  };
}

function toResult({ durationMs, lines: _lines, ...outcome }: Outcome): FunctionResult {
  if (outcome.ok) return { ok: true, payload: JSON.parse(outcome.payload) as unknown, durationMs };
  const { errorType, errorMessage } = outcome.error;
  return { ok: false, errorType, errorMessage, cause: outcome.error, durationMs };
}

const EXTENSIONS = ['.mjs', '.js', '.cjs'];

/**
 * Unpacks a function's deployment package.
 * @returns path of the module with the handler, and name of the export that is the handler
 * @throws {LocalCloudError} for a file that is no zip archive, a path that leads out of the archive, or a missing module
 */
function unpack(
  { address, archive, handler }: FunctionResource,
  directory: string,
): { file: string; exportName: string } {
  let files: Record<string, Uint8Array>;
  try {
    files = unzipSync(readFileSync(archive));
  } catch (error) {
    throw new LocalCloudError(
      `${address}.filename: expected a zip file at ${archive}, got: ${error instanceof Error ? error.message : error}; ` +
        'synthesize again',
    );
  }
  for (const [name, content] of Object.entries(files)) {
    const target = resolve(directory, name);
    if (relative(directory, target).startsWith('..')) {
      throw new LocalCloudError(
        `${address}.filename: expected files inside the archive, got the path "${name}"`,
      );
    }
    if (name.endsWith('/')) continue;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  const dot = handler.lastIndexOf('.');
  const module = handler.slice(0, dot);
  const extension = EXTENSIONS.find(candidate => `${module}${candidate}` in files);
  if (extension === undefined) {
    throw new LocalCloudError(
      `${address}.handler: expected ${EXTENSIONS.map(e => module + e).join(', ')} in ${archive}, ` +
        `got ${Object.keys(files).join(', ') || 'an empty archive'}`,
    );
  }
  return { file: join(directory, module + extension), exportName: handler.slice(dot + 1) };
}

let program: string | undefined;

/** Writes `worker.ts` as JavaScript into the folder, so that no thread has to remove the types. Returns the file's path. */
function writeWorkerProgram(directory: string): string {
  program ??= workerSource();
  const file = join(directory, 'worker.mjs');
  writeFileSync(file, program);
  return file;
}
