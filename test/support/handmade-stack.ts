import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { mapValues } from '../../stacks/config/map-values.ts';
import type { PlainStack } from '../../stacks/plain-stack.ts';

type Block = Record<string, unknown>;

/** A stack made by hand, for what the real app does not have. */
export interface HandmadeStack {
  readonly stack: PlainStack;
  /** Deletes the archives of its functions. */
  remove(): void;
}

/** Functions may give `code` (the text of index.mjs) instead of a file. */
export interface StackParts {
  readonly region?: string;
  readonly resource?: Record<string, Record<string, Block>>;
  readonly data?: Record<string, Record<string, Block>>;
  readonly output?: PlainStack['output'];
}

export function handmadeStack({ resource = {}, ...parts }: StackParts): HandmadeStack {
  const directory = mkdtempSync(join(tmpdir(), 'precise-ttl-handmade-'));
  const archives: Record<string, string> = {};
  const functions = mapValues(resource['aws_lambda_function'] ?? {}, ({ code, ...body }, id) => {
    const filename = `assets/${id}.zip`;
    archives[filename] = join(directory, `${id}.zip`);
    writeFileSync(archives[filename], zipSync({ 'index.mjs': strToU8(String(code)) }));
    return { ...body, filename };
  });
  return {
    stack: {
      region: 'us-east-1',
      data: {},
      output: {},
      ...parts,
      resource: { ...resource, aws_lambda_function: functions },
      archives,
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** A Lambda function resource with `code` as its index.mjs. */
export function lambdaFunction(name: string, code: string, over: Block = {}): Block {
  return {
    function_name: name,
    code,
    handler: 'index.handler',
    runtime: 'nodejs24.x',
    memory_size: 128,
    timeout: 3,
    role: 'arn:aws:iam::123456789012:role/r',
    ...over,
  };
}

/** The table of the example: UserName, SessionId, and the index over expirationWindow and ExpirationTime. */
export function sessionTable(over: Block = {}) {
  return {
    name: 'SessionData',
    billing_mode: 'PAY_PER_REQUEST',
    hash_key: 'UserName',
    range_key: 'SessionId',
    attribute: [
      { name: 'UserName', type: 'S' },
      { name: 'SessionId', type: 'S' },
      { name: 'expirationWindow', type: 'S' },
      { name: 'ExpirationTime', type: 'N' },
    ],
    global_secondary_index: [
      {
        name: 'expirationWindowIndex',
        hash_key: 'expirationWindow',
        range_key: 'ExpirationTime',
        projection_type: 'KEYS_ONLY',
      },
    ],
    ttl: { attribute_name: 'ExpirationTime', enabled: true },
    ...over,
  };
}
