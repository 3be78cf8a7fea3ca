import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';

type Block = Record<string, unknown>;

/** A cdktf.out folder made by hand, for what the real app doesn't synthesize. */
export interface HandmadeStack {
  readonly directory: string;
  remove(): void;
}

/** The parts of one stack, as CDKTF writes them. Functions may give `code` (the text of index.mjs) instead of a file. */
export interface StackParts {
  readonly resource?: Record<string, Record<string, Block>>;
  readonly data?: Record<string, Record<string, Block>>;
  readonly [key: string]: unknown;
}

/** Writes stacks as `cdktf synth` does. */
export function handmadeStacks(stacks: Record<string, StackParts>): HandmadeStack {
  const directory = mkdtempSync(join(tmpdir(), 'precise-ttl-handmade-'));
  const manifest: { version: string; stacks: Record<string, Block> } = { version: '0.21.0', stacks: {} };
  for (const [name, { resource = {}, ...parts }] of Object.entries(stacks)) {
    const stackDirectory = join(directory, 'stacks', name);
    mkdirSync(stackDirectory, { recursive: true });
    const functions = Object.fromEntries(
      Object.entries(resource['aws_lambda_function'] ?? {}).map(([id, { code, ...body }]) => [
        id,
        typeof code === 'string' ? { ...body, filename: archive(stackDirectory, id, code) } : body,
      ]),
    );
    const document = {
      provider: { aws: [{ region: 'us-east-1' }] },
      terraform: { backend: { local: {} } },
      resource: { ...resource, ...(Object.keys(functions).length ? { aws_lambda_function: functions } : {}) },
      ...parts,
    };
    writeFileSync(join(stackDirectory, 'cdk.tf.json'), JSON.stringify(document));
    manifest.stacks[name] = { name, synthesizedStackPath: `stacks/${name}/cdk.tf.json` };
  }
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

function archive(stackDirectory: string, id: string, code: string): string {
  mkdirSync(join(stackDirectory, 'assets', id), { recursive: true });
  const filename = `assets/${id}/archive.zip`;
  writeFileSync(join(stackDirectory, filename), zipSync({ 'index.mjs': strToU8(code) }));
  return filename;
}

/** A Lambda function resource with `code` as its index.mjs. */
export function lambdaFunction(name: string, code: string, over: Block = {}): Block {
  return {
    function_name: name,
    code,
    handler: 'index.handler',
    runtime: 'nodejs24.x',
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
