import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import type { FunctionInvoker, FunctionResult, InvokeOptions } from '../interpreter/index.ts';
import { StartError } from './errors.ts';

/** What a mock gets besides the payload. */
export interface MockCall {
  readonly functionName: string;
  readonly functionArn: string;
  /** How often the function has been called since the server started, this call included. */
  readonly count: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What it returns is the function's answer; the `name` of what it throws is the error's name. */
export type Mock = (payload: unknown, call: MockCall) => unknown;

/**
 * Reads a module of mocks: each function that it exports, and those in the object that is its default export, by name.
 *
 * @throws {StartError}
 */
export async function loadMocks(file: string): Promise<ReadonlyMap<string, Mock>> {
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
    (entry): entry is [string, Mock] => typeof entry[1] === 'function',
  );
  return functions.length === 0 ? refuse('one without any') : new Map(functions);
}

async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  return import(pathToFileURL(path).href);
}

/** Calls mocks by the name of the function, whatever its account, region and qualifier. */
export class MockFunctions implements FunctionInvoker {
  readonly #mocks: ReadonlyMap<string, Mock>;
  readonly #others: FunctionInvoker;
  readonly #counts = new Map<string, number>();

  /** @param others invokes what is not mocked */
  constructor(mocks: ReadonlyMap<string, Mock>, others: FunctionInvoker) {
    this.#mocks = mocks;
    this.#others = others;
  }

  async invoke(functionArn: string, payload: unknown, options: InvokeOptions): Promise<FunctionResult> {
    const functionName = nameOf(functionArn);
    const mock = this.#mocks.get(functionName);
    if (mock === undefined) return this.#others.invoke(functionArn, payload, options);
    const count = (this.#counts.get(functionName) ?? 0) + 1;
    this.#counts.set(functionName, count);
    try {
      const answer = await mock(payload, { functionName, functionArn, count, signal: options.signal });
      return { ok: true, payload: answer };
    } catch (error) {
      return failed(error);
    }
  }
}

const nameOf = (functionArn: string): string => functionArn.split(':')[6] ?? functionArn;

/** As the Node runtime of Lambda reports what a handler throws. */
function failed(error: unknown): FunctionResult {
  const cause = types.isNativeError(error)
    ? { errorType: error.name, errorMessage: error.message, trace: error.stack?.split('\n') ?? [] }
    : { errorType: typeof error, errorMessage: String(error), trace: [] };
  return { ok: false, errorType: cause.errorType, errorMessage: cause.errorMessage, cause };
}

/** Lambda's answer for a function that is nowhere, and what to do. */
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
