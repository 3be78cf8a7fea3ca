import { basename } from 'node:path';
import { DEFAULT_PORT } from '../api/index.ts';
import { ALLOWED_NAME, isAllowedName, type WorkflowType } from '../interpreter/index.ts';
import { UsageError } from './errors.ts';
import type { FlagName, FlagValues } from './flags.ts';

/** A state machine that a file defines. */
export interface DefinitionFile {
  readonly name: string;
  readonly file: string;
  readonly type: WorkflowType;
}

export interface ServerOptions {
  readonly definitions: readonly DefinitionFile[];
  /** Port; 0 chooses a free one. */
  readonly port: number;
  /** Path of a module of mocks. */
  readonly functionsFile: string | undefined;
  readonly lambdaEndpoint: { readonly url: string; readonly source: string } | undefined;
  readonly watch: boolean;
  readonly virtualClock: boolean;
  /** Times at which each Express execution runs again, milliseconds after its start. */
  readonly expressAgainMs: readonly number[];
  readonly region: string;
  readonly partition: string;
  readonly account: string;
  readonly roleArn: string;
}

const TYPES: readonly WorkflowType[] = ['STANDARD', 'EXPRESS'];
const DEFAULT_REGION = 'us-east-1';
const DEFAULT_ACCOUNT = '123456789012';
const ENDPOINT_VARIABLE = 'AWS_ENDPOINT_URL_LAMBDA';

const PARTITIONS: Readonly<Record<string, string>> = { 'cn-': 'aws-cn', 'us-gov-': 'aws-us-gov' };

/**
 * Converts the flags to options, checked as far as possible without opening a file.
 * @param environment AWS_ENDPOINT_URL_LAMBDA and nothing else is read from it
 * @throws {UsageError}
 */
export function readOptions(
  flags: FlagValues,
  environment: Readonly<Record<string, string | undefined>>,
): ServerOptions {
  const one = (name: FlagName) => flags.get(name)?.[0];
  const region = matching(
    'region',
    one('region') ?? DEFAULT_REGION,
    /^[a-z]{2,}(-[a-z]+)+-\d{1,2}$/,
    'a region',
  );
  const account = matching('account', one('account') ?? DEFAULT_ACCOUNT, /^\d{12}$/, '12 digits');
  const partition =
    PARTITIONS[Object.keys(PARTITIONS).find(prefix => region.startsWith(prefix)) ?? ''] ?? 'aws';
  const role = one('role') ?? `arn:${partition}:iam::${account}:role/stepfunctions-emulator`;
  return {
    definitions: readDefinitions(flags),
    port: readPort(one('port')),
    functionsFile: one('functions'),
    lambdaEndpoint: readLambdaEndpoint(one('lambda-endpoint'), environment[ENDPOINT_VARIABLE]),
    watch: flags.has('watch'),
    virtualClock: flags.has('virtual-clock'),
    expressAgainMs: (flags.get('express-again') ?? []).map(readAgain),
    region,
    partition,
    account,
    roleArn: matching('role', role, /^arn:aws[a-z-]*:iam::\d{12}:role\/./, 'the ARN of an IAM role'),
  };
}

function matching(name: FlagName, value: string, pattern: RegExp, expected: string): string {
  if (pattern.test(value)) return value;
  throw new UsageError(`--${name}: expected ${expected}, got "${value}"`);
}

function readPort(value = String(DEFAULT_PORT)): number {
  const port = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`--port: expected a whole number from 0 to 65535, got "${value}"`);
}

/** Limit of one day. */
const MAX_AGAIN_SECONDS = 86_400;

function readAgain(value: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (seconds <= MAX_AGAIN_SECONDS) return Math.round(seconds * 1000);
  throw new UsageError(
    `--express-again: expected seconds from 0 to ${MAX_AGAIN_SECONDS}, such as 12 or 0.5, got "${value}"`,
  );
}

function readLambdaEndpoint(flag: string | undefined, variable: string | undefined) {
  if (flag !== undefined) return { url: flag, source: '--lambda-endpoint' };
  return variable ? { url: variable, source: ENDPOINT_VARIABLE } : undefined;
}

function readDefinitions(flags: FlagValues): DefinitionFile[] {
  const named = (flags.get('definition') ?? []).map(splitName);
  const types = readTypes(flags);
  const names = named.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new UsageError(
      `--definition: expected state machines of different names, got "${twice}" twice; write --definition NAME=FILE`,
    );
  }
  const unknown = [...types.keys()].find(name => name !== undefined && !names.includes(name));
  if (unknown !== undefined) {
    const known = names.join(', ') || 'none, since there is no --definition';
    throw new UsageError(`--type: expected the name of a state machine (${known}), got "${unknown}"`);
  }
  return named.map(({ name, file }) => ({
    name,
    file,
    type: types.get(name) ?? types.get(undefined) ?? 'STANDARD',
  }));
}

/** A path may contain a `=`; a name may contain neither `=` nor `/`. */
function splitName(value: string): { readonly name: string; readonly file: string } {
  const at = value.indexOf('=');
  if (at > 0 && isAllowedName(value.slice(0, at)))
    return { name: value.slice(0, at), file: value.slice(at + 1) };
  const name = basename(value).replace(/(\.asl)?\.json$|\.asl$/, '');
  if (isAllowedName(name)) return { name, file: value };
  throw new UsageError(
    `--definition: expected a file after which a state machine can be named (${ALLOWED_NAME}), got "${value}"; ` +
      'write --definition NAME=FILE',
  );
}

/** Name of a state machine → its type; the undefined key applies to all others. */
function readTypes(flags: FlagValues): ReadonlyMap<string | undefined, WorkflowType> {
  const types = new Map<string | undefined, WorkflowType>();
  for (const value of flags.get('type') ?? []) {
    const at = value.indexOf('=');
    const name = at < 0 ? undefined : value.slice(0, at);
    const type = TYPES.find(one => one === value.slice(at + 1));
    if (type === undefined) {
      throw new UsageError(`--type: expected ${TYPES.join(' or ')}, or NAME=${TYPES[1]}, got "${value}"`);
    }
    if (types.has(name)) {
      throw new UsageError(
        `--type: expected one type for ${name ?? 'all state machines'}, got several; leave out all but one`,
      );
    }
    types.set(name, type);
  }
  return types;
}
