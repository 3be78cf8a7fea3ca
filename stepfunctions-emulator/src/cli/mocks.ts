import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../clock.ts';
import type { CallSite, FunctionInvoker, FunctionResult, InvokeOptions } from '../interpreter/index.ts';
import { failureOf, type MockFunction } from '../testing/mock.ts';
import { StartError } from './errors.ts';

/**
 * Loads a module of mocks: each exported function, and those in the object that is its default export, by name.
 * @throws {StartError}
 */
export async function loadMocks(file: string): Promise<ReadonlyMap<string, MockFunction>> {
  const refuse = (got: string, remedy = ''): never => {
    throw new StartError(
      `--functions ${file}: expected a module that exports functions, got ${got}${remedy}`,
    );
  };
  const path = resolve(file);
  if (!existsSync(path)) return refuse('no file');
  const module = await importModule(path).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[cm]?ts$/.test(file)
      ? refuse(
          `TypeScript, which Node ${process.versions.node} can't load`,
          '; use Node 22.18 or later, or a .mjs file',
        )
      : refuse(`one that can't be loaded: ${error?.message ?? error}`),
  );
  const { default: fallback = {}, ...named } = module;
  if (typeof fallback !== 'object' || fallback === null) {
    return refuse(`the default export of type ${typeof fallback}`, '; make it an object: name → function');
  }
  const wrong = Object.entries(fallback).find(([, value]) => typeof value !== 'function');
  if (wrong !== undefined) return refuse(`"${wrong[0]}" of type ${typeof wrong[1]} in its default export`);
  const functions = Object.entries({ ...fallback, ...named }).filter(
    (entry): entry is [string, MockFunction] => typeof entry[1] === 'function',
  );
  return functions.length === 0 ? refuse('one without any') : new Map(functions);
}

async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  return import(pathToFileURL(path).href);
}

/** Number of visits of states whose attempts are remembered: the latest that called a function. */
const REMEMBERED_VISITS = 10_000;

/** Calls mocks by the function's name, whatever its account, region and qualifier. */
export class MockFunctions implements FunctionInvoker {
  readonly #mocks: ReadonlyMap<string, MockFunction>;
  readonly #clock: Clock;
  readonly #others: FunctionInvoker;
  /** Number of calls by function. */
  readonly #counts = new Map<string, number>();
  /** Number of attempts by visit of a state, the latest visit last. */
  readonly #attempts = new Map<string, number>();

  /** @param others invokes what is not mocked */
  constructor(mocks: ReadonlyMap<string, MockFunction>, clock: Clock, others: FunctionInvoker) {
    this.#mocks = mocks;
    this.#clock = clock;
    this.#others = others;
  }

  async invoke(functionArn: string, payload: unknown, options: InvokeOptions): Promise<FunctionResult> {
    const functionName = functionArn.split(':')[6] ?? functionArn;
    const mock = this.#mocks.get(functionName);
    if (mock === undefined) return this.#others.invoke(functionArn, payload, options);
    const count = (this.#counts.get(functionName) ?? 0) + 1;
    this.#counts.set(functionName, count);
    const call = {
      functionName,
      functionArn,
      state: options.site?.state ?? '',
      attempt: options.site === undefined ? 1 : this.#attemptAt(options.site),
      count,
      sleep: (ms: number) => this.#clock.sleep(ms),
      now: () => this.#clock.now(),
      signal: options.signal,
      reportUsage: (counter: string, amount: number) => options.onUsage?.(counter, amount),
    };
    try {
      return { ok: true, payload: await mock(payload, call) };
    } catch (error) {
      return failureOf(error);
    }
  }

  #attemptAt({ executionArn, enteredEventId }: CallSite): number {
    const visit = `${executionArn} ${enteredEventId}`;
    const attempt = (this.#attempts.get(visit) ?? 0) + 1;
    // Deleted and added again, so that it is the last one.
    this.#attempts.delete(visit);
    this.#attempts.set(visit, attempt);
    const [oldest] = this.#attempts.keys();
    if (oldest !== undefined && this.#attempts.size > REMEMBERED_VISITS) this.#attempts.delete(oldest);
    return attempt;
  }
}

/** Lambda's answer for a function that does not exist, with a remedy. */
export class NoFunctions implements FunctionInvoker {
  readonly #remedy: string;

  constructor(remedy: string) {
    this.#remedy = remedy;
  }

  async invoke(functionArn: string): Promise<FunctionResult> {
    const errorMessage = `Function not found: ${functionArn} (${this.#remedy})`;
    return { ok: false, errorType: 'Lambda.ResourceNotFoundException', errorMessage };
  }
}
